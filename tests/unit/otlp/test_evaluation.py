"""What is sent for a score."""

import json

import pytest
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.model.trace import Completeness
from scorer.otlp.evaluation import (
    MAX_EXPLANATION,
    NO_TERMS,
    Terms,
    carrier_ids,
    evaluation_event,
    evaluator_span,
    facts_of,
    own_request,
)
from scorer.testing import score

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TIME, TIME_NS = "2023-11-14T22:13:21.000000005Z", 1_700_000_001_000_000_005
TERMS = Terms((0.4, None), 0.25)


def full(**fields):
    base = {
        "id": "11111111-2222-5333-8444-555555555555",
        "label": "pass",
        "explanation": "3 of 4 claims",
        "method": "lexical",
        "trace_id": TRACE,
        "span_id": SPAN,
        "session_id": "s-1",
        "close_reason": "idle",
        "event_time": TIME,
        "revision": 2,
        "evaluator_version": "7",
        "completeness": Completeness(span_count=3, root_present=False, duplicates=1, lost=("k",)),
        "detail": {"secret": "4111 1111 1111 1111"},
    }
    return score("faithfulness", **(base | fields))


def wire_event(score, terms=NO_TERMS):
    return evaluation_event(score, facts_of(score, terms))


def wire_span(score, terms=NO_TERMS):
    return evaluator_span(score, facts_of(score, terms))


def event_of(score, terms=NO_TERMS):
    return logs_pb2.LogRecord.FromString(wire_event(score, terms))


def span_of(score, terms=NO_TERMS):
    return trace_pb2.Span.FromString(wire_span(score, terms))


def attributes(message):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in message.attributes}


def evaluation(span, prefix="trace."):
    start = f"{prefix}evaluations.0.evaluation."
    found = attributes(span)
    return {key.removeprefix(start): v for key, v in found.items() if key.startswith(start)}


def test_the_event_has_the_shape_of_the_conventions():
    """Name, value, label and explanation, in the context of the evaluated span."""
    record = event_of(full())
    found = attributes(record)
    assert record.event_name == "gen_ai.evaluation.result"
    assert (record.trace_id.hex(), record.span_id.hex()) == (TRACE, SPAN)
    assert record.severity_number == logs_pb2.SEVERITY_NUMBER_INFO
    assert (record.time_unix_nano, record.observed_time_unix_nano) == (TIME_NS, TIME_NS)
    assert found["gen_ai.evaluation.name"] == "faithfulness"
    assert found["gen_ai.evaluation.score.value"] == 0.5
    assert found["gen_ai.evaluation.score.label"] == "pass"
    assert found["gen_ai.evaluation.explanation"] == "3 of 4 claims"
    assert (found["gen_ai.agent.name"], found["gen_ai.conversation.id"]) == ("planner", "s-1")
    assert "error.type" not in found


def test_the_event_says_what_the_conventions_have_no_name_for():
    """How the score was made, of what, and how complete that was."""
    found = attributes(event_of(full(), TERMS))
    own = {k.removeprefix("spanscore."): v for k, v in found.items() if k.startswith("spanscore.")}
    assert own == {
        "score_id": "11111111-2222-5333-8444-555555555555",
        "metric": "faithfulness",
        "output": "value",
        "status": "scored",
        "kind": "quality",
        "method": "lexical",
        "direction": "higher",
        "unit": "1",
        "range.min": 0.0,
        "range.max": 1.0,
        "threshold.min": 0.4,
        "scope": "trace",
        "subject": f"{1:032x}",
        "evaluator_version": "7",
        "revision": 2,
        "close_reason": "idle",
        "service": "shop",
        "scoring.probability": 0.25,
        "completeness.span_count": 3,
        "completeness.root_present": False,
        "completeness.duplicates": 1,
    }


def test_a_failed_score_has_an_error_type_and_no_value():
    """A score that could not be made is never 0."""
    failed = full(value=None, status="failed", reason="timeout", label=None, explanation=None)
    found = attributes(event_of(failed))
    assert found["error.type"] == "timeout"
    assert found["gen_ai.evaluation.score.label"] == "not_evaluated"
    assert "gen_ai.evaluation.score.value" not in found
    span = span_of(failed)
    assert span.status.message == "timeout"
    assert "score" not in evaluation(span)
    assert evaluation(span)["explanation"] == "timeout"


def test_a_score_of_0_is_sent_as_0():
    """A measured 0 is a value."""
    assert attributes(event_of(full(value=0.0)))["gen_ai.evaluation.score.value"] == 0.0
    assert evaluation(span_of(full(value=0.0)))["score"] == 0.0


