"""The HTTP server of the service: /metrics, health and the API of the decision log.

It answers GET with JSON (or the exposition formats); there is nothing to change through it,
nothing secret in it, and no debug page. A token that names a tenant sees the traces of that
tenant and nothing else.
"""

import asyncio
import errno
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from aiohttp import web
from msgspec import Struct

from scorer.access.entry import Entry
from scorer.config import Config
from scorer.errors import ConfigError, ForbiddenError, UnauthenticatedError
from scorer.telemetry import Telemetry
from scorer.web.entry import admit, require_all_tenants, tenant_of
from scorer.web.listen import listen
from scorer.web.recent import RecentTraces

_ROUTES = ("/metrics", "/healthz", "/readyz", "/api/v1/traces", "/api/v1/traces/<trace id>")
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}")
_DEFAULT_LIMIT = 100
_SHUTDOWN_SECONDS = 2.0
# For a new connection until its first head is there, and for an idle one.
_IDLE_SECONDS = 30.0
# A body that nobody asked for is read and dropped for this long.
_LINGER_SECONDS = 1.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


# aiohttp logs, with the bytes, what is no HTTP: anybody can send that, and it may hold a token.
_wire_log = logging.getLogger(f"{__name__}.wire")
_wire_log.setLevel(logging.CRITICAL)


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
    """Serves at `web.endpoint`; `health` is asked on each `/readyz`.

    Building one raises ConfigError for a file of tokens or certificates that is wrong.
    """

    def __init__(
        self,
        config: Config,
        telemetry: Telemetry,
        recent: RecentTraces,
        health: Callable[[], Health],
    ) -> None:
        self._endpoint = config.web.endpoint
        self._entry = Entry(config.web.tls, config.web.auth, "web")
        self._telemetry = telemetry
        self._recent = recent
        self._health = health
        # One scrape at a time, since each holds a copy of all series while it is rendered.
        self._scrape = asyncio.Lock()
        self._runner: web.AppRunner | None = None
        self._listening: asyncio.Server | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that it listens on; raises RuntimeError when it does not."""
        if self._listening is None:
            raise RuntimeError("the web server is not started")
        host, port = self._listening.sockets[0].getsockname()[:2]
        return host, port

    async def start(self) -> None:
        """Listen.

        Raises:
            ConfigError: the endpoint cannot be listened on.
        """
        runner = web.AppRunner(
            self._application(),
            access_log=None,
            logger=_wire_log,
            shutdown_timeout=_SHUTDOWN_SECONDS,
            keepalive_timeout=_IDLE_SECONDS,
            lingering_time=_LINGER_SECONDS,
        )
        await runner.setup()
        assert runner.server is not None
        tls = self._entry.tls
        context = None if tls is None else tls.ssl_context()
        try:
            self._listening = await listen(runner.server, self._endpoint, context)
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
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.close()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def reload(self) -> None:
        """Read files of tokens and certificates that have changed; called once a second.

        What has become wrong is logged, and what was read before stays in force.
        """
        self._entry.reload()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[_speak_json, self._admit])
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

    @web.middleware
    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        # The probes of an orchestrator have no token, and health tells nothing of any trace.
        if request.match_info.handler not in (_alive, self._ready):
            admit(request, self._entry)
        return await handler(request)

    async def _metrics(self, request: web.Request) -> web.Response:
        require_all_tenants(request)
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
        tenant = tenant_of(request)
        text = request.query.get("limit", str(min(_DEFAULT_LIMIT, self._recent.limit)))
        limit = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0
        if not 1 <= limit <= self._recent.limit:
            return _json({"error": f"limit is a number from 1 to {self._recent.limit}"}, status=400)
        return _json({"traces": self._recent.latest(limit, tenant)})

    async def _trace(self, request: web.Request) -> web.Response:
        tenant = tenant_of(request)
        text = request.match_info["trace_id"]
        if not _TRACE_ID.fullmatch(text):
            return _json({"error": "a trace id is 32 hexadecimal digits"}, status=400)
        trace_id = text.lower()
        document = self._recent.find(trace_id, tenant or "")
        if document is None:
            return _json(self._unknown(trace_id), status=404)
        return _json(document)

    def _unknown(self, trace_id: str) -> dict[str, Any]:
        return {
            "error": f"trace {trace_id} is not known here",
            "hint": "no span of it arrived, or it was finished before the last "
            f"{self._recent.limit} traces (web.recent_traces), or before the last start, or it is "
            "of a tenant that is not named (?tenant=, --tenant)",
        }


async def _alive(_: web.Request) -> web.Response:
    return _json({"status": "alive"})


@web.middleware
async def _speak_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer errors in JSON too, and let nobody guess types or keep copies."""
    try:
        response = await handler(request)
    except UnauthenticatedError as error:
        response = _json({"error": str(error)}, status=401)
        response.headers["WWW-Authenticate"] = "Bearer"
    except ForbiddenError as error:
        response = _json({"error": str(error)}, status=403)
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
