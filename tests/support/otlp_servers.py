"""Real OTLP servers that answer what a test tells them to; both have the same face."""

import asyncio
import ssl
from collections import deque
from contextlib import suppress
from typing import NamedTuple

import grpc
import grpc.aio
from aiohttp import web
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from scorer.otlp.responses import export_response

SERVICES = {"trace": "traces", "logs": "logs", "metrics": "metrics"}
CODES = {code.name: code for code in grpc.StatusCode}


async def until(condition):
    """Wait until something is so."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


class Seen(NamedTuple):
    """A request as it came in; header names are in lower case."""

    signal: str
    body: bytes
    headers: dict


class Answer(NamedTuple):
    """What a server says; `code` is a gRPC status, `status` an HTTP one."""

    code: str = "OK"
    status: int = 200
    text: str = ""
    rejected: int = 0
    after_s: float | None = None
    delay_s: float = 0
    trailers: tuple = ()
    headers: tuple = ()
    body: bytes | None = None
    type: str = "application/x-protobuf"


OK = Answer()
UNAVAILABLE = Answer("UNAVAILABLE", 503, "come back")
THROTTLED = Answer("UNAVAILABLE", 503, "come back", after_s=7)
EXHAUSTED = Answer("RESOURCE_EXHAUSTED", 429, "quota")
EXHAUSTED_FOR = Answer("RESOURCE_EXHAUSTED", 429, "quota", after_s=3)
INVALID = Answer("INVALID_ARGUMENT", 400, "no such thing")
UNKNOWN_SIGNAL = Answer("UNIMPLEMENTED", 404, "no logs here")
NO_ACCESS = Answer("UNAUTHENTICATED", 401, "who are you")


class _Server:
    """Keeps requests and answers; the last answer stands for all that follow."""

    def __init__(self):
        self.seen = []
        self.answers = deque([OK])
        self.port = 0
        self._stopping = asyncio.Event()

    def will_say(self, *answers):
        self.answers = deque(answers)

    def bodies(self, signal="traces"):
        return [seen.body for seen in self.seen if seen.signal == signal]

    async def _answer(self, seen):
        self.seen.append(seen)
        answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), answer.delay_s)
        return answer


class GrpcServer(_Server, grpc.GenericRpcHandler):
    """An OTLP/gRPC server; `authority` and `pair` make it speak TLS."""

    def __init__(self, pair=None, client_ca=None):
        super().__init__()
        self._pair, self._client_ca = pair, client_ca
        self._server = None

    async def start(self, port=0):
        self._stopping.clear()
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers([self])
        place = f"127.0.0.1:{port}"
        if self._pair is None:
            self.port = self._server.add_insecure_port(place)
        else:
            credentials = grpc.ssl_server_credentials(
                [(self._pair.key, self._pair.cert)], self._client_ca, self._client_ca is not None
            )
            self.port = self._server.add_secure_port(place, credentials)
        await self._server.start()

    async def stop(self):
        await self._server.stop(0)

    def service(self, details):
        signal = SERVICES[details.method.split(".")[3]]
        headers = dict(details.invocation_metadata)

        async def export(body, context):
            answer = await self._answer(Seen(signal, body, headers))
            if answer.code == "OK":
                return _response(answer, signal)
            return await context.abort(CODES[answer.code], answer.text, _trailers(answer))

        return grpc.unary_unary_rpc_method_handler(export)


class HttpServer(_Server):
    """An OTLP/HTTP server."""

    def __init__(self, pair=None, client_ca=None):
        super().__init__()
        self._pair, self._client_ca = pair, client_ca
        self._runner = None

    async def start(self, port=0):
        self._stopping.clear()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/{signal}", self._export)
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=self._context())
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self):
        self._stopping.set()
        await self._runner.cleanup()

    def _context(self):
        if self._pair is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._pair.cert_file, self._pair.key_file)
        if self._client_ca is not None:
            context.load_verify_locations(cadata=self._client_ca.decode())
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    async def _export(self, request):
        signal = request.match_info["signal"]
        headers = {name.lower(): value for name, value in request.headers.items()}
        # aiohttp has taken off the encoding that the headers name.
        answer = await self._answer(Seen(signal, await request.read(), headers))
        if self._stopping.is_set():
            request.transport.abort()
        extra = dict(answer.headers)
        if answer.after_s is not None:
            extra["Retry-After"] = str(answer.after_s)
        if answer.status == 200:
            body = _response(answer, signal)
        else:
            body = status_pb2.Status(message=answer.text).SerializeToString()
        return web.Response(
            status=answer.status, body=body, headers=extra, content_type=answer.type
        )


def _response(answer, signal):
    if answer.body is not None:
        return answer.body
    return export_response(signal, rejected=answer.rejected, message=answer.text)


def _trailers(answer):
    if answer.after_s is None:
        return answer.trailers
    delay = Duration()
    delay.FromNanoseconds(round(answer.after_s * 1e9))
    status = status_pb2.Status(code=8)
    status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return (("grpc-status-details-bin", status.SerializeToString()), *answer.trailers)
