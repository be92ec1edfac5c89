"""From the configuration to the assembler's limits."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.config import AssemblyConfig
from scorer.model.trace import Envelope
from scorer.otlp.decode import service_name

# They are not charged, so they are few where memory is small: it takes 200 bytes to remember one,
# and all together may take a tenth of the budget.
_BYTES_A_TOMBSTONE = 2500
_SMALLEST_LIMIT = 8 * 2**20


def assembler_settings(config: AssemblyConfig, lateness: float = 0.0) -> AssemblerSettings:
    """Return the assembler's limits; `lateness` seconds are added to every timer."""
    timers = Timers(
        config.linger + lateness, config.idle_timeout + lateness, config.max_age + lateness
    )
    return AssemblerSettings(
        timers=timers,
        max_spans_per_trace=config.max_spans_per_trace,
        max_bytes_per_trace=_most_of_one(config),
        max_tombstones=min(config.max_tombstones, config.memory // _BYTES_A_TOMBSTONE),
        kept_bytes=min(config.kept, config.memory // 8),
        timers_of=_ServiceTimers(config, timers, lateness).find if config.overrides else None,
    )


def _most_of_one(config: AssemblyConfig) -> int:
    """Return the bytes of the largest trace: it is copied on its way to a worker or a log."""
    return min(config.max_bytes_per_trace, max(config.memory // 8, _SMALLEST_LIMIT))


class EndMarkers:
    """Whose end markers count: spans of the services that match one of the patterns (glob)."""

    def __init__(self, services: Sequence[str]) -> None:
        self._services = services

    def count_for(self, envelope: Envelope) -> bool:
        """Whether the spans of this resource may end a trace."""
        if "*" in self._services:
            return True
        service = service_name(envelope.resource)
        return any(fnmatchcase(service, pattern) for pattern in self._services)


class _ServiceTimers:
    """The timers of services that have their own, looked up by the resource's bytes."""

    def __init__(self, config: AssemblyConfig, default: Timers, lateness: float) -> None:
        self._by_service = {
            item.service: Timers(
                default.linger if item.linger is None else item.linger + lateness,
                default.idle_timeout if item.idle_timeout is None else item.idle_timeout + lateness,
                default.max_age if item.max_age is None else item.max_age + lateness,
            )
            for item in config.overrides
        }

    def find(self, envelope: Envelope) -> Timers | None:
        return self._by_service.get(service_name(envelope.resource))
