"""The configuration: one frozen tree, its defaults in one place.

YAML (or JSON) in the collector's style. Durations and sizes carry units (`2s`, `64MiB`),
`${env:NAME}` is the only substitution, an unknown key is an error that names its path.
The README's table of keys is checked against this file by a test.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import yaml
from msgspec import Meta, Struct

from scorer.api import Mode, Threshold
from scorer.errors import ConfigError

_DURATION_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")
_ENV = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Duration(float):
    """A length of time in seconds, written with a unit: `500ms`, `2s`, `10m`, `6h`, `1d`."""

    def __str__(self) -> str:
        for unit in ("d", "h", "m", "s"):
            count = float(self) / _DURATION_UNITS[unit]
            if count >= 1 and count == int(count):
                return f"{int(count)}{unit}"
        return f"{float(self) * 1000:g}ms"


class Size(int):
    """A number of bytes, written with a unit: `64MiB`, `4GiB`, `500KB`."""

    def __str__(self) -> str:
        for unit in ("GiB", "MiB", "KiB"):
            if self and self % _SIZE_UNITS[unit] == 0:
                return f"{self // _SIZE_UNITS[unit]}{unit}"
        return f"{int(self)}B"


class Endpoint(str):
    """`HOST:PORT`; an IPv6 host stands in brackets. Port 0 = any free port."""

    __slots__ = ()

    @property
    def host(self) -> str:
        """The host without brackets."""
        return self.rsplit(":", 1)[0].strip("[]")

    @property
    def port(self) -> int:
        """The port."""
        return int(self.rsplit(":", 1)[1])

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in _LOOPBACK or self.host.startswith("127.")


class _Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all configuration sections."""


Positive = Annotated[int, Meta(ge=1)]


class GrpcConfig(_Section, frozen=True):
    """OTLP over gRPC."""

    enabled: bool = True
    endpoint: Endpoint = Endpoint("127.0.0.1:4317")
    max_request_size: Size = Size(64 * 2**20)
    max_concurrent_streams: Positive = 100
    insecure: bool = False


class HttpConfig(_Section, frozen=True):
    """OTLP over HTTP (protobuf and JSON)."""

    enabled: bool = True
    endpoint: Endpoint = Endpoint("127.0.0.1:4318")
    max_request_size: Size = Size(64 * 2**20)
    read_timeout: Duration = Duration(10)
    insecure: bool = False


class OtlpConfig(_Section, frozen=True):
    """The OTLP receivers."""

    grpc: GrpcConfig = GrpcConfig()
    http: HttpConfig = HttpConfig()


class ReceiversConfig(_Section, frozen=True):
    """Where spans come in."""

    otlp: OtlpConfig = OtlpConfig()


class ServiceAssemblyConfig(_Section, frozen=True):
    """Timers of one service; what is not given follows `assembly`."""

    service: str
    linger: Duration | None = None
    idle_timeout: Duration | None = None
    max_age: Duration | None = None


class AssemblyConfig(_Section, frozen=True):
    """When a trace is finished, and how much may be open."""

    linger: Duration = Duration(2)
    idle_timeout: Duration = Duration(30)
    max_age: Duration = Duration(6 * 3600)
    memory: Size = Size(512 * 2**20)
    max_spans_per_trace: Positive = 50_000
    max_bytes_per_trace: Size = Size(64 * 2**20)
    max_tombstones: Positive = 200_000
    overrides: tuple[ServiceAssemblyConfig, ...] = ()


class MetricConfig(_Section, frozen=True):
    """One metric with its mode and options: `{name: faithfulness, mode: documented}`."""

    name: str
    mode: Mode = "beyond"
    timeout: Duration | None = None
    options: dict[str, Any] = {}


class RuleConfig(_Section, frozen=True):
    """Metrics and sampling for the services that match (glob); the first match wins."""

    match: dict[Literal["service"], str] = {}
    metrics: tuple[str, ...] | None = None
    sample: Annotated[float, Meta(ge=0, le=1)] = 1.0


class ReferencesConfig(_Section, frozen=True):
    """Known right answers by case id or question (JSON lines)."""

    file: str | None = None


class ScoringConfig(_Section, frozen=True):
    """What is computed of a finished trace, and where."""

    metrics: tuple[str | MetricConfig, ...] = ("default",)
    workers: Annotated[int, Meta(ge=0)] | Literal["auto"] = "auto"
    task_timeout: Duration = Duration(30)
    max_pending_bytes: Size = Size(256 * 2**20)
    thresholds: dict[str, Threshold] = {}
    rules: tuple[RuleConfig, ...] = ()
    references: ReferencesConfig = ReferencesConfig()


class ReplayConfig(_Section, frozen=True):
    """Reading stored spans."""

    lateness: Duration = Duration(600)


class PrometheusConfig(_Section, frozen=True):
    """The series on /metrics and the bounds of their labels."""

    labels: tuple[Literal["service", "agent"], ...] = ("service", "agent")
    max_label_values: Positive = 200
    max_series: Positive = 20_000


class JsonlConfig(_Section, frozen=True):
    """The scores file."""

    path: str | None = None


class SinksConfig(_Section, frozen=True):
    """Where scores go out."""

    prometheus: PrometheusConfig = PrometheusConfig()
    jsonl: JsonlConfig = JsonlConfig()


