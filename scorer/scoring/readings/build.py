"""Makes the readings that a configuration asks for."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from scorer.config import Config
from scorer.registry import want_readings
from scorer.scoring.readings.join import Readings
from scorer.telemetry import Telemetry

# Traces of a replay close `replay.lateness` later than live ones, so readings must be there longer.
_REPLAY_ROOM: Final = 4
_NO_LIMIT: Final = 2**62


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


def replay_readings(
    config: Config, telemetry: Telemetry, clock: Callable[[], float]
) -> Readings | None:
    """Return what keeps readings in a replay, with more room."""
    room = config.scoring.readings.max_readings * _REPLAY_ROOM
    return build_readings(_with(config, max_readings=room), telemetry, clock)


def all_readings(config: Config) -> Readings | None:
    """Return what keeps every reading there is: for stored files, whose traces are all held."""
    unbounded = _with(config, max_resources=_NO_LIMIT, max_readings=_NO_LIMIT)
    return build_readings(unbounded, Telemetry(), lambda: 0.0)


def _with(config: Config, **limits: int) -> Config:
    readings = replace(config.scoring.readings, **limits)
    return replace(config, scoring=replace(config.scoring, readings=readings))
