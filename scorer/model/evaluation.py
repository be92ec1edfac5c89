"""The names by which scores are known as telemetry: what we send under them is never scored."""

from typing import Final

OWN_NAME: Final = "spanscore"
"""Our `service.name`, and the name of our instrumentation scope."""

EVENT: Final = "gen_ai.evaluation.result"
"""The event of the OpenTelemetry conventions that brings a score."""

EVENT_PREFIX: Final = "gen_ai.evaluation"
"""What the names of such events begin with in any version; `EVENT` does too."""
