"""Two Spanscores in a row, or one that hears itself: nothing is scored that we made."""

import pytest
from msgspec.structs import replace
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.otlp.split import split_traces
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.ingest import AssemblingIngest
from scorer.scoring.engine import build_engine
from scorer.sinks.otlp.results import Results, configured_terms
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, TraceBuilder

CONFIG = parse_config({})


class Instance:
    """A Spanscore without sockets: its door, its engine, and what it sends in `results` mode."""

    def __init__(self):
        self.clock, self.telemetry = ManualClock(), Telemetry()
        self.engine = build_engine(CONFIG)
        self.results = Results(configured_terms(CONFIG))
        self.closed = []
        budget = MemoryBudget(CONFIG.assembly.memory)
        assembler = Assembler(assembler_settings(CONFIG.assembly), budget)
        self.ingest = AssemblingIngest(
            source="otlp",
            assembler=assembler,
            admission=Admission(assembler, budget),
            telemetry=self.telemetry,
            clock=self.clock,
            on_closed=self.closed.extend,
        )

    def take(self, *parcels):
        """Take parcels, and return what comes of them when all are closed."""
        for signal, body in parcels:
            (self.ingest.traces if signal == "traces" else self.ingest.logs)(body)
        self.clock.advance(60)
        self.ingest.poll()
        scored = [self.engine.score(trace) for trace in self.closed]
        self.closed.clear()
        return scored

    def send(self, scored):
        return [(parcel.signal, parcel.body) for parcel in self.results.parcels(scored)]


def agent():
    """Return an agent's trace that has been given scores by others already."""
    trace = TraceBuilder(7, service="shop")
    root = trace.span("invoke_agent", **{"gen_ai.operation.name": "invoke_agent"})
    trace.span(
        "chat",
        parent=root,
        **{
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.usage.input_tokens": 12,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
            "gen_ai.output.messages": '[{"role":"assistant","parts":'
            '[{"type":"text","content":"hello"}]}]',
        },
    )
    return trace


@pytest.fixture
def scored():
    (found,) = Instance().take(("traces", agent().request()))
    assert [score for score in found.scores if score.status == "scored"]
    return found


def test_what_one_sends_gives_no_score_at_another(scored):
    """Carrier spans are no agents, and events open no trace."""
    parcels = Instance().send([scored])
    assert {signal for signal, _ in parcels} == {"traces", "logs"}
    second = Instance()
    verdicts = second.take(*parcels)
    assert {trace.verdict for trace in verdicts} == {"not_agent"}
    assert len(verdicts) == len(split_traces(parcels[0][1]).spans)
    assert second.send(verdicts) == []
    assert second.telemetry.value("spanscore_log_records_total", outcome="evaluation") > 0


def test_one_that_hears_itself_scores_nothing_twice():
    """Results that come back revise nothing, while the trace is open, and when it is closed."""
    instance = Instance()
    first = instance.take(("traces", agent().request()))
    again = instance.take(*instance.send(first))
    assert {trace.verdict for trace in again} == {"not_agent"}
    assert instance.telemetry.value("spanscore_late_spans_total") == 0
    together = Instance().take(("traces", agent().request()), *instance.send(first))
    assert _plain([trace for trace in together if trace.scores]) == _plain(first)


def test_results_by_way_of_a_lossy_collector_are_no_agents_either(scored):
    """A collector may drop our scope and our resource; the kind of the span stays."""
    (_, body), _ = Instance().send([scored])
    bare = TraceBuilder(1, service="gateway", scope="")
    bare.spans.extend(_spans(body))
    assert {t.verdict for t in Instance().take(("traces", bare.request()))} == {"not_agent"}


def test_a_trace_that_was_annotated_is_scored_the_same(scored):
    """What `forward` of an instance before adds to the root is read by no metric."""
    trace = agent()
    root = trace.spans[0]
    for score in scored.scores:
        root.attributes.add(key=f"spanscore.score.{score.metric}").value.double_value = 0.5
        label = root.attributes.add(key=f"spanscore.score.{score.metric}.label")
        label.value.string_value = "fail"
    annotated = Instance().take(("traces", trace.request()))
    assert _plain(annotated) == _plain([scored])


def test_an_agent_with_scores_of_others_is_scored_the_same(scored):
    """As attributes, as span events, as log events, and as spans of their own."""
    trace = agent()
    for span in list(trace.spans):
        span.attributes.add(key="gen_ai.evaluation.name").value.string_value = "relevance"
        span.attributes.add(key="gen_ai.evaluation.score.value").value.double_value = 0.1
        event = span.events.add(name="gen_ai.evaluation.result")
        event.attributes.add(key="content").value.string_value = "my card is 4111 1111 1111 1111"
        trace.log("gen_ai.evaluation.result", {"content": "nonsense"}, span=span)
    judge = trace.span("evaluation", parent=trace.spans[0], **{"gen_ai.evaluation.name": "x"})
    trace.span(
        "chat",
        parent=judge,
        **{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 900},
    )
    found = Instance().take(("traces", trace.request()), ("logs", trace.log_request()))
    assert _plain(found) == _plain([scored])


def _spans(body):
    (group,) = trace_pb2.TracesData.FromString(body).resource_spans
    return group.scope_spans[0].spans


def _plain(traces):
    """Return scores without what tells of the number of spans, or is measured."""
    return [
        (
            (trace.service, trace.agent, trace.dialects, trace.facts, trace.root_span_id),
            [replace(score, completeness=None) for score in trace.scores],
        )
        for trace in traces
    ]
