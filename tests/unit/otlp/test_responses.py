"""The bodies that the server answers with."""

import json

import pytest
from google.rpc import error_details_pb2, status_pb2
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from scorer.otlp.responses import MAX_MESSAGE, export_response, retry_info, status_response


@pytest.mark.parametrize("signal", ["traces", "logs", "metrics"])
def test_full_success_leaves_partial_success_unset(signal):
    """A client must not be told of a partial success that is none."""
    assert export_response(signal) == b""
    assert export_response(signal, as_json=True) == b"{}"


@pytest.mark.parametrize(
    ("signal", "response", "field"),
    [
        ("traces", trace_service_pb2.ExportTraceServiceResponse, "rejected_spans"),
        ("logs", logs_service_pb2.ExportLogsServiceResponse, "rejected_log_records"),
        ("metrics", metrics_service_pb2.ExportMetricsServiceResponse, "rejected_data_points"),
    ],
)
def test_partial_success_says_how_many_and_why(signal, response, field):
    """Each signal has its own name for the count."""
    partial = response.FromString(export_response(signal, rejected=2, message="why"))

    assert getattr(partial.partial_success, field) == 2
    assert partial.partial_success.error_message == "why"


def test_json_responses_follow_the_protobuf_json_mapping():
    """64-bit counts are texts, names are lowerCamelCase."""
    body = export_response("traces", rejected=2, message="why", as_json=True)

    assert json.loads(body) == {"partialSuccess": {"rejectedSpans": "2", "errorMessage": "why"}}


def test_a_warning_has_a_text_and_rejects_nothing():
    """A request that was taken whole can still be told something."""
    body = export_response("traces", message="careful", as_json=True)

    assert json.loads(body) == {"partialSuccess": {"errorMessage": "careful"}}


def test_bad_input_is_answered_with_bad_request_details():
    """INVALID_ARGUMENT names the violation in its details."""
    status = status_pb2.Status.FromString(status_response(3, "no protobuf"))
    bad = error_details_pb2.BadRequest()

    assert (status.code, status.message) == (3, "no protobuf")
    assert status.details[0].Unpack(bad)
    assert bad.field_violations[0].description == "no protobuf"


def test_a_retryable_status_carries_the_delay():
    """RetryInfo is what makes a client try again."""
    info = error_details_pb2.RetryInfo()
    status = status_pb2.Status.FromString(status_response(14, "busy", retry_after_s=1.5))

    assert status.details[0].Unpack(info)
    assert info.retry_delay.ToMilliseconds() == 1500
    assert error_details_pb2.RetryInfo.FromString(retry_info(1.5)) == info


def test_a_status_can_be_json():
    """Details are typed by their URL."""
    status = json.loads(status_response(14, "busy", retry_after_s=2, as_json=True))

    assert status["details"] == [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}
    ]


def test_texts_are_cut_and_made_encodable():
    """A message that quotes its input can neither grow nor break the response."""
    body = export_response("traces", message="\ud800" + "x" * 10_000_000)
    text = trace_service_pb2.ExportTraceServiceResponse.FromString(
        body
    ).partial_success.error_message

    assert text == "?" + "x" * (MAX_MESSAGE - 1)
