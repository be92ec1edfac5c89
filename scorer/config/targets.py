"""What the configuration says of the places that traces and scores are sent to.

Plain text is never a default that anybody could overlook: a bare `HOST:PORT` means TLS, as in the
collector, unless it is this machine.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from scorer.config.listeners import listeners, overlap, unreadable
from scorer.config.quantities import Endpoint
from scorer.config.tree import Config, OtlpTargetConfig, OtlpTargetTlsConfig
from scorer.errors import ConfigError

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_GRPC_PORT: Final = 4317
_ANY: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not listened on
_SIGNAL_PATH = re.compile(r"/v1/(traces|logs|metrics)/?$")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
# What the protocols say themselves; a second one would contradict it.
_OUR_HEADERS: Final = frozenset(
    {"content-type", "content-encoding", "content-length", "host", "te", "transfer-encoding"}
)


class Address(NamedTuple):
    """Where a target is, and how it is reached; `path` begins the URL paths of HTTP."""

    host: str
    port: int
    is_tls: bool
    path: str = ""

    @property
    def authority(self) -> str:
        """`HOST:PORT`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def base_url(self) -> str:
        """The URL that `/v1/traces` is added to."""
        return f"{'https' if self.is_tls else 'http'}://{self.authority}{self.path}"


def address_of(target: OtlpTargetConfig, key: str = "endpoint") -> Address:
    """Read a target's endpoint; `key` is the path of its section in the configuration.

    Raises:
        ConfigError: The endpoint is malformed, or contradicts the section `tls`.
    """
    where = f"{key}.endpoint"
    if fault := may_hold_secret(target.endpoint):
        raise ConfigError(f"{where}: {fault}")
    if "://" in target.endpoint:
        return _of_url(target, where)
    if target.protocol == "http":
        raise ConfigError(
            f"{where}: {target.endpoint!r} is no URL; write http://HOST:PORT or https://HOST:PORT"
        )
    url = _split(f"//{target.endpoint}", target.endpoint, where)
    if url.path or url.port is None or not url.port:
        raise ConfigError(f"{where}: {target.endpoint!r} is not HOST:PORT")
    host = url.hostname or ""
    return Address(host, url.port, not _is_plain(target.tls, target.endpoint))


def may_hold_secret(endpoint: str) -> str:
    """Return what is wrong with an endpoint that must not even be quoted; "" = nothing."""
    if "@" in endpoint:
        return "credentials stand in it; put them into headers"
    if "?" in endpoint or "#" in endpoint:
        return "there is more in it than host, port and path; put keys into headers"
    return ""


def target_faults(config: Config) -> Iterator[str]:
    """Find targets that cannot be meant."""
    known: dict[str, OtlpTargetConfig] = {}
    for number, target in enumerate(config.sinks.otlp):
        key = f"sinks.otlp[{number}]"
        try:
            address = address_of(target, key)
        except ConfigError as error:
            yield str(error)
            return
        known[key] = target
        yield from _tls_faults(target.tls, address, f"{key}.tls")
        yield from _header_faults(target, f"{key}.headers")
        if target.retry.max_interval < target.retry.initial_interval:
            yield f"{key}.retry.max_interval: it is less than initial_interval"
        yield from _loops(config, address, key)
    for (first, x), (second, y) in combinations(known.items(), 2):
        if x.mode == y.mode and is_same_place(x, y):
            yield (
                f"{second}: it sends the same to {y.endpoint} as {first}, so everything would "
                "arrive twice; take one out"
            )


def is_same_place(one: OtlpTargetConfig, other: OtlpTargetConfig) -> bool:
    """Whether two targets send to one endpoint, with the same headers; raises ConfigError."""
    a, b = ((address_of(t, "sinks.otlp"), t.protocol, t.headers) for t in (one, other))
    return a == b


def target_names(targets: Sequence[OtlpTargetConfig]) -> tuple[str, ...]:
    """Return a name for each target, its endpoint: `HOST:PORT`, the second one `HOST:PORT#2`."""
    names: list[str] = []
    for target in targets:
        count = sum(target.endpoint == other.endpoint for other in targets[: len(names)])
        names.append(f"{target.endpoint}#{count + 1}" if count else target.endpoint)
    return tuple(names)


