import asyncio
import socket
from contextlib import AsyncExitStack

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2, status_pb2
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from scorer.config import parse_config
from scorer.errors import ConfigError, PermanentError, RetryableError, TooLargeError
from scorer.otlp.split import split_traces
from scorer.receivers import otlp_grpc
from scorer.receivers.otlp_grpc import OtlpGrpcReceiver
from scorer.receivers.take import Accepted

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
MIB = 2**20
# An HTTP/2 preface, settings, and the headers of a call with the path "/" and a byte 0xff.
NOT_UTF8_CALL = (
    "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a00000004000000000000006001040000"
    "000100073a6d6574686f6404504f535400073a736368656d65046874747000053a70617468022fff"
    "000a3a617574686f726974790178000c636f6e74656e742d74797065106170706c69636174696f6e"
    "2f677270630002746508747261696c657273"
)


@pytest.fixture
async def start(start_receiver):
    async with AsyncExitStack() as stack:

        async def run(**settings):
            receiver = await start_receiver("otlp_grpc", **settings)
            target = f"127.0.0.1:{receiver.address[1]}"
            options = [("grpc.max_send_message_length", -1)]
            channel = grpc.aio.insecure_channel(target, options=options)
            await stack.enter_async_context(channel)
            return receiver, channel

        yield run


@pytest.fixture
async def channel(start):
    return (await start())[1]


async def call(channel, body, method=TRACES, **options):
    return await channel.unary_unary(method)(body, timeout=10, **options)


async def refused(channel, body, method=TRACES, **options):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(channel, body, method, **options)
    return caught.value


def trailer(error, key):
    return next((value for name, value in error.trailing_metadata() if name == key), None)


def status_of(error):
    return status_pb2.Status.FromString(trailer(error, "grpc-status-details-bin"))


def detail_of(status, kind):
    found = [detail for detail in status.details if detail.Is(kind.DESCRIPTOR)]
    message = kind()
    found[0].Unpack(message)
    return message


# g1, g2


@pytest.mark.parametrize("body", [b"", b"\x0a\x00", b"\x0a\x02\x12\x00"])
async def test_empty_requests_are_fine(channel, ingest, body):
    """No resources, no scopes and no spans are each a good request."""
    assert await call(channel, body) == b""
    assert ingest.of("traces") == [body]


async def test_a_taken_request_has_no_partial_success(channel, ingest, telemetry, traces_request):
    """When all is well `partial_success` is not there at all, and the body arrived unchanged."""
    body = traces_request.SerializeToString()
    answer = trace_service_pb2.ExportTraceServiceResponse.FromString(await call(channel, body))
    assert not answer.HasField("partial_success")
    assert ingest.of("traces") == [body]
    labels = {"receiver": "otlp_grpc", "signal": "traces", "code": "OK"}
    assert telemetry.value("spanscore_requests_total", **labels) == 1


# g3, g4


async def test_rejected_spans_are_told(channel, ingest):
    """What was not taken of a request is in `partial_success`, with the reason."""
    ingest.answer = Accepted(3, "no ids")
    answer = trace_service_pb2.ExportTraceServiceResponse.FromString(await call(channel, b""))
    assert answer.partial_success.rejected_spans == 3
    assert answer.partial_success.error_message == "no ids"


async def test_a_warning_is_told(channel, ingest):
    """A warning about a request that was taken whole has 0 rejected spans and a text."""
    ingest.answer = Accepted(0, "late")
    answer = trace_service_pb2.ExportTraceServiceResponse.FromString(await call(channel, b""))
    assert answer.partial_success.rejected_spans == 0
    assert answer.partial_success.error_message == "late"


# g5


async def test_garbage_is_an_invalid_argument(channel, telemetry):
    """Bytes that are no request are INVALID_ARGUMENT with BadRequest details."""
    error = await refused(channel, b"\xff\xff\xff garbage")
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    status = status_of(error)
    assert status.code == 3
    assert detail_of(status, error_details_pb2.BadRequest).field_violations
    assert trailer(error, "google.rpc.retryinfo-bin") is None
    assert telemetry.value("spanscore_requests_total", code="INVALID_ARGUMENT") == 1


@pytest.mark.parametrize("letter", ["x", "\N{PILE OF POO}", "\ud800"])
async def test_a_long_error_text_does_not_break_the_answer(channel, ingest, letter):
    """Trailers have a size limit of their own; the text is cut to fit whatever it is made of."""
    ingest.raises = PermanentError(letter * 100_000)
    error = await refused(channel, b"")
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert status_of(error).message


