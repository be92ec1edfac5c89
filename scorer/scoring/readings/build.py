"""Makes the readings that a configuration asks for."""

from collections.abc import Callable

from msgspec.structs import replace

from scorer.config import Config
from scorer.registry import want_readings
from scorer.scoring.readings.join import Readings
from scorer.telemetry import Telemetry

_NO_LIMIT = 2**62


def build_readings(
    config: Config, telemetry: Telemetry, clock: Callable[[], float]
) -> Readings | None:
    """Return what keeps readings; None when no configured metric uses any.

    Raises:
        ConfigError: a metric is unknown.
    """
    if not want_readings(config.scoring):
        return None
    return Readings(config.scoring.readings, telemetry, clock)


def all_readings(config: Config) -> Readings | None:
    """Return what keeps every reading there is: for stored files, whose traces are all held."""
    unbounded = {"max_resources": _NO_LIMIT, "max_readings": _NO_LIMIT}
    readings = replace(config.scoring.readings, **unbounded)
    scoring = replace(config.scoring, readings=readings)
    return build_readings(replace(config, scoring=scoring), Telemetry(), lambda: 0.0)
