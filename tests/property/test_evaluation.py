"""What is sent for a score, for any score."""

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from scorer.model.score import Score
from scorer.model.trace import Completeness
from scorer.otlp.evaluation import (
    Terms,
    carrier_ids,
    evaluation_event,
    evaluator_span,
    facts_of,
    own_request,
)

texts = st.text(max_size=40) | st.text(alphabet=st.characters(), max_size=5)
maybe = st.none() | texts
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 2**40)
ids = st.none() | st.binary(min_size=8, max_size=8).map(bytes.hex) | texts
scores = st.builds(
    Score,
    id=texts,
    metric=texts,
    output=st.just("value") | texts,
    value=numbers,
    label=maybe,
    status=st.sampled_from(["scored", "missing", "not_applicable", "failed", "skipped"]),
    reason=maybe,
    method=st.sampled_from(["exact", "judge"]),
    range=st.none() | st.tuples(numbers, numbers),
    scope=st.sampled_from(["span", "trace", "session", "window"]),
    subject=texts,
    explanation=maybe,
    judge_model=maybe,
    tenant=texts,
    trace_id=ids | st.binary(min_size=16, max_size=16).map(bytes.hex),
    span_id=ids,
    session_id=maybe,
    service=texts,
    agent=maybe,
    revision=counts,
    completeness=st.none()
    | st.builds(Completeness, span_count=counts, root_present=st.booleans(), dropped=counts),
    event_time=st.none() | st.just("2023-11-14T22:13:21.000000005Z") | texts,
)
terms = st.builds(Terms, st.tuples(numbers, numbers), st.none() | st.floats(0, 1))


def sent(score, given_terms):
    facts = facts_of(score, given_terms)
    span = evaluator_span(score, facts)
    spans = own_request([span] if span is not None else [], "1")
    return own_request([evaluation_event(score, facts)], "1"), spans


@given(scores, terms)
def test_a_score_is_the_same_bytes_each_time_and_they_parse(score, given_terms):
    """Sent twice it arrives as one; whatever a score holds, it is OTLP."""
    logs, spans = sent(score, given_terms)
    assert sent(score, given_terms) == (logs, spans)
    (group,) = ExportLogsServiceRequest.FromString(logs).resource_logs
    (record,) = group.scope_logs[0].log_records
    assert len(record.trace_id) in (0, 16)
    assert len(record.span_id) in (0, 8)
    traces = ExportTraceServiceRequest.FromString(spans).resource_spans
    for span in traces[0].scope_spans[0].spans if traces else ():
        assert (len(span.trace_id), len(span.span_id)) == (16, 8)
        assert len(span.links) <= 1
        keys = [attribute.key for attribute in span.attributes]
        assert len(set(keys)) == len(keys)


@given(st.lists(st.uuids().map(str), unique=True, max_size=50))
def test_scores_of_different_ids_have_different_carriers(score_ids):
    """No score takes the place of another."""
    assert len({carrier_ids(score_id) for score_id in score_ids}) == len(score_ids)