# g6


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
async def test_a_request_over_the_limit_is_resource_exhausted(start, ingest, compression):
    """Over the limit, plain or inflated, is RESOURCE_EXHAUSTED without a retry hint."""
    _, channel = await start(max_request_size="1MiB")
    error = await refused(channel, bytes(MIB + 1), compression=compression)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert trailer(error, "google.rpc.retryinfo-bin") is None
    assert not ingest.requests
    await call(channel, b"", compression=compression)


async def test_too_large_for_ingest_is_resource_exhausted(channel, ingest):
    """The same answer when the limit is one of ours."""
    ingest.raises = TooLargeError("over assembly.memory")
    error = await refused(channel, b"")
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert not status_of(error).details


async def test_the_default_limit_is_above_that_of_grpcio(channel, ingest, traces_request):
    """Requests above grpcio's own 4 MiB are taken."""
    traces_request.resource_spans[0].scope_spans[0].spans[0].name = "x" * (5 * MIB)
    body = traces_request.SerializeToString()
    assert await call(channel, body) == b""
    assert sum(len(split_traces(part).spans) for part in ingest.of("traces")) == 2


# g7, g17


async def test_overload_is_unavailable_with_a_hint_in_both_places(channel, ingest):
    """The standard place, and the one that the Python exporter reads, carry the same delay."""
    ingest.raises = RetryableError("full", retry_after_s=30)
    error = await refused(channel, b"")
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    info = detail_of(status_of(error), error_details_pb2.RetryInfo)
    bare = error_details_pb2.RetryInfo.FromString(trailer(error, "google.rpc.retryinfo-bin"))
    assert info == bare
    assert 1 <= info.retry_delay.ToNanoseconds() / 1e9 <= 2


async def test_a_fault_of_ours_is_unavailable(channel, ingest, telemetry):
    """An unexpected exception must not be UNKNOWN, on which clients drop the data."""
    ingest.raises = ZeroDivisionError("secret")
    error = await refused(channel, b"")
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert trailer(error, "google.rpc.retryinfo-bin") is not None
    assert "secret" not in error.details()
    assert telemetry.value("spanscore_receiver_faults_total", receiver="otlp_grpc") == 1


# g10


@pytest.mark.parametrize(
    "method",
    [
        "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
        "/opentelemetry.proto.collector.trace.v1.TraceService/Other",
    ],
)
async def test_other_services_and_methods_are_unimplemented(channel, method):
    """What we do not serve is UNIMPLEMENTED."""
    assert (await refused(channel, b"", method)).code() is grpc.StatusCode.UNIMPLEMENTED


async def test_logs_and_metrics_are_served(channel, ingest):
    """Logs and metrics have their services on the same port."""
    assert await call(channel, b"", LOGS) == b""
    assert await call(channel, b"", METRICS) == b""
    assert [request.signal for request in ingest.requests] == ["logs", "metrics"]
    ingest.answer = Accepted(1, "no log record")
    answer = logs_service_pb2.ExportLogsServiceResponse.FromString(await call(channel, b"", LOGS))
    assert answer.partial_success.rejected_log_records == 1


# g11


@pytest.mark.parametrize("compression", list(grpc.Compression))
async def test_compressed_requests_are_taken(channel, ingest, traces_request, compression):
    """Identity, gzip and deflate all arrive as the same bytes."""
    body = traces_request.SerializeToString() * 100
    await call(channel, body, compression=compression)
    assert ingest.of("traces") == [body]


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
async def test_the_stock_exporter_is_understood(start, ingest, compression):
    """The exporter of the OpenTelemetry SDK delivers its spans."""
    receiver, _ = await start()

    def export():
        endpoint = f"127.0.0.1:{receiver.address[1]}"
        exporter = OTLPSpanExporter(endpoint, insecure=True, compression=compression)
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("test").start_as_current_span("outer"):
            pass
        provider.shutdown()

    await asyncio.to_thread(export)
    spans = split_traces(ingest.of("traces")[0]).spans
    assert len(spans) == 1


# g15, start and stop


# slow, broken and idle senders


async def never():
    """A message that does not come."""
    await asyncio.Event().wait()
    yield b""


async def test_a_message_that_does_not_arrive_is_given_up(start, ingest, telemetry):
    """After `read_timeout`, by a code that allows to send it again; others are served."""
    _, channel = await start(read_timeout="200ms")
    slow = channel.stream_unary(TRACES)(never())
    assert await call(channel, b"") == b""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async with asyncio.timeout(5):
            await slow
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert telemetry.value("spanscore_requests_total", code="DEADLINE_EXCEEDED") == 1


