"""TLS of a connection that we open: whom we trust, and what we show."""

import ssl
from typing import NamedTuple

import grpc

from scorer.access.files import Reread, read_file, warn_if_others_can_read
from scorer.config import OtlpTargetTlsConfig
from scorer.errors import ConfigError


class ClientFiles(NamedTuple):
    """What was made of one state of the files."""

    context: ssl.SSLContext
    grpc: grpc.ChannelCredentials


class ClientTls:
    """The TLS side of one target; `key` is the path of its section in the configuration."""

    def __init__(self, config: OtlpTargetTlsConfig, key: str) -> None:
        """Read the files.

        Raises:
            ConfigError: A file is missing or wrong, key and certificate do not go together, or
                the key is encrypted.
        """
        self._config = config
        self._key = key
        named = (config.ca_file, config.cert_file, config.key_file)
        self._files = Reread([path for path in named if path], self._read, key)

    @property
    def files(self) -> ClientFiles:
        """The newest files that are right."""
        return self._files.newest

    def reload(self) -> None:
        """Read the files again when one has changed; wrong ones are logged and not used."""
        self._files.reload()

    def _read(self) -> ClientFiles:
        config = self._config
        context = ssl.create_default_context()
        ca = chain = private_key = None
        if config.ca_file is not None:
            # Only these: a CA that is named is meant to be the one.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            ca = self._load_ca(context, config.ca_file)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if config.cert_file is not None and config.key_file is not None:
            chain = read_file(config.cert_file, f"{self._key}.cert_file")
            private_key = read_file(config.key_file, f"{self._key}.key_file")
            self._load_pair(context, config.cert_file, config.key_file)
            warn_if_others_can_read(config.key_file, f"{self._key}.key_file")
        return ClientFiles(context, grpc.ssl_channel_credentials(ca, private_key, chain))

    def _load_ca(self, context: ssl.SSLContext, path: str) -> bytes:
        ca = read_file(path, f"{self._key}.ca_file")
        try:
            context.load_verify_locations(path)
        except OSError as error:
            raise ConfigError(
                f"{self._key}.ca_file: {path} holds no certificates in PEM"
            ) from error
        return ca

    def _load_pair(self, context: ssl.SSLContext, cert_file: str, key_file: str) -> None:
        try:
            # Without a password function OpenSSL would ask for it on the terminal.
            context.load_cert_chain(cert_file, key_file, self._refuse_encrypted)
        except OSError as error:
            raise ConfigError(
                f"{self._key}: {cert_file} and {key_file} cannot be used together: "
                f"{getattr(error, 'reason', None) or error.strerror or error}; name a "
                "certificate chain and its key, in PEM"
            ) from error

    def _refuse_encrypted(self) -> str:
        raise ConfigError(
            f"{self._key}.key_file: {self._config.key_file} is encrypted; name a key without a "
            "passphrase, which only its owner can read"
        )
