"""The HTTP server of the service: /metrics, health and the API of the decision log.

It answers GET with JSON (or the exposition formats); there is nothing to change through it,
nothing secret in it, and no debug page.
"""

import asyncio
import errno
import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from aiohttp import web
from msgspec import Struct

from scorer.config import Config
from scorer.errors import ConfigError
from scorer.telemetry import Telemetry
from scorer.web.recent import RecentTraces

_ROUTES = ("/metrics", "/healthz", "/readyz", "/api/v1/traces", "/api/v1/traces/<trace id>")
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}")
_DEFAULT_LIMIT = 100
_SHUTDOWN_SECONDS = 2.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Health(Struct, frozen=True):
    """Whether the receivers listen and the scoring workers are up."""

    listening: bool
    workers: bool

    @property
    def missing(self) -> dict[str, str]:
        """What is lacking to be ready: the part, and what is wrong with it."""
        parts = {}
        if not self.listening:
            parts["listening"] = "the receivers do not listen"
        if not self.workers:
            parts["workers"] = "the scoring workers are not up"
        return parts


class WebServer:
    """Serves at `web.endpoint`; `health` is asked on each `/readyz`."""

    def __init__(
        self,
        config: Config,
        telemetry: Telemetry,
        recent: RecentTraces,
        health: Callable[[], Health],
    ) -> None:
        self._endpoint = config.web.endpoint
        self._telemetry = telemetry
        self._recent = recent
        self._health = health
        # One scrape at a time, since each holds a copy of all series while it is rendered.
        self._scrape = asyncio.Lock()
        self._runner: web.AppRunner | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that it listens on; raises RuntimeError when it does not."""
        if self._runner is None:
            raise RuntimeError("the web server is not started")
        host, port = self._runner.addresses[0][:2]
        return host, port

    async def start(self) -> None:
        """Listen.

        Raises:
            ConfigError: the endpoint cannot be listened on.
        """
        runner = web.AppRunner(
            self._application(), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, self._endpoint.host, self._endpoint.port).start()
        except OSError as error:
            await runner.cleanup()
            in_use = error.errno == errno.EADDRINUSE
            why = "the port is in use" if in_use else error.strerror
            raise ConfigError(
                f"web.endpoint: cannot listen on {self._endpoint}: {why}; "
                "choose another with --set web.endpoint=HOST:PORT"
            ) from error
        self._runner = runner

    async def stop(self) -> None:
        """Stop listening and end open requests; safe to call twice or without a start."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[_speak_json])
        application.add_routes(
            [
                web.get("/metrics", self._metrics),
                web.get("/healthz", _alive),
                web.get("/readyz", self._ready),
                web.get("/api/v1/traces", self._traces),
                web.get("/api/v1/traces/{trace_id}", self._trace),
            ]
        )
        return application

    async def _metrics(self, request: web.Request) -> web.Response:
        async with self._scrape:
            # The snapshot is taken between two events, so that its counters balance; only
            # the rendering, which is the longer part, leaves the loop.
            snapshot = self._telemetry.snapshot()
            accept = ",".join(request.headers.getall("Accept", []))
            body, content_type = await asyncio.to_thread(snapshot.render, accept)
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def _ready(self, _: web.Request) -> web.Response:
        missing = self._health().missing
        if missing:
            return _json({"status": "not ready", "missing": missing}, status=503)
        return _json({"status": "ready"})

    async def _traces(self, request: web.Request) -> web.Response:
        text = request.query.get("limit", str(min(_DEFAULT_LIMIT, self._recent.limit)))
        limit = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0
        if not 1 <= limit <= self._recent.limit:
            return _json({"error": f"limit is a number from 1 to {self._recent.limit}"}, status=400)
        return _json({"traces": self._recent.latest(limit)})

    async def _trace(self, request: web.Request) -> web.Response:
        text = request.match_info["trace_id"]
        if not _TRACE_ID.fullmatch(text):
            return _json({"error": "a trace id is 32 hexadecimal digits"}, status=400)
        trace_id = text.lower()
        document = self._recent.find(trace_id, request.query.get("tenant", ""))
        if document is None:
            return _json(self._unknown(trace_id), status=404)
        return _json(document)

    def _unknown(self, trace_id: str) -> dict[str, Any]:
        return {
            "error": f"trace {trace_id} is not known here",
            "hint": "no span of it arrived, or it was finished before the last "
            f"{self._recent.limit} traces (web.recent_traces), or before the last start",
        }


async def _alive(_: web.Request) -> web.Response:
    return _json({"status": "alive"})


@web.middleware
async def _speak_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer errors in JSON too, and let nobody guess types or keep copies."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        response = _json({"error": error.reason, "routes": _ROUTES}, status=error.status)
        if "Allow" in error.headers:
            response.headers["Allow"] = error.headers["Allow"]
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response


def _json(data: Any, *, status: int = 200) -> web.Response:
    body = msgspec.json.encode(data)
    return web.Response(body=body, status=status, content_type="application/json")
