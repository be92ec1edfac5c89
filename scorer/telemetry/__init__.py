"""What Spanscore says of itself: its series, and its log."""

from scorer.telemetry.catalogue import SERIES, Series, series
from scorer.telemetry.faults import FaultLog, set_up_logging
from scorer.telemetry.live import Exposition, Histogram, Observations, Snapshot, Telemetry

__all__ = [
    "SERIES",
    "Exposition",
    "FaultLog",
    "Histogram",
    "Observations",
    "Series",
    "Snapshot",
    "Telemetry",
    "series",
    "set_up_logging",
]
