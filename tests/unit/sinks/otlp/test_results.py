"""Scores of a trace as parcels."""

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.otlp.evaluation import Terms
from scorer.sinks.otlp.results import Results, configured_terms
from scorer.testing import score, scored_trace

SPAN = "b7ad6b7169203331"
MESSAGES = {"logs": ExportLogsServiceRequest, "traces": ExportTraceServiceRequest}


def trace(*metrics, **fields):
    scores = tuple(score(name, span_id=SPAN, **fields) for name in metrics)
    return scored_trace(scores=scores)


def items(parcel):
    """Return the spans or log records of a parcel."""
    message = MESSAGES[parcel.signal].FromString(parcel.body)
    if parcel.signal == "logs":
        return [r for g in message.resource_logs for s in g.scope_logs for r in s.log_records]
    return [r for g in message.resource_spans for s in g.scope_spans for r in s.spans]


def names(parcels):
    found = [items(parcel) for parcel in parcels if parcel.signal == "logs"]
    return [r.attributes[0].value.string_value for records in found for r in records]


def test_the_scores_of_traces_are_a_parcel_of_spans_and_one_of_logs():
    """A whole request each, with its count."""
    parcels = Results().parcels([trace("latency", "cost"), trace("latency")])
    assert [(parcel.signal, parcel.items) for parcel in parcels] == [("traces", 3), ("logs", 3)]
    assert [len(items(parcel)) for parcel in parcels] == [3, 3]


def test_only_scores_and_failures_are_sent_unless_more_is_asked_for():
    """What did not apply says nothing of the agent."""
    statuses = ("failed", "not_applicable", "skipped", "missing")
    scores = [score(status, None, status=status, span_id=SPAN) for status in statuses]
    traces = [scored_trace(scores=(score("ok", span_id=SPAN), *scores))]
    assert names(Results().parcels(traces)) == ["ok", "failed"]
    more = Results(statuses=("scored", "skipped"))
    assert names(more.parcels(traces)) == ["ok", "skipped"]


def test_a_backend_of_one_signal_gets_that_one():
    """A store of traces has no use for logs, nor the other way round."""
    for signal in ("traces", "logs"):
        parcels = Results(signals=[signal]).parcels([trace("latency")])
        assert [parcel.signal for parcel in parcels] == [signal]


def test_each_revision_is_sent():
    """Under the score ids of its own, so nothing is overwritten in transit."""
    first = trace("latency", id="a", revision=1)
    again = trace("latency", id="b", revision=2)
    spans = [items(Results().parcels([t])[0])[0] for t in (first, again)]
    assert spans[0].span_id != spans[1].span_id
    assert spans[0].links == spans[1].links


def test_a_parcel_is_bounded():
    """Receivers take 4 MiB by default."""
    many = trace(*(f"m{n}" for n in range(600)), explanation="x" * 4000, session_id="s" * 999)
    parcels = Results().parcels([many])
    assert sum(parcel.items for parcel in parcels) == 1_200
    assert max(len(parcel.body) for parcel in parcels) < 2 * 2**20


def test_bodies_may_be_concatenated():
    """Two requests in a row are one larger request."""
    one, two = (Results().parcels([trace(name)])[1] for name in ("a", "b"))
    assert names([one._replace(body=one.body + two.body)]) == ["a", "b"]


def test_terms_are_those_of_the_configuration():
    """The metric's own threshold, else the configured one; the share of the matching rule."""
    config = parse_config(
        {
            "scoring": {
                "metrics": ["latency", "token_usage", "cost"],
                "thresholds": {"cost": {"max": 2}},
                "rules": [{"match": {"service": "shop"}, "sample": 0.5}],
            }
        }
    )
    terms = configured_terms(config)
    assert terms(score("latency")) == Terms((None, 30), 0.5)
    assert terms(score("cost", service="other")) == Terms((None, 2), None)
    assert terms(score("token_usage")) == Terms((None, None), 0.5)


def test_an_unknown_metric_stops_the_start():
    """As everywhere else."""
    with pytest.raises(ConfigError):
        configured_terms(parse_config({"scoring": {"metrics": ["nonsense"]}}))
