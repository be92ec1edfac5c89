"""How the demo gets into its own service: over TLS, and with a token, if it asks for them."""

import grpc
import grpc.aio

from scorer.access.certificates import server_tls
from scorer.access.files import read_file
from scorer.access.tokens import read_tokens
from scorer.config import AuthConfig, Config, GrpcConfig
from scorer.errors import ConfigError

_SECTION = "receivers.otlp.grpc"


def require_feedable(config: Config) -> None:
    """Check that the demo can send to a service of this configuration; raises ConfigError."""
    receiver = config.receivers.otlp.grpc
    if not receiver.enabled:
        raise ConfigError(f"--demo sends over OTLP/gRPC: set {_SECTION}.enabled: true")
    if receiver.tls.client_ca_file is not None:
        raise ConfigError(
            f"--demo has no client certificate to show: leave {_SECTION}.tls.client_ca_file out"
        )
    first_token(receiver.auth)
    _own_name(receiver)


def open_channel(address: tuple[str, int], receiver: GrpcConfig) -> grpc.aio.Channel:
    """Return a channel to the receiver at this address; raises ConfigError."""
    host, port = address
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    name = _own_name(receiver)
    if name is None:
        return grpc.aio.insecure_channel(target)
    # The certificate is trusted for what it is; its name need not be the address.
    roots = read_file(str(receiver.tls.cert_file), f"{_SECTION}.tls.cert_file")
    options = [("grpc.ssl_target_name_override", name)]
    return grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(roots), options)


def _own_name(receiver: GrpcConfig) -> str | None:
    """Return a name that the receiver's certificate is for, None if it has no TLS."""
    tls = server_tls(receiver.tls, f"{_SECTION}.tls")
    if tls is None:
        return None
    if not tls.own_names:
        raise ConfigError(
            f"--demo cannot trust {receiver.tls.cert_file}: the certificate has no name (SAN), "
            "or is not valid today"
        )
    return tls.own_names[0].replace("*", "demo")


def first_token(auth: AuthConfig) -> str | None:
    """Return the first token of the receiver's file, None if it wants none; raises ConfigError."""
    if auth.bearer_tokens_file is None:
        return None
    return read_tokens(auth.bearer_tokens_file, f"{_SECTION}.auth.bearer_tokens_file")[0].token