class WebConfig(_Section, frozen=True):
    """/metrics, health and the API."""

    endpoint: Endpoint = Endpoint("127.0.0.1:9464")
    insecure: bool = False
    recent_traces: Positive = 2_000


class Config(_Section, frozen=True):
    """The whole configuration."""

    state_dir: str = "./spanscore-data"
    shutdown_timeout: Duration = Duration(30)
    receivers: ReceiversConfig = ReceiversConfig()
    assembly: AssemblyConfig = AssemblyConfig()
    scoring: ScoringConfig = ScoringConfig()
    replay: ReplayConfig = ReplayConfig()
    sinks: SinksConfig = SinksConfig()
    web: WebConfig = WebConfig()


def load_config(path: str | Path | None = None, overrides: Sequence[str] = ()) -> Config:
    """Read a YAML file (None = the defaults), apply `a.b=v` overrides, and check it.

    Raises:
        ConfigError: the file is missing, is not YAML, or a key or value is wrong.
    """
    tree = {} if path is None else _read_yaml(Path(path))
    for override in overrides:
        _apply_override(tree, override)
    return parse_config(tree)


def parse_config(tree: Mapping[str, Any]) -> Config:
    """Turn plain data into a checked `Config`; raises ConfigError naming the path of a fault."""
    try:
        config = msgspec.convert(_substitute(tree, "$"), Config, dec_hook=_decode)
    except msgspec.ValidationError as error:
        raise ConfigError(_explain(str(error))) from error
    _check_endpoints(config)
    return config


def to_plain(config: Config) -> dict[str, Any]:
    """Return the effective configuration as plain data, quantities with their units."""
    plain: dict[str, Any] = msgspec.to_builtins(config, enc_hook=str)
    return plain


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read configuration {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        text = " ".join(str(error).split())
        raise ConfigError(f"configuration {path} is not valid YAML: {text}") from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"configuration {path} must be a mapping, not {type(tree).__name__}")
    return tree


def _apply_override(tree: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    if not separator or not key:
        raise ConfigError(f"--set {override!r}: write it as key.path=value")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {key}: {text!r} is not a YAML value") from error
    *parents, last = key.split(".")
    node = tree
    for name in parents:
        child = node.setdefault(name, {})
        if not isinstance(child, dict):
            raise ConfigError(f"--set {key}: {name} is not a section")
        node = child
    node[last] = value


def _substitute(value: Any, path: str) -> Any:
    """Replace `${env:NAME}` in every text of the tree."""
    if isinstance(value, dict):
        return {str(k): _substitute(v, f"{path}.{k}") for k, v in value.items()}
    if isinstance(value, list):
        return [_substitute(v, f"{path}[{i}]") for i, v in enumerate(value)]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in os.environ:
            raise ConfigError(f"{path[2:]}: environment variable {name} is not set")
        return os.environ[name]

    return _ENV.sub(replace, value)


def _decode(kind: type, value: Any) -> Any:
    if kind is Duration:
        return Duration(_quantity(value, _DURATION_UNITS, "a duration such as 500ms, 2s, 6h"))
    if kind is Size:
        return Size(_quantity(value, _SIZE_UNITS, "a size such as 64MiB, 500KB"))
    if kind is Endpoint:
        return _endpoint(value)
    raise NotImplementedError(kind)


def _quantity(value: Any, units: Mapping[str, float], wanted: str) -> float:
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or match.group(2) not in units:
        raise ValueError(f"Expected {wanted}, got {value!r}")
    return float(match.group(1)) * units[match.group(2)]


def _endpoint(value: Any) -> Endpoint:
    text = value if isinstance(value, str) else ""
    host, separator, port = text.rpartition(":")
    if not separator or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"Expected HOST:PORT, got {value!r}")
    return Endpoint(text)


def _check_endpoints(config: Config) -> None:
    otlp = config.receivers.otlp
    listeners = {
        "receivers.otlp.grpc": (otlp.grpc.endpoint, otlp.grpc.insecure),
        "receivers.otlp.http": (otlp.http.endpoint, otlp.http.insecure),
        "web": (config.web.endpoint, config.web.insecure),
    }
    for path, (endpoint, insecure) in listeners.items():
        if not endpoint.is_loopback and not insecure:
            raise ConfigError(
                f"{path}.endpoint: {endpoint} can be reached from other machines without "
                f"authentication; set {path}.insecure: true if that is meant"
            )


def _explain(text: str) -> str:
    """Turn msgspec's message into `path: what`."""
    message, _, where = text.partition(" - at `")
    path = where.rstrip("`").removeprefix("$").lstrip(".")
    unknown = re.search(r"unknown field `([^`]*)`", message)
    if unknown:
        full = f"{path}.{unknown.group(1)}".lstrip(".")
        return f"unknown key {full}; see the table of configuration keys in the README"
    return f"{path or 'configuration'}: {message}"


__all__ = [
    "AssemblyConfig",
    "Config",
    "Duration",
    "Endpoint",
    "MetricConfig",
    "RuleConfig",
    "ScoringConfig",
    "Size",
    "load_config",
    "parse_config",
    "to_plain",
]
