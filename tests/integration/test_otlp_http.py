import asyncio
import gzip
import io
import itertools
import json
import zlib

import pytest
from google.rpc import error_details_pb2
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.otlp.split import split_traces
from scorer.receivers.http_request import JSON, PROTOBUF
from scorer.receivers.take import Accepted

MIB = 2**20

SPAN_JSON = {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}


@pytest.fixture
def start(start_receiver):
    async def run(**settings):
        receiver = await start_receiver("otlp_http", **settings)
        return receiver, "http://{}:{}".format(*receiver.address)

    return run


@pytest.fixture
async def url(start):
    return (await start())[1]


def traces_json(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


# h1


async def test_protobuf_is_answered_in_protobuf(url, post, ingest, telemetry, traces_request):
    """A good request is 200 with an empty response, and its body arrived unchanged."""
    body = traces_request.SerializeToString()
    answer = await post(url, body)
    assert (answer.status, answer.type, answer.body) == (200, PROTOBUF, b"")
    assert ingest.of("traces") == [body]
    labels = {"receiver": "otlp_http", "signal": "traces", "code": "200"}
    assert telemetry.value("spanscore_requests_total", **labels) == 1


async def test_json_is_answered_in_json(url, post, ingest):
    """OTLP/JSON reaches ingest as protobuf, with ids from hex, and is answered in JSON."""
    answer = await post(url, traces_json(SPAN_JSON), JSON)
    assert (answer.status, answer.type, json.loads(answer.body)) == (200, JSON, {})
    (span,) = split_traces(ingest.of("traces")[0]).spans
    assert span.trace_id.hex() == SPAN_JSON["traceId"]
    assert span.span_id.hex() == SPAN_JSON["spanId"]


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
async def test_empty_requests_are_fine(url, post, content_type):
    """An empty protobuf body and an empty JSON object are good requests."""
    answer = await post(url, b"{}" if content_type == JSON else b"", content_type)
    assert answer.status == 200
    assert not answer.traces.HasField("partial_success")


@pytest.mark.parametrize("signal", ["logs", "metrics"])
@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
async def test_logs_and_metrics_are_served(url, post, ingest, signal, content_type):
    """Logs and metrics have their paths on the same port."""
    body = b"{}" if content_type == JSON else b""
    assert (await post(url, body, content_type, f"/v1/{signal}")).status == 200
    assert [request.signal for request in ingest.requests] == [signal]


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
async def test_the_stock_exporter_is_understood(url, ingest, compression):
    """The exporter of the OpenTelemetry SDK delivers its spans."""

    def export():
        exporter = OTLPSpanExporter(f"{url}/v1/traces", compression=compression)
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("test").start_as_current_span("outer"):
            pass
        provider.shutdown()

    await asyncio.to_thread(export)
    assert len(split_traces(ingest.of("traces")[0]).spans) == 1


# h2


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
async def test_rejected_spans_are_told(url, post, ingest, content_type):
    """What was not taken is in `partial_success`, in the encoding of the request."""
    ingest.answer = Accepted(3, "no ids")
    body = b"{}" if content_type == JSON else b""
    answer = await post(url, body, content_type)
    assert answer.status == 200
    assert answer.traces.partial_success.rejected_spans == 3
    assert answer.traces.partial_success.error_message == "no ids"


async def test_rejects_of_json_and_of_ingest_add_up(url, post, ingest, telemetry):
    """Spans that cannot be mapped from JSON are counted as offered and refused."""
    ingest.answer = Accepted(1, "from ingest")
    answer = await post(url, traces_json(SPAN_JSON, {"traceId": "zz"}), JSON)
    partial = answer.traces.partial_success
    assert partial.rejected_spans == 2
    assert "trace" in partial.error_message
    assert "from ingest" in partial.error_message
    assert telemetry.value("spanscore_offered_spans_total") == 1
    assert telemetry.value("spanscore_refused_spans_total", reason="invalid") == 1


async def test_rejected_log_records_are_told(url, post, telemetry):
    """A log record that cannot be mapped from JSON is rejected alone, and counted."""
    record = {"logRecords": [{"timeUnixNano": "soon"}, {}]}
    body = json.dumps({"resourceLogs": [{"scopeLogs": [record]}]}).encode()
    answer = await post(url, body, JSON, "/v1/logs")
    response = answer.message(logs_service_pb2.ExportLogsServiceResponse)
    assert response.partial_success.rejected_log_records == 1
    assert telemetry.value("spanscore_log_records_total", outcome="invalid") == 1


async def test_a_warning_about_json_is_told(url, post):
    """Snake case keys are ignored, and the answer says so: the request was not what was meant."""
    answer = await post(url, b'{"resource_spans": []}', JSON)
    assert answer.status == 200
    assert answer.traces.partial_success.rejected_spans == 0
    assert answer.traces.partial_success.error_message


# h3


@pytest.mark.parametrize(
    ("body", "content_type", "encoding"),
    [
        (b"\xff\xff\xff garbage", PROTOBUF, "identity"),
        (b"{not json", JSON, "identity"),
        (b"not gzip", PROTOBUF, "gzip"),
        (b"not gzip", JSON, "gzip"),
        (gzip.compress(b"{}")[:-4], JSON, "gzip"),
        (zlib.compress(b"{}"), JSON, "gzip"),
        (gzip.compress(b"{}") + b"trailing", JSON, "gzip"),
        (b"[" * 100_000, JSON, "identity"),
        (b"[" * 600_000, JSON, "identity"),  # large enough to be converted in a thread
    ],
)
async def test_undecodable_bodies_are_bad_requests(url, post, body, content_type, encoding):
    """Garbage, bad gzip and cut bodies are 400 with a Status in the encoding of the request."""
    answer = await post(url, body, content_type, Content_Encoding=encoding)
    assert (answer.status, answer.type) == (400, content_type)
    error = answer.error
    assert error.code == 3
    assert error.message
    details = error_details_pb2.BadRequest()
    assert error.details[0].Unpack(details)
    assert details.field_violations


async def test_a_long_error_text_is_cut(url, post, ingest):
    """The answer stays small whatever the error says."""
    ingest.raises = PermanentError("\ud800" * 10 * MIB)
    answer = await post(url)
    assert answer.status == 400
    assert len(answer.body) < 64 * 1024


# h4


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
@pytest.mark.parametrize(("packed", "chunked"), [*itertools.product([False, True], repeat=2)])
async def test_a_body_over_the_limit_is_413(start, post, content_type, packed, chunked):
    """Over the limit as sent or inflated, announced or not, is 413 with a Status."""
    _, url = await start(max_request_size="1MiB")
    body = bytes(MIB + 1)
    headers = {"Content_Encoding": "gzip"} if packed else {}
    data = gzip.compress(body) if packed else body

    async def pieces():
        for offset in range(0, len(data), 100_000):
            yield data[offset : offset + 100_000]

    answer = await post(url, pieces() if chunked else io.BytesIO(data), content_type, **headers)
    assert (answer.status, answer.type) == (413, content_type)
    assert answer.error.code == 8
    assert not answer.error.details
    assert (await post(url, b"")).status == 200


async def test_a_body_at_the_limit_is_taken(start, post, ingest, traces_request):
    """The limit itself is allowed."""
    body = traces_request.SerializeToString()
    _, url = await start(max_request_size=f"{len(body)}B")
    assert (await post(url, body)).status == 200
    assert ingest.of("traces") == [body]


async def test_too_large_for_ingest_is_413(url, post, ingest):
    """The same answer when the limit is one of ours."""
    ingest.raises = TooLargeError("over assembly.memory")
    assert (await post(url)).status == 413


# h5, h6


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
async def test_overload_is_503_with_retry_after(url, post, ingest, content_type):
    """A full buffer is 503; header and RetryInfo tell when to come again, soon."""
    ingest.raises = RetryableError("full", retry_after_s=30)
    answer = await post(url, b"{}" if content_type == JSON else b"", content_type)
    assert (answer.status, answer.type) == (503, content_type)
    assert answer.headers["Retry-After"] in {"1", "2"}
    assert answer.error.code == 14
    info = error_details_pb2.RetryInfo()
    assert answer.error.details[0].Unpack(info)
    assert 1 <= info.retry_delay.ToNanoseconds() / 1e9 <= 2


async def test_a_fault_of_ours_is_503(url, post, ingest, telemetry):
    """An unexpected exception is retryable, never 500, and shows nothing of itself."""
    ingest.raises = ZeroDivisionError("secret")
    answer = await post(url)
    assert answer.status == 503
    assert "Retry-After" in answer.headers
    assert b"secret" not in answer.body
    assert telemetry.value("spanscore_receiver_faults_total", receiver="otlp_http") == 1


# h7


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
async def test_other_methods_are_405(url, session, method):
    """Only POST is served, and the answer says so."""
    async with session.request(method, f"{url}/v1/traces") as response:
        assert response.status == 405
        assert response.headers["Allow"] == "POST"


@pytest.mark.parametrize("path", ["/", "/v1/trace", "/v1/traces/", "/v1/profiles"])
async def test_unknown_paths_are_404(url, post, telemetry, path):
    """The answer to a wrong path names the right ones, and is counted under one label."""
    answer = await post(url, path=path)
    assert answer.status == 404
    assert "/v1/traces" in answer.error.message
    assert telemetry.value("spanscore_requests_total", signal="unknown", code="404") == 1


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "nonsense", ""])
async def test_other_content_types_are_415(url, post, content_type):
    """A body in no format of OTLP is refused before it is read."""
    answer = await post(url, b"x", content_type)
    assert answer.status == 415
    assert PROTOBUF in answer.error.message


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"],
)
async def test_content_types_may_have_parameters_and_any_case(url, post, content_type):
    """What counts is the media type."""
    assert (await post(url, b"{}", content_type)).status == 200


# h8


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP"])
async def test_gzip_bodies_are_inflated(url, post, ingest, traces_request, encoding):
    """Both names of gzip are understood."""
    body = traces_request.SerializeToString()
    assert (await post(url, gzip.compress(body), Content_Encoding=encoding)).status == 200
    assert ingest.of("traces") == [body]


async def test_all_members_of_a_gzip_body_are_taken(url, post, ingest, traces_request):
    """Stopping after the first member would acknowledge spans and drop them."""
    body = traces_request.SerializeToString()
    packed = gzip.compress(body) + gzip.compress(body)
    assert (await post(url, packed, Content_Encoding="gzip")).status == 200
    assert ingest.of("traces") == [body + body]


@pytest.mark.parametrize("encoding", ["deflate", "zstd", "br", "gzip, gzip", "gzip, identity"])
async def test_other_encodings_are_415(url, post, ingest, encoding):
    """Other encodings, and lists of them, are refused."""
    answer = await post(url, b"x", Content_Encoding=encoding)
    assert answer.status == 415
    assert not ingest.requests
