"""The decision log of the last traces."""

import json

import msgspec
import pytest

from scorer.api import Sink
from scorer.config import parse_config
from scorer.model.trace import Completeness
from scorer.testing import score, scored_trace
from scorer.web.recent import RecentTraces


class Assembler:
    """Knows what it is told of open traces, all of one tenant."""

    def __init__(self, tenant="", **known):
        self.tenant = tenant
        self.known = known

    def describe(self, trace_id, tenant=""):
        return self.known.get(trace_id) if tenant == self.tenant else None


def recent(limit=3, **known):
    return RecentTraces(parse_config({"web": {"recent_traces": limit}}), Assembler(**known))


def plain(document):
    return json.loads(msgspec.json.encode(document))


def trace_id(number):
    return f"{number:032x}"


async def test_the_oldest_goes_first():
    """No more than `web.recent_traces` are kept, the newest are listed first."""
    traces = recent(3)
    assert isinstance(traces, Sink)
    await traces.write([scored_trace(n) for n in range(1, 6)])
    assert [t["trace_id"] for t in traces.latest(10)] == [trace_id(n) for n in (5, 4, 3)]
    assert [t["trace_id"] for t in traces.latest(1)] == [trace_id(5)]
    assert traces.find(trace_id(1)) is None
    await traces.close()


async def test_a_revision_takes_the_place_of_the_one_before():
    """A trace is listed once, as it was scored last."""
    traces = recent(3)
    await traces.write([scored_trace(1), scored_trace(2)])
    await traces.write([scored_trace(1, revision=2)])
    listed = [(t["trace_id"], t["revision"]) for t in traces.latest(10)]
    assert listed == [(trace_id(1), 2), (trace_id(2), 1)]


async def test_the_newest_revision_is_shown_with_its_history():
    """One entry for each earlier revision, and what the newest changed."""
    traces = recent()
    close = {"close_reason": "idle", "closed": 1_700_000_000.0}
    few = Completeness(span_count=1, root_present=False)
    await traces.write([scored_trace(scores=(score("latency", 0.5),), completeness=few, **close)])
    assert traces.find(trace_id(1))["history"] == []
    later = scored_trace(revision=2, scores=(score("latency", 0.7, label="fail"),), closed=4.0)
    await traces.write([later])
    document = plain(traces.find(trace_id(1)))
    assert (document["revision"], document["span_count"]) == (2, 2)
    assert document["history"] == [
        {
            "revision": 1,
            "closed": "2023-11-14T22:13:20.000000000Z",
            "close_reason": "idle",
            "span_count": 1,
            "state": "scored",
        }
    ]
    assert document["changed"] == [
        {
            "revision": 2,
            "metric": "latency",
            "before": {"status": "scored", "value": 0.5, "label": None},
            "after": {"status": "scored", "value": 0.7, "label": "fail"},
        }
    ]
    assert len(traces.latest(10)) == 1


async def test_a_revision_of_a_trace_that_is_not_known_has_no_history():
    """It may have been scored before a restart, or been forgotten, or be another trace."""
    traces = recent()
    await traces.write([scored_trace(revision=2)])
    assert traces.find(trace_id(1))["history"] == []
    await traces.write([scored_trace(tenant="a", revision=3), scored_trace(revision=3)])
    assert len(traces.find(trace_id(1))["history"]) == 1
    assert traces.find(trace_id(1), "a")["history"] == []
    await traces.write([scored_trace()])
    assert (traces.find(trace_id(1))["revision"], traces.find(trace_id(1))["history"]) == (1, [])


@pytest.mark.parametrize("state", ["open", "closed"])
async def test_late_spans_that_wait_for_the_next_scoring_are_told(state):
    """The document is of the last scoring, and says how many spans it is without."""
    traces = recent(3, **{trace_id(1): {"state": state, "span_count": 5}})
    await traces.write([scored_trace(1), scored_trace(2)])
    document = traces.find(trace_id(1))
    assert (document["state"], document["span_count"], document["joining"]) == ("scored", 2, 3)
    assert traces.find(trace_id(2))["joining"] is None


async def test_histories_stay_within_the_bytes_of_all_traces(monkeypatch):
    """Revisions without end push out other traces, and the memory stays as it is."""
    monkeypatch.setattr("scorer.web.recent._MAX_BYTES", 20_000)
    traces = recent(1_000)
    for revision in range(1, 60):
        scores = tuple(score(f"m{n}", revision / 100) for n in range(3))
        batch = [scored_trace(n, revision=revision, scores=scores) for n in range(5)]
        await traces.write(batch)
        assert 0 < traces._bytes <= 20_000
        assert traces._bytes == sum(map(len, traces._traces.values()))
    assert 0 < len(traces.latest(10)) < 5