def test_the_carrier_is_a_new_span_with_one_link_to_its_target():
    """A span that the backend already has is never sent again."""
    span = span_of(full())
    assert (span.trace_id, span.span_id) == carrier_ids(full().id)
    assert span.trace_id.hex() != TRACE
    assert not span.parent_span_id
    assert [(k.trace_id.hex(), k.span_id.hex()) for k in span.links] == [(TRACE, SPAN)]
    found = attributes(span)
    target = found["spanscore.target.trace_id"], found["spanscore.target.span_id"]
    assert target == (TRACE, SPAN)
    assert attributes(span)["openinference.span.kind"] == "EVALUATOR"
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (TIME_NS, TIME_NS)


def test_the_evaluation_has_the_fields_of_openinference():
    """Flattened, with the prefix of its scope."""
    found = evaluation(span_of(full(), TERMS))
    metadata = json.loads(found.pop("metadata"))
    assert found == {
        "name": "faithfulness",
        "score": 0.5,
        "label": "pass",
        "explanation": "3 of 4 claims",
        "annotator_kind": "CODE",
        "identifier": "spanscore/lexical",
    }
    assert metadata["threshold.min"] == 0.4
    assert metadata["revision"] == 2


def test_a_judge_is_an_llm_with_its_model():
    """Who judged is part of the identity."""
    found = evaluation(span_of(full(method="judge", judge_model="m-1")))
    assert (found["annotator_kind"], found["identifier"]) == ("LLM", "spanscore/judge/m-1")


@pytest.mark.parametrize(
    ("scope", "prefix"), [("span", ""), ("trace", "trace."), ("session", "session.")]
)
def test_the_scope_is_the_prefix(scope, prefix):
    """A session is named by its id; a link to it may be there too."""
    span = span_of(full(scope=scope))
    assert evaluation(span, prefix)["name"] == "faithfulness"
    assert attributes(span).get("session.id") == ("s-1" if scope == "session" else None)


@pytest.mark.parametrize(
    "fields",
    [{"scope": "window"}, {"span_id": None}, {"trace_id": None}, {"span_id": "zz"}],
)
def test_without_a_target_there_is_an_event_only(fields):
    """A link to nowhere would be worse than none."""
    assert wire_span(full(**fields)) is None
    assert event_of(full(**fields)).event_name


def test_a_session_needs_no_link():
    """It has many traces."""
    span = span_of(full(scope="session", trace_id=None, span_id=None))
    assert not span.links
    assert "spanscore.target.trace_id" not in attributes(span)


def test_a_second_output_has_a_name_of_its_own_and_no_threshold():
    """The threshold is for the value."""
    found = attributes(event_of(full(output="p95"), TERMS))
    assert found["gen_ai.evaluation.name"] == "faithfulness.p95"
    assert "spanscore.threshold.min" not in found


def test_detail_and_lost_keys_never_leave():
    """They may hold what a trace must not repeat."""
    sent = wire_event(full()) + wire_span(full())
    assert b"4111" not in sent
    assert b"lost" not in sent


def test_texts_are_bounded():
    """A careless metric makes no monstrous span."""
    long = full(explanation="x" * 9_000, label="y" * 9_000, service="z" * 9_000)
    record, span = event_of(long), span_of(long)
    assert len(attributes(record)["gen_ai.evaluation.explanation"]) == MAX_EXPLANATION
    assert max(record.ByteSize(), span.ByteSize()) < 8_000


def test_half_a_character_does_no_harm():
    """OTLP texts are UTF-8."""
    broken = full(explanation="a\ud800b", agent="\udfff", reason="\ud800")
    assert event_of(broken).trace_id
    assert span_of(broken).trace_id


def test_the_requests_are_ours():
    """Our own service and scope, by which anybody may leave us out."""
    logs = logs_service_pb2.ExportLogsServiceRequest.FromString(
        own_request([wire_event(full())], "1.2")
    )
    traces = trace_service_pb2.ExportTraceServiceRequest.FromString(
        own_request([wire_span(full())], "1.2")
    )
    for group, scoped in (
        (logs.resource_logs[0], logs.resource_logs[0].scope_logs[0]),
        (traces.resource_spans[0], traces.resource_spans[0].scope_spans[0]),
    ):
        assert attributes(group.resource) == {"service.name": "spanscore", "service.version": "1.2"}
        assert (scoped.scope.name, scoped.scope.version) == ("spanscore", "1.2")
