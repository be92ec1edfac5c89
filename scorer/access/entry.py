"""Who may use one endpoint: its tokens and certificates, which follow their files."""

import asyncio
from collections.abc import Iterable, Sequence

from scorer.access.certificates import ServerTls, server_tls
from scorer.access.tokens import Door, door
from scorer.config import AuthConfig, TlsConfig

_RELOAD_S = 1.0


class Entry:
    """The door of an endpoint, and its TLS (None = it speaks plainly).

    `key` is the path of its section in the configuration, for errors.
    """

    def __init__(self, tls: TlsConfig, auth: AuthConfig, key: str) -> None:
        """Read the files of tokens and certificates; raises ConfigError."""
        self._door: Door = door(auth, f"{key}.auth")
        self.tls: ServerTls | None = server_tls(tls, f"{key}.tls")

    @property
    def asks_for_names(self) -> bool:
        """Whether only some names of client certificates may enter."""
        return self.tls is not None and bool(self.tls.names)

    def require_name(self, names: Iterable[str]) -> None:
        """Check the names of a client certificate.

        Raises:
            ForbiddenError: They are not among those that may enter.
        """
        if self.tls is not None:
            self.tls.require_name(names)

    def tenant_of(self, authorizations: Sequence[str | bytes]) -> str:
        """Return the tenant that sent these `authorization` headers; "" = none.

        Raises:
            UnauthenticatedError: There is not one of them, or its token is not known.
        """
        return self._door.tenant_of(authorizations[0] if len(authorizations) == 1 else None)

    async def keep_current(self) -> None:
        """Follow changes of the files, every second until cancelled."""
        while True:
            await asyncio.sleep(_RELOAD_S)
            self.reload()

    def reload(self) -> None:
        """Read files of tokens and certificates that have changed.

        What has become wrong is logged, and what was read before stays in force.
        """
        self._door.reload()
        if self.tls is not None:
            self.tls.reload()