async def test_short_of_memory_only_one_message_is_read_at_a_time(start, monkeypatch, ingest):
    """Else senders of many large messages would fill it before one of them is complete."""
    monkeypatch.setattr(otlp_grpc, "reading_limit", lambda *_: 0)
    _, channel = await start()
    first = channel.stream_unary(TRACES)(never())
    await first.wait_for_connection()
    await asyncio.sleep(0.3)
    second = asyncio.create_task(attempt(channel))
    await asyncio.sleep(0.3)
    assert not second.done()
    first.cancel()
    assert await second is None
    assert ingest.of("traces") == [b""]


async def attempt(channel):
    try:
        await call(channel, b"")
    except grpc.aio.AioRpcError as error:
        return error


async def test_a_call_that_breaks_off_is_counted(start, ingest, telemetry):
    """Cancelled by the sender, or refused by grpcio for its size: nothing of it is taken."""
    _, channel = await start(max_request_size="1MiB")
    broken = channel.stream_unary(TRACES)(never())
    await broken.wait_for_connection()
    await asyncio.sleep(0.1)
    broken.cancel()
    await refused(channel, bytes(MIB + 1))
    async with asyncio.timeout(5):
        while telemetry.value("spanscore_requests_total", code="CANCELLED") < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert not ingest.requests


async def test_unknown_methods_are_counted(channel, telemetry):
    """Under one name, whatever they are called."""
    for method in ("/a.B/C", "/a.B/D"):
        await refused(channel, b"", method)
    labels = {"signal": "unknown", "code": "UNIMPLEMENTED"}
    assert telemetry.value("spanscore_requests_total", **labels) == 2


async def test_connections_are_bounded(start):
    """Over `max_connections` a new one is closed before it is served."""
    receiver, channel = await start(max_connections=2)
    assert await call(channel, b"") == b""
    held = [await asyncio.open_connection(*receiver.address) for _ in range(1)]
    reader, writer = await asyncio.open_connection(*receiver.address)
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    assert await call(channel, b"") == b""
    for _, other in [*held, (reader, writer)]:
        other.close()


# start and stop


async def test_after_stop_the_port_is_free(start):
    """A stopped receiver answers no call, and another can listen on its port at once."""
    receiver, channel = await start()
    await call(channel, b"")
    assert receiver.is_listening
    await receiver.stop(1)
    await receiver.stop(1)
    assert not receiver.is_listening
    assert (await refused(channel, b"")).code() is grpc.StatusCode.UNAVAILABLE
    again, _ = await start(endpoint=f"127.0.0.1:{receiver.address[1]}")
    assert again.address == receiver.address


async def test_a_taken_port_is_a_clear_error(start):
    """Two receivers on one port: the second says which endpoint and which key to change."""
    receiver, _ = await start()
    with pytest.raises(ConfigError) as caught:
        await start(endpoint=f"127.0.0.1:{receiver.address[1]}")
    assert str(receiver.address[1]) in str(caught.value)
    assert "receivers.otlp.grpc.endpoint" in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_disabled_receiver_does_not_listen(ingest, telemetry):
    """`enabled: false` makes start and stop do nothing."""
    config = parse_config({"receivers": {"otlp": {"grpc": {"enabled": False}}}})
    receiver = OtlpGrpcReceiver(config, ingest, telemetry)
    await receiver.start()
    assert not receiver.is_listening
    with pytest.raises(RuntimeError):
        _ = receiver.address
    await receiver.stop(0)


# g18


async def test_many_calls_at_once_on_one_connection(start, ingest, traces_request):
    """More calls than concurrent streams wait their turn; none fails."""
    _, channel = await start(max_concurrent_streams=10)
    body = traces_request.SerializeToString()
    answers = await asyncio.gather(*(call(channel, body) for _ in range(300)))
    assert answers == [b""] * 300
    assert len(ingest.requests) == 300


async def test_a_server_that_ends_unasked_is_started_again(start, ingest, telemetry):
    """A fault inside grpcio must not leave the port dead; it is counted."""
    receiver, channel = await start()
    assert await call(channel, b"") == b""
    await receiver._server.stop(0)
    async with asyncio.timeout(10):
        while (await attempt(channel)) is not None:
            pass
    assert receiver.is_listening
    assert telemetry.value("spanscore_receiver_faults_total", receiver="otlp_grpc") == 1


async def test_a_path_that_is_no_text_ends_nothing(start):
    """The asyncio server of some releases of grpcio ends for good at it."""
    receiver, channel = await start()
    with socket.create_connection(receiver.address, timeout=5) as raw:
        await asyncio.to_thread(raw.sendall, bytes.fromhex(NOT_UTF8_CALL))
        await asyncio.sleep(0.2)
    assert await call(channel, b"") == b""
