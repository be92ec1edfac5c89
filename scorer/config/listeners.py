"""What the configuration says of the places where Spanscore listens."""

import os
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from scorer.config.quantities import Endpoint
from scorer.config.tree import (
    AuthConfig,
    Config,
    GrpcConfig,
    HttpConfig,
    TlsConfig,
    WebConfig,
)

_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not listened on
_SAME = {"localhost": "127.0.0.1"}


class Listener(NamedTuple):
    """One place to listen; `key` is the path of its section."""

    key: str
    enabled: bool
    endpoint: Endpoint
    tls: TlsConfig
    auth: AuthConfig
    insecure: bool

    @property
    def is_encrypted(self) -> bool:
        """Whether it speaks TLS."""
        return self.tls.cert_file is not None

    @property
    def knows_its_clients(self) -> bool:
        """Whether clients must show a token or a certificate."""
        return self.auth.bearer_tokens_file is not None or self.tls.client_ca_file is not None


def listeners(config: Config) -> tuple[Listener, ...]:
    """Return all of them, those that are not enabled too."""
    grpc, http, web = config.receivers.otlp.grpc, config.receivers.otlp.http, config.web
    return (
        _listener("receivers.otlp.grpc", grpc, grpc.enabled),
        _listener("receivers.otlp.http", http, http.enabled),
        _listener("web", web, True),
    )


def _listener(key: str, section: GrpcConfig | HttpConfig | WebConfig, enabled: bool) -> Listener:
    endpoint, insecure = section.endpoint, section.insecure
    return Listener(key, enabled, endpoint, section.tls, section.auth, insecure)


def exposed(config: Config) -> Iterator[str]:
    """Find what other machines could use without TLS, or without saying who they are."""
    for listener in listeners(config):
        if listener.endpoint.is_loopback or listener.insecure:
            continue
        key, lacking, remedies = listener.key, [], []
        if not listener.is_encrypted:
            lacking.append("without TLS")
            remedies.append(f"{key}.tls.cert_file")
        if not listener.knows_its_clients:
            lacking.append("without authentication")
            remedies.append(f"{key}.auth.bearer_tokens_file (or {key}.tls.client_ca_file)")
        if lacking:
            yield (
                f"{key}.endpoint: {listener.endpoint} can be reached from other machines "
                f"{' and '.join(lacking)}; set {' and '.join(remedies)}, or "
                f"{key}.insecure: true if that is meant"
            )


def incomplete_tls(config: Config) -> Iterator[str]:
    """Find sections of TLS that lack a part."""
    for listener in listeners(config):
        yield from tls_faults(listener.tls, f"{listener.key}.tls")


def tls_faults(tls: TlsConfig, key: str) -> Iterator[str]:
    """Find what is missing in one section; `key` is its path."""
    if tls.cert_file is None and tls.key_file is not None:
        yield f"{key}.key_file: it needs {key}.cert_file, the certificate of that key"
    if tls.cert_file is not None and tls.key_file is None:
        yield f"{key}.cert_file: it needs {key}.key_file, the key of that certificate"
    if tls.cert_file is None and tls.client_ca_file is not None:
        yield f"{key}.client_ca_file: it needs {key}.cert_file: client certificates come with TLS"
    if tls.client_ca_file is None and tls.client_names:
        yield (
            f"{key}.client_names: it needs {key}.client_ca_file: only names that a CA vouches for "
            "are compared"
        )


def shared_addresses(config: Config) -> Iterator[str]:
    """Find two that would listen at the same place."""
    web_first = sorted(listeners(config), key=lambda listener: listener.key != "web")
    enabled = [listener for listener in web_first if listener.enabled]
    for first, second in combinations(enabled, 2):
        if overlap(first.endpoint, second.endpoint):
            yield (
                f"{second.key}.endpoint: {second.endpoint} is already taken by "
                f"{first.key}.endpoint ({first.endpoint}); give each its own port"
            )


def unreadable_files(config: Config) -> Iterator[str]:
    """Find files of tokens, keys and certificates that cannot be read on this machine."""
    for listener in listeners(config):
        tls, key = listener.tls, listener.key
        files = {
            f"{key}.tls.cert_file": tls.cert_file,
            f"{key}.tls.key_file": tls.key_file,
            f"{key}.tls.client_ca_file": tls.client_ca_file,
            f"{key}.auth.bearer_tokens_file": listener.auth.bearer_tokens_file,
        }
        if listener.enabled:
            yield from unreadable(files)


def unreadable(files: Mapping[str, str | None]) -> Iterator[str]:
    """Find files that cannot be read; the keys say where they are named, None = not at all."""
    for where, path in files.items():
        if path is None:
            continue
        if not Path(path).is_file():
            yield f"{where}: there is no file {path!r}; name one, or leave the key out"
        elif not os.access(path, os.R_OK):
            yield f"{where}: {path} cannot be read by this user; change its rights"


def overlap(first: Endpoint, second: Endpoint) -> bool:
    """Whether two endpoints may be the same place; hosts are compared by their names."""
    if first.port != second.port or first.port == 0:
        return False
    hosts = {_SAME.get(endpoint.host, endpoint.host) for endpoint in (first, second)}
    return len(hosts) == 1 or bool(hosts & _WILDCARDS)
