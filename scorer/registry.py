"""Plug-ins by entry point: metrics, dialects, receivers and sinks.

A metric may also be registered by hand, in this process (`scorer.registration`), and then wins.
Built-in parts use the same door as anybody's. A part is loaded only when it is wanted; a
wanted part that fails to load stops the start with the name of its distribution.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from typing import Any, Literal, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from scorer.api import (
    AccountMetric,
    Dialect,
    MetricSpec,
    Mode,
    Need,
    ScoreMetric,
    Threshold,
    TraceMetric,
)
from scorer.config import MetricConfig, RuleConfig, ScoringConfig
from scorer.errors import ConfigError
from scorer.model.score import Kind
from scorer.registration import registered

Group = Literal["metrics", "dialects", "receivers", "sinks"]
Metric = TraceMetric | ScoreMetric | AccountMetric

_KINDS = frozenset(get_args(Kind))
_NEEDS = frozenset(get_args(Need))
# What a metric is constructed with, but by the service; no option of the configuration.
_HANDED_IN = frozenset({"mode", "inference"})
_OWN_METHODS = ("score", "combine", "entries")
_PLAIN = (bool, int, float, str, list, dict, Any, type(None))
_BY_NAME = frozenset({Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD})


class LoadedMetric(Struct, frozen=True, kw_only=True):
    """A metric ready to run. `config_hash` identifies mode, options and threshold.

    `combines` says that it is a `ScoreMetric`, `books` that it is an `AccountMetric`; asking the
    Protocols each time would be slow.
    """

    metric: Metric
    spec: MetricSpec
    combines: bool
    books: bool = False
    mode: Mode
    threshold: Threshold | None
    timeout_s: float
    config_hash: str


def names(group: Group) -> tuple[str, ...]:
    """Return the names that are registered in a group, sorted."""
    by_hand = registered if group == "metrics" else ()
    return tuple(sorted({*by_hand, *(point.name for point in _points(group))}))


def load(group: Group, name: str) -> Any:
    """Load one plug-in.

    Raises:
        ConfigError: there is none of that name, or it does not load.
    """
    if group == "metrics" and name in registered:
        return _factory(registered[name])
    found = [point for point in _points(group) if point.name == name]
    if not found:
        known = ", ".join(names(group)) or "none: is spanscore installed (pip install .)?"
        others = f"; groups: {', '.join(groups())}" if group == "metrics" else ""
        raise ConfigError(f"no {group[:-1]} named {name!r}; known: {known}{others}")
    if len(found) > 1:
        owners = " and ".join(_distribution(point) for point in found)
        raise ConfigError(f"{group[:-1]} {name!r} is registered twice: by {owners}")
    try:
        return found[0].load()
    except Exception as error:
        raise ConfigError(
            f"{group[:-1]} {name!r} of distribution {_distribution(found[0])} "
            f"failed to load: {type(error).__name__}: {error}"
        ) from error


def _factory(metric: Any) -> Any:
    """Return what makes a registered metric: it is one already, unless it is a class."""
    if isinstance(metric, type):
        return metric

    def same(*, mode: Mode) -> Any:  # noqa: ARG001 - an instance is made, in whatever mode
        return metric

    return same


def load_dialects() -> tuple[Dialect, ...]:
    """Load every registered dialect, sorted by name."""
    return tuple(cast("Dialect", load("dialects", name)) for name in names("dialects"))


def load_metrics(config: ScoringConfig) -> tuple[LoadedMetric, ...]:
    """Load the configured metrics, metrics of scores last, otherwise in configured order.

    Raises:
        ConfigError: a name is unknown, an option is wrong, or a threshold names no metric.
    """
    loaded = [_load_metric(item, config) for item in _expand(config.metrics)]
    known = {metric.spec.name for metric in loaded}
    for name in config.thresholds:
        if name not in known and name not in names("metrics"):
            raise ConfigError(f"scoring.thresholds.{name}: there is no metric of that name")
    return tuple(sorted(loaded, key=lambda item: item.combines))


def want_readings(config: ScoringConfig) -> bool:
    """Whether one of the configured metrics reads OTLP metrics of the agent's process.

    Raises:
        ConfigError: a name is unknown.
    """
    parts = (load("metrics", item.name) for item in _expand(config.metrics))
    specs = (getattr(part, "spec", None) for part in parts)
    return any(isinstance(spec, MetricSpec) and spec.uses_readings for spec in specs)


def load_rules(rules: Sequence[RuleConfig]) -> tuple[RuleConfig, ...]:
    """Return the rules with the groups in their metrics resolved to names.

    Raises:
        ConfigError: a rule names a metric that is not installed.
    """
    known = names("metrics")
    resolved = []
    for number, rule in enumerate(rules):
        if rule.metrics is not None:
            members = tuple(member for name in rule.metrics for member in _members(name))
            for name in members:
                if name not in known:
                    raise ConfigError(
                        f"scoring.rules[{number}].metrics: no metric named {name!r}; "
                        f"known: {', '.join(known)}; groups: {', '.join(groups())}"
                    )
            rule = msgspec.structs.replace(rule, metrics=members)  # noqa: PLW2901 - the resolved one
        resolved.append(rule)
    return tuple(resolved)


def _expand(items: Sequence[str | MetricConfig]) -> Iterable[MetricConfig]:
    """Resolve groups (`default`, kinds) to names; a metric named twice is configured last."""
    chosen: dict[str, MetricConfig] = {}
    for item in items:
        if isinstance(item, MetricConfig):
            chosen[item.name] = item
            continue
        for name in _members(item):
            chosen.setdefault(name, MetricConfig(name=name))
    return chosen.values()


def _members(name: str) -> tuple[str, ...]:
    """Return the metrics of a group; groups hold Spanscore's own metrics only.

    So installing a package changes no scores, and one that is broken harms nobody who does
    not name its metrics.
    """
    if name == "default":
        return tuple(own for own in _own_metrics() if load("metrics", own).spec.in_default)
    if name in _KINDS:
        members = tuple(own for own in _own_metrics() if load("metrics", own).spec.kind == name)
        if not members:
            raise ConfigError(
                f"scoring.metrics: no metric is of kind {name}; groups: {', '.join(groups())}"
            )
        return members
    return (name,)


def groups() -> tuple[str, ...]:
    """Return the groups that hold a metric of Spanscore's own: `default`, and kinds."""
    return ("default", *sorted({load("metrics", own).spec.kind for own in _own_metrics()}))