def unreadable_target_files(config: Config) -> Iterator[str]:
    """Find files of keys and certificates that cannot be read on this machine."""
    for number, target in enumerate(config.sinks.otlp):
        names = ("ca_file", "cert_file", "key_file")
        yield from unreadable(
            {f"sinks.otlp[{number}].tls.{name}": getattr(target.tls, name) for name in names}
        )


def _loops(config: Config, address: Address, key: str) -> Iterator[str]:
    for listener in listeners(config):
        if listener.enabled and overlap(listener.endpoint, Endpoint(address.authority)):
            local = Endpoint(address.authority).is_loopback or address.host in _ANY
            if local or listener.endpoint.host == address.host:
                yield (
                    f"{key}.endpoint: {address.authority} is {listener.key}.endpoint of this "
                    "service, which would send to itself"
                )


def _of_url(target: OtlpTargetConfig, where: str) -> Address:
    url = _split(target.endpoint, target.endpoint, where)
    if url.scheme not in _DEFAULT_PORTS:
        raise ConfigError(f"{where}: {url.scheme}:// is not known; write http:// or https://")
    path = url.path.rstrip("/")
    if _SIGNAL_PATH.search(path):
        added = path[path.rindex("/v1/") :]
        raise ConfigError(f"{where}: {target.endpoint}: {added} is added to it; leave it out")
    default = _DEFAULT_PORTS[url.scheme]
    if target.protocol == "grpc":
        default = _GRPC_PORT
        if path:
            raise ConfigError(f"{where}: {target.endpoint}: gRPC has no path; did you mean http?")
    is_tls = url.scheme == "https"
    if target.tls.insecure is not None and target.tls.insecure == is_tls:
        insecure = str(target.tls.insecure).lower()
        raise ConfigError(
            f"{where}: {url.scheme}:// and tls.insecure: {insecure} contradict each other"
        )
    return Address(url.hostname or "", url.port or default, is_tls, path)


def _split(text: str, given: str, where: str) -> SplitResult:
    try:
        url = urlsplit(text)
        fault = "" if url.hostname and url.port != 0 else "it names no host and port"
    except ValueError as error:
        raise ConfigError(f"{where}: {given!r}: {error}") from error
    if re.search(r"[\s\x00-\x1f\x7f]", text):
        fault = "there is more in it than host, port and path"
    if fault:
        raise ConfigError(f"{where}: {given!r}: {fault}")
    return url


def _is_plain(tls: OtlpTargetTlsConfig, endpoint: str) -> bool:
    if tls.insecure is not None:
        return tls.insecure
    return Endpoint(endpoint).is_loopback and tls == OtlpTargetTlsConfig()


def _tls_faults(tls: OtlpTargetTlsConfig, address: Address, key: str) -> Iterator[str]:
    for name in ("ca_file", "cert_file", "key_file", "server_name"):
        if getattr(tls, name) is not None and not address.is_tls:
            yield f"{key}.{name}: {address.authority} is reached in plain text, without TLS"
    if tls.cert_file is None and tls.key_file is not None:
        yield f"{key}.key_file: it needs {key}.cert_file, the certificate of that key"
    if tls.cert_file is not None and tls.key_file is None:
        yield f"{key}.cert_file: it needs {key}.key_file, the key of that certificate"


def _header_faults(target: OtlpTargetConfig, key: str) -> Iterator[str]:
    for name, value in target.headers.items():
        lower = name.lower()
        if not _HEADER_NAME.fullmatch(name):
            yield f"{key}: {name!r} is no name of a header"
        elif lower in _OUR_HEADERS or lower.startswith("grpc-"):
            yield f"{key}.{name}: it belongs to the protocol; take it out"
        elif target.protocol == "grpc" and lower.endswith("-bin"):
            yield f"{key}.{name}: binary headers (-bin) are not supported"
        elif not _HEADER_VALUE.fullmatch(value.reveal()):
            yield f"{key}.{name}: its value has characters that no header may have"
    names = [name.lower() for name in target.headers]
    for name in {name for name in names if names.count(name) > 1}:
        yield f"{key}.{name}: it stands there twice, in different case"
