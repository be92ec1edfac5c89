"""TLS of an endpoint: its own certificate, and those that clients must show.

What is checked by TLS itself (the chain of a client's certificate, its dates) is refused during
the handshake. The names in it are checked at each request by `ServerTls.require_name`, since
gRPC has no other place for that.
"""

import logging
import ssl
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import grpc

from scorer.access.files import Reread, read_file, warn_if_others_can_read
from scorer.access.introduction import introduce
from scorer.access.names import canonical, shown
from scorer.config import TlsConfig, tls_faults
from scorer.errors import ConfigError, ForbiddenError

_log = logging.getLogger(__name__)


class _Files(NamedTuple):
    """What was made of one state of the files; all of it goes together."""

    context: ssl.SSLContext
    grpc: grpc.ServerCertificateConfiguration
    own_names: tuple[str, ...]


class ServerTls:
    """The TLS side of one endpoint; `key` is the path of its section in the configuration.

    Connections made after `reload` see the newest files that are right: certificate, key and
    client CAs. Open connections stay as they are.
    """

    def __init__(self, config: TlsConfig, key: str) -> None:
        """Read the files.

        Raises:
            ConfigError: A file is missing or wrong, key and certificate do not go together, the
                key is encrypted, or a part of the section is missing.
        """
        for fault in tls_faults(config, key):
            raise ConfigError(fault)
        if config.cert_file is None or config.key_file is None:
            raise ConfigError(f"{key}.cert_file: it is not set; name a certificate chain (PEM)")
        self._key = key
        self._cert_file = config.cert_file
        self._key_file = config.key_file
        self._client_ca_file = config.client_ca_file
        self._client_names = frozenset(map(canonical, config.client_names))
        paths = [path for path in (self._cert_file, self._key_file, self._client_ca_file) if path]
        self._files = Reread(paths, self._read, f"{key}: {self._cert_file}")

    @property
    def names(self) -> frozenset[str]:
        """The names (SAN) of the clients that may enter; empty = `require_name` lets all in."""
        return self._client_names

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names (SAN) in the server's own certificate; empty when it is not valid today."""
        return self._files.newest.own_names

    def grpc_credentials(self) -> grpc.ServerCredentials:
        """Return credentials for a port of a gRPC server."""
        return grpc.dynamic_ssl_server_credentials(
            self._files.newest.grpc,
            # At every handshake, also when nothing has changed: gRPC keeps what it got per
            # port, and making its context anew is not measurable beside the handshake.
            lambda: self._files.newest.grpc,
            require_client_authentication=self._client_ca_file is not None,
        )

    def ssl_context(self) -> ssl.SSLContext:
        """Return a context for a listening socket of asyncio."""
        return _NewestContext(self._files)

    def reload(self) -> None:
        """Read the files again when one has changed; wrong ones are logged and not used."""
        self._files.reload()

    def require_name(self, names: Iterable[str]) -> None:
        """Check the names (SAN) in a client's certificate against `client_names`.

        Raises:
            ForbiddenError: There are `client_names`, and none of them is among `names`.
        """
        if not self._client_names:
            return
        given = list(names)
        if self._client_names.isdisjoint(map(canonical, given)):
            raise ForbiddenError(
                f"the client certificate is for {shown(given)}, which may not enter here "
                f"({self._key}.client_names)"
            )

    def _read(self) -> _Files:
        chain = read_file(self._cert_file, f"{self._key}.cert_file")
        private_key = read_file(self._key_file, f"{self._key}.key_file")
        self._require_pem(chain, private_key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION
        self._load_pair(context)
        client_cas = self._load_client_cas(context)
        fault, own_names = introduce(context, chain)
        if fault:
            where = f"{self._key}.cert_file: {self._cert_file}"
            _log.warning("%s: clients will refuse it: %s", where, fault)
        warn_if_others_can_read(self._key_file, f"{self._key}.key_file")
        pair = (private_key, chain)
        return _Files(
            context, grpc.ssl_server_certificate_configuration([pair], client_cas), own_names
        )

    def _require_pem(self, chain: bytes, private_key: bytes) -> None:
        if b"-----BEGIN CERTIFICATE-----" not in chain:
            raise ConfigError(
                f"{self._key}.cert_file: {self._cert_file} holds no certificate in PEM"
            )
        if b"PRIVATE KEY-----" not in private_key:
            raise ConfigError(f"{self._key}.key_file: {self._key_file} holds no private key in PEM")

    def _load_pair(self, context: ssl.SSLContext) -> None:
        try:
            # Without a password function OpenSSL would ask for it on the terminal.
            context.load_cert_chain(self._cert_file, self._key_file, self._refuse_encrypted)
        except OSError as error:
            if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
                raise ConfigError(
                    f"{self._key}.key_file: {self._key_file} is not the key of "
                    f"{self._cert_file}; name the two that belong together"
                ) from error
            raise ConfigError(
                f"{self._key}: {self._cert_file} and {self._key_file} cannot be used: "
                f"{_reason(error)}"
            ) from error

    def _refuse_encrypted(self) -> str:
        raise ConfigError(
            f"{self._key}.key_file: {self._key_file} is encrypted; name a key without a "
            "passphrase, which only its owner can read"
        )

    def _load_client_cas(self, context: ssl.SSLContext) -> bytes | None:
        path = self._client_ca_file
        if path is None:
            return None
        client_cas = read_file(path, f"{self._key}.client_ca_file")
        try:
            context.load_verify_locations(path)
        except OSError as error:
            raise ConfigError(
                f"{self._key}.client_ca_file: {path} holds no certificates in PEM: {_reason(error)}"
            ) from error
        context.verify_mode = ssl.CERT_REQUIRED
        return client_cas


class _NewestContext(ssl.SSLContext):
    """Hands every connection to the context of the newest files.

    asyncio keeps one context for as long as it listens, and a context cannot forget a CA. A
    new context for new files has new ticket keys and an empty session cache too, so that nobody
    resumes a session that was verified by a CA that is no longer trusted. Were this class
    bypassed, it would fail safely: it has no certificate itself.
    """

    def __new__(cls, _files: Reread[_Files]) -> Self:
        return super().__new__(cls, ssl.PROTOCOL_TLS_SERVER)

    def __init__(self, files: Reread[_Files]) -> None:
        self._files = files

    def wrap_bio(self, *args: Any, **options: Any) -> ssl.SSLObject:
        return self._files.newest.context.wrap_bio(*args, **options)

    def wrap_socket(self, *args: Any, **options: Any) -> ssl.SSLSocket:
        return self._files.newest.context.wrap_socket(*args, **options)


def server_tls(config: TlsConfig, key: str) -> ServerTls | None:
    """Return the TLS that a section asks for, None when it asks for none; raises ConfigError.

    `key` is the path of the section in the configuration, such as `web.tls`.
    """
    return None if config == TlsConfig() else ServerTls(config, key)


def _reason(error: OSError) -> str:
    reason = getattr(error, "reason", None)
    return str(reason).replace("_", " ").lower() if reason else str(error.strerror or error)
