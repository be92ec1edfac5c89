"""What one value cannot tell: values that contradict each other, or the machine."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from math import isnan
from pathlib import Path

from scorer.config.listeners import (
    exposed,
    incomplete_tls,
    shared_addresses,
    unreadable_files,
)
from scorer.config.targets import may_hold_secret, target_faults, unreadable_target_files
from scorer.config.tree import Config, MetricConfig
from scorer.errors import ConfigError

_GRPC_LIMIT = 2**31 - 1
_PORT = re.compile(r"[^:]:[1-9]\d*$")
_LONGEST_AGE = 30 * 86400


def check(config: Config) -> None:
    """Raise ConfigError for the first contradiction."""
    for find in _CHECKS:
        for fault in find(config):
            raise ConfigError(fault)


def check_files(config: Config) -> None:
    """Raise ConfigError for a file that a service could not read or write on this machine."""
    for fault in (*unreadable_files(config), *unreadable_target_files(config)):
        raise ConfigError(fault)
    path = config.sinks.jsonl.path
    if path is None:
        return
    if not path or Path(path).is_dir():
        raise ConfigError(f"sinks.jsonl.path: {path!r} is no file; name one")
    if not Path(path).parent.is_dir():
        raise ConfigError(
            f"sinks.jsonl.path: there is no folder {Path(path).parent}; make it, or name another"
        )


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


def _journal(config: Config) -> Iterator[str]:
    least = 2 * config.assembly.memory
    if config.journal.enabled and config.journal.max_size < least:
        yield (
            f"journal.max_size: {config.journal.max_size} is less than twice assembly.memory "
            f"({config.assembly.memory}), which open traces alone may take"
        )


def _timers(config: Config) -> Iterator[str]:
    for name in ("linger", "idle_timeout", "max_age"):
        value = getattr(config.assembly, name)
        if value > _LONGEST_AGE:
            yield f"assembly.{name}: {value} is over 30d; open traces are held in memory"


def _receivers(config: Config) -> Iterator[str]:
    otlp = config.receivers.otlp
    if not (otlp.grpc.enabled or otlp.http.enabled):
        yield "receivers: none is enabled, so nothing could ever be received"


def _metrics_push(config: Config) -> Iterator[str]:
    push, key = config.sinks.otlp_metrics, "sinks.otlp_metrics"
    if push.endpoint is None:
        return
    scheme, found, _ = push.endpoint.partition("://")
    if fault := may_hold_secret(push.endpoint):
        yield f"{key}.endpoint: {fault}"
    elif found and scheme not in ("http", "https"):
        yield f"{key}.endpoint: {scheme}:// is not known; write http:// or https://"
    elif found and push.insecure is not None and push.insecure != (scheme == "http"):
        yield f"{key}: {scheme}:// and insecure: {str(push.insecure).lower()} contradict each other"
    elif push.protocol == "http" and not found:
        yield f"{key}.endpoint: {push.endpoint!r} is no URL; write http:// or https://"
    elif not found and not _PORT.search(push.endpoint):
        yield f"{key}.endpoint: {push.endpoint!r} is not HOST:PORT"


_CHECKS: tuple[Callable[[Config], Iterator[str]], ...] = (
    incomplete_tls,
    exposed,
    shared_addresses,
    _metrics,
    _thresholds,
    _sizes,
    _journal,
    _timers,
    _receivers,
    _metrics_push,
    target_faults,
)
