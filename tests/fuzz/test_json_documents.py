"""Whatever JSON is sent: it is refused in plain words, or its good parts are taken."""

from hypothesis import example, given
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError
from scorer.otlp.json_mapping import (
    count_metric_points,
    logs_from_json,
    metrics_from_json,
    traces_from_json,
)
from scorer.otlp.split import split_logs, split_traces

from .budget import fuzz
from .documents import GOOD_SPAN, RECORDS, SPANS, TEXTS, logs, traces
from .steps import within_steps
from .test_decoding import decoded


def split_if_any(split, body):
    """Split a body; None when nothing in it is an item of the signal."""
    try:
        return split(body)
    except PermanentError:
        return None


@fuzz("json", parts=3)
@given(SPANS, SPANS)
@example({"kind": 10**400}, {"name": "\ud800"})
@example({"attributes": [{"value": {"doubleValue": "NaN"}}]}, 3)
def test_no_span_harms_its_neighbours(before, after):
    """Between any two JSON values a good span is taken, and what is taken can be decoded."""
    text = traces(before, GOOD_SPAN, after)

    mapped = within_steps(len(text), traces_from_json, text)

    found = split_traces(mapped.body)
    names = [trace_pb2.Span.FromString(entry.wire).name for entry in found.spans]
    assert GOOD_SPAN["name"] in names
    assert mapped.rejected + found.rejected + len(found.spans) <= 3
    assert len(mapped.warning) <= 500
    assert decoded(spans=found.spans).completeness.undecodable == 0


@fuzz("json", parts=3)
@given(RECORDS)
def test_any_log_record_is_rejected_or_decoded(record):
    """Likewise."""
    text = logs(record)
    mapped = within_steps(len(text), logs_from_json, text)
    found = split_if_any(split_logs, mapped.body)
    if found is not None:
        assert decoded(logs=found.records).completeness.undecodable == 0


@fuzz("json", parts=3)
@given(TEXTS)
@example(b"[" * 20_000 + b"]" * 20_000)
@example(b'{"resourceSpans":' + b"9" * 1_000_000 + b"}")
@example(b'{"resourceSpans":1e999999999}')
def test_any_text_is_refused_in_few_words_or_mapped(body):
    """The mapper's output is always good protobuf of the signal."""
    for mapping, use in (
        (traces_from_json, split_traces),
        (logs_from_json, split_logs),
        (metrics_from_json, count_metric_points),
    ):
        try:
            mapped = within_steps(len(body), mapping, body)
        except PermanentError as error:
            assert_short(str(error))
            continue
        split_if_any(use, mapped.body)


def assert_short(text):
    """A text for the sender fits into an answer."""
    assert len(text) <= 500
    text.encode()
