"""An HTTP server with a bound on its connections.

A connection over the bound takes the place of the one that has been without a request for
longest: whoever only holds connections open cannot keep others out. When every connection is
busy with a request, the new one is closed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from aiohttp.http import RawRequestMessage
from aiohttp.web_protocol import RequestHandler

from scorer.otlp.responses import status_response

_INVALID_ARGUMENT = 3


class _Connection(RequestHandler):
    """A connection that tells a handler when the rest of its body is no HTTP.

    aiohttp would answer that after the handler, which waits for the body until its time is up.
    """

    def handle_error(self, *_: object, **__: object) -> web.StreamResponse:
        """Answer what is no HTTP; aiohttp's own answer and log quote it, tokens and all."""
        body = status_response(_INVALID_ARGUMENT, "this is no HTTP request", as_json=True)
        response = web.Response(status=400, body=body, content_type="application/json")
        response.force_close()
        return response

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        request = self._current_request
        if request is None or not self._messages:
            return
        if not isinstance(self._messages[-1][0], RawRequestMessage):
            request.content.set_exception(web.RequestPayloadError("what follows is no HTTP"))


class BoundedServer(web.Server):
    """aiohttp's server with at most `max_connections`; `on_closed` hears of each closed one."""

    def __init__(
        self,
        handle: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
        *,
        max_connections: int,
        on_closed: Callable[[], None],
        **settings: Any,
    ) -> None:
        super().__init__(self._serve, **settings)
        self._handle = handle
        self._settings = settings
        self._max_connections = max_connections
        self._on_closed = on_closed
        self._transports: dict[RequestHandler, asyncio.Transport] = {}
        self._idle: dict[RequestHandler, None] = {}  # the one idle for longest comes first

    def __call__(self) -> RequestHandler:
        """Return the protocol of a new connection; called by asyncio."""
        return _Connection(self, loop=asyncio.get_running_loop(), **self._settings)

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """Take a connection in; called by aiohttp."""
        super().connection_made(handler, transport)
        self._transports[handler] = transport
        self._idle[handler] = None
        if len(self._transports) > self._max_connections:
            self._drop(next(iter(self._idle)))

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        """Forget a connection; called by aiohttp."""
        self._transports.pop(handler, None)
        self._idle.pop(handler, None)
        super().connection_lost(handler, exc)

    def _drop(self, handler: RequestHandler) -> None:
        self._idle.pop(handler)
        self._transports.pop(handler).abort()
        self._on_closed()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        handler = request.protocol
        self._idle.pop(handler, None)
        try:
            return await self._handle(request)
        finally:
            if handler in self._transports:
                self._idle[handler] = None
