"""Listening for HTTP with a bounded number of connections."""

import asyncio
import ssl
from typing import Final, cast

from aiohttp import web

from scorer.config import Endpoint

MAX_CONNECTIONS: Final = 200
"""Far more than scrapers and people need; what comes on top is hung up on."""

TLS_TIMEOUT_S: Final = 5.0
"""Longest time for the handshake of a connection, and for its farewell."""


async def listen(
    server: web.Server, endpoint: Endpoint, context: ssl.SSLContext | None
) -> asyncio.Server:
    """Listen for `server`; raises OSError."""
    timeout = None if context is None else TLS_TIMEOUT_S
    return await asyncio.get_running_loop().create_server(
        lambda: _Doorkeeper(server),
        endpoint.host,
        endpoint.port,
        ssl=context,
        ssl_handshake_timeout=timeout,
        ssl_shutdown_timeout=timeout,
    )


class _Doorkeeper(asyncio.Protocol):
    """Hands a new connection to the server, unless it has as many as it may have."""

    def __init__(self, server: web.Server) -> None:
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, for what uvloop passes here with TLS is a transport, but not of that class.
        connection = cast("asyncio.Transport", transport)
        open_ones = [one for one in self._server.connections if one.transport is not None]
        if len(open_ones) >= MAX_CONNECTIONS:
            open_ones[0].force_close()
        protocol = self._server()
        connection.set_protocol(protocol)
        protocol.connection_made(connection)
