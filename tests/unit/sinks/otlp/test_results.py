"""Scores of a trace as parcels."""

import asyncio

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.otlp.evaluation import Terms
from scorer.sinks.otlp.results import ResultsPublisher, configured_terms, when_all
from scorer.testing import RecordingCourier, score, scored_trace

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


async def test_the_scores_of_traces_are_a_parcel_of_spans_and_one_of_logs():
    """A whole request each, with its count."""
    courier = RecordingCourier()
    ResultsPublisher([courier]).publish([trace("latency", "cost"), trace("latency")])
    assert [(parcel.signal, parcel.items) for parcel in courier.parcels] == [
        ("traces", 3),
        ("logs", 3),
    ]
    assert [len(items(parcel)) for parcel in courier.parcels] == [3, 3]


async def test_it_is_done_when_every_courier_is():
    """The place of a trace in the log is not released before."""
    first, second = RecordingCourier(), RecordingCourier()
    done = ResultsPublisher([first, second]).publish([trace("latency")])
    first.accept()
    await asyncio.sleep(0)
    assert not done.done()
    second.accept()
    await asyncio.wait_for(done, 1)


async def test_nothing_to_send_is_done_at_once():
    """Not-agent and quarantined traces have no scores."""
    courier = RecordingCourier()
    done = ResultsPublisher([courier]).publish([scored_trace(verdict="not_agent")])
    assert done.done()
    assert courier.parcels == []


async def test_only_scores_and_failures_are_sent_unless_more_is_asked_for():
    """What did not apply says nothing of the agent."""
    statuses = ("failed", "not_applicable", "skipped", "missing")
    scores = [score(status, None, status=status, span_id=SPAN) for status in statuses]
    traces = [scored_trace(scores=(score("ok", span_id=SPAN), *scores))]
    assert names(ResultsPublisher([]).parcels(traces)) == ["ok", "failed"]
    more = ResultsPublisher([], statuses=("scored", "skipped"))
    assert names(more.parcels(traces)) == ["ok", "skipped"]


async def test_each_revision_is_sent():
    """Under the score ids of its own, so nothing is overwritten in transit."""
    first = trace("latency", id="a", revision=1)
    again = trace("latency", id="b", revision=2)
    spans = [items(ResultsPublisher([]).parcels([t])[0])[0] for t in (first, again)]
    assert spans[0].span_id != spans[1].span_id
    assert spans[0].links == spans[1].links


async def test_a_parcel_is_bounded():
    """Receivers take 4 MiB by default."""
    many = trace(*(f"m{n}" for n in range(600)), explanation="x" * 4000, session_id="s" * 999)
    parcels = ResultsPublisher([]).parcels([many])
    assert sum(parcel.items for parcel in parcels) == 1_200
    assert max(len(parcel.body) for parcel in parcels) < 2 * 2**20


async def test_bodies_may_be_concatenated():
    """Two requests in a row are one larger request."""
    one, two = (ResultsPublisher([]).parcels([trace(name)])[1] for name in ("a", "b"))
    assert names([one._replace(body=one.body + two.body)]) == ["a", "b"]


async def test_room_waits_for_the_slowest():
    """A full queue anywhere holds up those who fill it."""
    full = RecordingCourier()
    full.is_full = True
    publisher = ResultsPublisher([RecordingCourier(), full])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(publisher.room(), 0.01)
    full.is_full = False
    await asyncio.wait_for(publisher.room(), 1)


async def test_a_cancelled_wait_breaks_nothing():
    """Couriers go on when whoever waited is gone."""
    futures = [asyncio.get_running_loop().create_future() for _ in range(2)]
    when_all(futures).cancel()
    for future in futures:
        future.set_result(None)
    await asyncio.sleep(0)


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
