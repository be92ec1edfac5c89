"""The signals of OTLP."""

from typing import Final, Literal

Signal = Literal["traces", "logs", "metrics"]
"""What one export request carries."""

TOP_KEYS: Final[dict[str, Signal]] = {
    "resourceSpans": "traces",
    "resourceLogs": "logs",
    "resourceMetrics": "metrics",
}
"""The key that holds the payload of a request in OTLP/JSON, and its signal."""
