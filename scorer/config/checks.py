"""What one value cannot tell: values that contradict each other, or the machine."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from math import isnan
from pathlib import Path

from scorer.config.quantities import Endpoint
from scorer.config.tree import Config, MetricConfig
from scorer.errors import ConfigError

_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not listened on
_GRPC_LIMIT = 2**31 - 1
_LONGEST_AGE = 30 * 86400
_SAME = {"localhost": "127.0.0.1"}


def check(config: Config) -> None:
    """Raise ConfigError for the first contradiction."""
    for find in _CHECKS:
        for fault in find(config):
            raise ConfigError(fault)


def check_files(config: Config) -> None:
    """Raise ConfigError for a file that a service could not write on this machine."""
    path = config.sinks.jsonl.path
    if path is None:
        return
    if not path or Path(path).is_dir():
        raise ConfigError(f"sinks.jsonl.path: {path!r} is no file; name one")
    if not Path(path).parent.is_dir():
        raise ConfigError(
            f"sinks.jsonl.path: there is no folder {Path(path).parent}; make it, or name another"
        )


def _exposed(config: Config) -> Iterator[str]:
    otlp = config.receivers.otlp
    listeners = {
        "receivers.otlp.grpc": (otlp.grpc.endpoint, otlp.grpc.insecure),
        "receivers.otlp.http": (otlp.http.endpoint, otlp.http.insecure),
        "web": (config.web.endpoint, config.web.insecure),
    }
    for path, (endpoint, insecure) in listeners.items():
        if not endpoint.is_loopback and not insecure:
            yield (
                f"{path}.endpoint: {endpoint} can be reached from other machines without "
                f"authentication; set {path}.insecure: true if that is meant"
            )


def _shared_addresses(config: Config) -> Iterator[str]:
    grpc, http = config.receivers.otlp.grpc, config.receivers.otlp.http
    listeners = {"web.endpoint": config.web.endpoint}
    if grpc.enabled:
        listeners["receivers.otlp.grpc.endpoint"] = grpc.endpoint
    if http.enabled:
        listeners["receivers.otlp.http.endpoint"] = http.endpoint
    for (one, first), (other, second) in combinations(listeners.items(), 2):
        if _overlap(first, second):
            yield f"{other}: {second} is already taken by {one} ({first}); give each its own port"


def _overlap(first: Endpoint, second: Endpoint) -> bool:
    if first.port != second.port or first.port == 0:
        return False
    hosts = {_SAME.get(endpoint.host, endpoint.host) for endpoint in (first, second)}
    return len(hosts) == 1 or bool(hosts & _WILDCARDS)


def _metrics(config: Config) -> Iterator[str]:
    if not config.scoring.metrics:
        yield "scoring.metrics: it names no metric; leave it out for the default ones"
    items = config.scoring.metrics
    names = Counter(item.name if isinstance(item, MetricConfig) else item for item in items)
    for name, count in names.items():
        if count > 1:
            yield f"scoring.metrics: {name} stands there {count} times; configure it once"


def _thresholds(config: Config) -> Iterator[str]:
    for name, bounds in config.scoring.thresholds.items():
        given = [bound for bound in (bounds.min, bounds.max) if bound is not None]
        if any(map(isnan, given)):
            yield f"scoring.thresholds.{name}: a bound is a number"
        elif len(given) == 2 and given[0] > given[1]:
            yield (
                f"scoring.thresholds.{name}: min {given[0]:g} is above max {given[1]:g}, "
                "so every value would fail"
            )


def _sizes(config: Config) -> Iterator[str]:
    size = config.receivers.otlp.grpc.max_request_size
    if size > _GRPC_LIMIT:
        yield f"receivers.otlp.grpc.max_request_size: {size} is over gRPC's own limit of 2 GiB"


def _timers(config: Config) -> Iterator[str]:
    for name in ("linger", "idle_timeout", "max_age"):
        value = getattr(config.assembly, name)
        if value > _LONGEST_AGE:
            yield f"assembly.{name}: {value} is over 30d; open traces are held in memory"


def _receivers(config: Config) -> Iterator[str]:
    otlp = config.receivers.otlp
    if not (otlp.grpc.enabled or otlp.http.enabled):
        yield "receivers: none is enabled, so nothing could ever be received"


_CHECKS: tuple[Callable[[Config], Iterator[str]], ...] = (
    _exposed,
    _shared_addresses,
    _metrics,
    _thresholds,
    _sizes,
    _timers,
    _receivers,
)