async def test_a_finished_trace_is_explained():
    """The document says when and why it closed, how whole it was, and how each metric fared."""
    traces = recent()
    failed = score("faithfulness", None, status="not_applicable", reason="no_answer")
    await traces.write(
        [
            scored_trace(
                opened=1_700_000_000.0,
                closed=1_700_000_002.5,
                close_reason="idle",
                completeness=Completeness(span_count=9, root_present=False, orphan_parents=2),
                scores=(score("latency", 0.5), failed),
                breaches=("latency",),
                dialects=("otel_genai",),
            )
        ]
    )
    document = plain(traces.find(trace_id(1)))
    assert document["state"] == "scored"
    assert document["opened"] == "2023-11-14T22:13:20.000000000Z"
    assert document["closed"] == "2023-11-14T22:13:22.500000000Z"
    assert document["close_reason"] == "idle"
    assert document["span_count"] == 9
    assert document["completeness"]["orphan_parents"] == 2
    assert document["breaches"] == ["latency"]
    assert [(s["metric"], s["status"], s["reason"]) for s in document["scores"]] == [
        ("latency", "scored", None),
        ("faithfulness", "not_applicable", "no_answer"),
    ]


async def test_the_verdict_is_the_state():
    """A trace that was not scored says so, and why."""
    traces = recent()
    await traces.write(
        [
            scored_trace(1, verdict="not_agent"),
            scored_trace(2, verdict="quarantined", reason="worker_died"),
        ]
    )
    assert traces.find(trace_id(1))["state"] == "not_agent"
    document = traces.find(trace_id(2))
    assert (document["state"], document["reason"]) == ("quarantined", "worker_died")


async def test_an_open_trace_is_asked_of_the_assembler():
    """A trace that is not scored yet has the same keys, unknown ones null."""
    known = {trace_id(1): {"state": "open", "opened": 1.5, "span_count": 4}}
    traces = recent(3, **known)
    await traces.write([scored_trace(2)])
    document = traces.find(trace_id(1))
    assert document["state"] == "open"
    assert document["span_count"] == 4
    assert document["opened"] == "1970-01-01T00:00:01.500000000Z"
    assert document["closed"] is None
    assert document["scores"] is None
    assert document.keys() == traces.find(trace_id(2)).keys()


async def test_late_spans_of_a_scored_trace_are_told():
    """What came too late is added to the document of the trace it belongs to."""
    traces = recent(3, **{trace_id(1): {"state": "late", "late_spans": 2}})
    assert traces.find(trace_id(1))["state"] == "late"
    await traces.write([scored_trace(1)])
    document = traces.find(trace_id(1))
    assert (document["state"], document["late_spans"]) == ("scored", 2)
    assert document["joining"] is None


async def test_times_are_of_the_clock_on_the_wall():
    """The assembler's clock is translated."""
    config = parse_config({})
    traces = RecentTraces(config, Assembler(), lambda seconds: seconds + 1_700_000_000)
    await traces.write([scored_trace(opened=0.0, closed=2.0)])
    document = traces.find(trace_id(1))
    assert document["opened"] == "2023-11-14T22:13:20.000000000Z"
    assert document["closed"] == "2023-11-14T22:13:22.000000000Z"


async def test_tenants_do_not_see_each_other():
    """The same trace id of another tenant is another trace."""
    traces = recent()
    await traces.write([scored_trace(1, tenant="a", service="one"), scored_trace(1, service="two")])
    assert traces.find(trace_id(1))["service"] == "two"
    assert traces.find(trace_id(1), "a")["service"] == "one"
    assert traces.find(trace_id(1), "b") is None


async def test_open_traces_are_asked_for_by_tenant():
    """An open trace of one tenant is unknown to the others."""
    known = {trace_id(1): {"state": "open", "span_count": 4}}
    traces = recent(3, tenant="a", **known)
    assert traces.find(trace_id(1)) is None
    document = traces.find(trace_id(1), "a")
    assert (document["state"], document["tenant"]) == ("open", "a")


async def test_the_list_can_be_of_one_tenant():
    """`limit` counts the traces of that tenant; None = all tenants, "" = those without one."""
    traces = recent(9)
    tenants = ["a", "", "b", "a", "", "b"]
    await traces.write([scored_trace(n, tenant=tenant) for n, tenant in enumerate(tenants)])
    assert len(traces.latest(9)) == 6
    assert [t["trace_id"] for t in traces.latest(9, "a")] == [trace_id(3), trace_id(0)]
    assert [t["trace_id"] for t in traces.latest(1, "a")] == [trace_id(3)]
    assert [t["trace_id"] for t in traces.latest(9, "")] == [trace_id(4), trace_id(1)]
    assert traces.latest(9, "c") == []


async def test_any_text_of_a_span_can_be_shown():
    """A name with half a character does not break the answer."""
    traces = recent()
    for revision, label in ((1, "\udfff"), (2, "x\ud800")):
        scores = (score(explanation="\udfff", label=label),)
        await traces.write([scored_trace(agent="a\ud800", revision=revision, scores=scores)])
    document = plain(traces.find(trace_id(1)))
    assert document["agent"] == "a?"
    assert document["changed"][0]["after"]["label"] == "x?"