def _own_metrics() -> tuple[str, ...]:
    own = (point.name for point in _points("metrics") if _distribution(point) == "spanscore")
    return tuple(sorted(own))


def _load_metric(item: MetricConfig, config: ScoringConfig) -> LoadedMetric:
    factory = load("metrics", item.name)
    if isinstance(factory, type) and not any(hasattr(factory, name) for name in _OWN_METHODS):
        raise ConfigError(_no_metric(item.name))
    _check_options(item, factory)
    try:
        metric = factory(mode=item.mode, **item.options)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"scoring.metrics: {item.name}: {error}") from error
    except Exception as error:
        raise ConfigError(
            f"scoring.metrics: {item.name} cannot be made: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(metric, Metric):
        raise ConfigError(_no_metric(item.name))
    _check_spec(item.name, metric.spec)
    threshold = config.thresholds.get(item.name, metric.spec.default_threshold)
    timeout = metric.spec.timeout_s if item.timeout is None else float(item.timeout)
    return LoadedMetric(
        metric=metric,
        spec=metric.spec,
        combines=isinstance(metric, ScoreMetric),
        books=isinstance(metric, AccountMetric),
        mode=item.mode,
        threshold=threshold,
        timeout_s=timeout,
        config_hash=_hash(item, threshold),
    )


def _no_metric(name: str) -> str:
    return f"scoring.metrics: {name} has none of `score`, `combine`, and `entries` with `measure`"


def _check_spec(name: str, spec: MetricSpec) -> None:
    """Refuse at the start what could never give a score."""
    fault = ""
    if spec.name != name:
        fault = f"its spec is named {spec.name!r}; entry point and spec must agree"
    elif not spec.outputs or spec.outputs[0].name != "value":
        fault = "its first output must be named 'value'"
    elif not spec.methods:
        fault = "it declares no method"
    elif unknown := set(spec.needs) - _NEEDS:
        fault = f"it needs {', '.join(sorted(unknown))}; known: {', '.join(sorted(_NEEDS))}"
    if fault:
        raise ConfigError(f"scoring.metrics: {name}: {fault}")


def _check_options(item: MetricConfig, factory: Callable[..., Any]) -> None:
    """Refuse options that the metric does not take, and values of another type than it declares.

    A value that Python would take for another (the text "false" for true) is the worse mistake.
    """
    try:
        parameters = signature(factory).parameters.values()
    except (TypeError, ValueError):  # nothing is known of it: it must speak for itself
        return
    types = _declared_types(factory)
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
    known = [
        p.name
        for p in parameters
        if p.kind in _BY_NAME and p.name not in _HANDED_IN and not _is_code(types.get(p.name))
    ]
    for name, value in item.options.items():
        if name not in known and not open_ended:
            raise ConfigError(
                f"scoring.metrics: {item.name}: unknown option {name!r} "
                f"(known: {', '.join(known) or 'none'})"
            )
        fault = _type_fault(value, types.get(name, Any))
        if fault is not None:
            told = fault.replace("`$", f"`{name}")
            raise ConfigError(f"scoring.metrics: {item.name}: option {name}: {told}")


def _declared_types(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the types of the options, as far as they are declared."""
    try:
        parameters = signature(factory, eval_str=True).parameters
    except Exception:  # noqa: BLE001 - names that only its author knows; it must check them itself
        return {}
    return {
        name: parameter.annotation
        for name, parameter in parameters.items()
        if parameter.annotation is not Parameter.empty
    }


def _is_plain(wanted: Any) -> bool:
    """Whether a type is made of what a configuration holds; of others a metric makes its own."""
    if get_origin(wanted) is None:
        return wanted in _PLAIN
    if get_origin(wanted) is Literal:
        return True
    return all(_is_plain(part) for part in get_args(wanted) if part is not Ellipsis)


def _is_code(wanted: Any) -> bool:
    """Whether an option takes a function, which no configuration can hold."""
    return any(get_origin(part) is Callable for part in (wanted, *get_args(wanted)))


def _type_fault(value: Any, wanted: Any) -> str | None:
    """Say what is wrong with an option; numbers are finite."""
    if not _is_finite(value):
        return f"a number must be finite, not {value!r}"
    if not _is_plain(wanted):
        return None
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        if get_origin(wanted) is Literal:
            return f"{value!r} is not one of: {', '.join(map(repr, get_args(wanted)))}"
        return str(error)
    except TypeError:  # a union that msgspec cannot tell apart
        return None
    return None


def _is_finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _hash(item: MetricConfig, threshold: Threshold | None) -> str:
    data = msgspec.json.encode([item.mode, item.options, threshold], order="deterministic")
    return hashlib.sha256(data).hexdigest()[:12]


def _points(group: Group) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=f"spanscore.{group}"))


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "(unknown)"
