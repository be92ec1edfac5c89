"""Scores as Prometheus series.

The series are those of `scorer.telemetry`. Children are looked up once per label set and kept,
because prometheus_client's `labels()` costs more than the increment that follows it.

A trace is counted at its first scoring, which is revision 1 unless that was not scored. Of a
later revision additive facts add what they are above the largest so far of that trace, whichever
service and agent it then has; a breach counts when the trace has it for the first time. The
revision of a trace that is forgotten (see `scorer.sinks.counted`), or was scored before a restart,
adds nothing.
"""

from collections.abc import Callable, Sequence
from functools import partial

from prometheus_client import Counter

from scorer.config import Config, PrometheusConfig
from scorer.model.score import Score, ScoredTrace, TraceFacts
from scorer.sinks.counted import Counted, CountedTraces
from scorer.sinks.labels import Children, LabelValues, SeriesBudget
from scorer.telemetry import Observations, Telemetry, series

_FROM_SPANS = frozenset({"service", "agent", "tool"})
_UNIT_RANGE = (0.0, 1.0)
# Longer than any trace. A sender that claims more must not ruin a sum for good; seconds.
_IMPLAUSIBLE = 1e15

Exemplar = dict[str, str]
# Service and agent, as shown.
Owner = tuple[str, str]
Bound = Callable[[str | None], str]


class PrometheusSink:
    """Counts scored traces in the series of `telemetry`; never fails on what a trace holds."""

    def __init__(self, config: Config, telemetry: Telemetry) -> None:
        make = _Families(config.sinks.prometheus, telemetry)
        self._service = make.label("service")
        self._agent = make.label("agent")
        self._tool = make.label("tool")
        self._reason = make.label("reason")
        self._type = make.label("type")
        self._score = make.histogram("spanscore_score")
        self._scores = make.counter("spanscore_scores_total")
        self._revised = make.counter("spanscore_revised_scores_total")
        self._breaches = make.counter("spanscore_threshold_breaches_total")
        self._metric_seconds = make.histogram("spanscore_metric_duration_seconds")
        self._traces = make.counter("spanscore_traces_total")
        self._tokens = make.counter("spanscore_tokens_total")
        self._cost = make.counter("spanscore_cost_usd_total")
        self._tool_calls = make.counter("spanscore_tool_calls_total")
        self._pii = make.counter("spanscore_pii_findings_total")
        self._duration = make.histogram("spanscore_trace_duration_seconds")
        self._counted = CountedTraces()

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Count traces; of a revision only what is new."""
        for trace in traces:
            counted = self._counted.take(trace)
            if trace.verdict == "scored":
                self._count(trace, counted)
            if counted is not None:
                self._counted.keep(trace, counted)

    async def close(self) -> None:
        """Do nothing: the series live as long as the process."""

    def _count(self, trace: ScoredTrace, counted: Counted | None) -> None:
        owner = self._service(trace.service), self._agent(trace.agent)
        exemplar = {"trace_id": trace.trace_id}
        if counted is not None and counted.grow("scored"):
            self._observe(trace, owner, exemplar)
        else:
            for metric in {score.metric for score in trace.scores}:
                self._revised[metric,].inc()
        if counted is not None:
            self._add_facts(trace.facts, counted, owner, exemplar)
            for metric in trace.breaches:
                if counted.grow("breach", metric):
                    self._breaches[metric, *owner].inc(1, exemplar)

    def _observe(self, trace: ScoredTrace, owner: Owner, exemplar: Exemplar) -> None:
        """Take what is counted at the first scoring of a trace only."""
        self._traces[owner[0],].inc()
        seconds = trace.facts.duration_s
        if seconds is not None and 0 <= seconds < _IMPLAUSIBLE:
            self._duration[owner[0],].observe(seconds, exemplar)
        for score in trace.scores:
            self._count_score(score, trace, owner, exemplar)
        for metric, taken in trace.metric_seconds.items():
            self._metric_seconds[metric,].observe(taken)

    def _count_score(
        self, score: Score, trace: ScoredTrace, owner: Owner, exemplar: Exemplar
    ) -> None:
        value = score.value
        if score.status != "scored" or value is None:
            self._scores[score.metric, score.status, self._reason(score.reason)].inc()
            return
        self._scores[score.metric, "scored", ""].inc()
        if score.range != _UNIT_RANGE or not 0 <= value <= 1:
            return
        service, agent = owner
        if score.service != trace.service:
            service = self._service(score.service)
        if score.agent != trace.agent:
            agent = self._agent(score.agent)
        self._score[score.metric, score.output, score.method, service, agent].observe(
            value, exemplar
        )

    def _add_facts(
        self, facts: TraceFacts, counted: Counted, owner: Owner, exemplar: Exemplar
    ) -> None:
        service, agent = owner
        for kind, count in facts.tokens.items():
            if more := counted.grow("tokens", kind, to=count):
                self._tokens[self._type(kind), service].inc(more)
        if facts.cost_usd is not None and (more := counted.grow("cost", to=facts.cost_usd)):
            self._cost[service,].inc(more)
        for call in facts.tool_calls:
            if more := counted.grow("tool", call.status, call.tool, to=call.count):
                self._tool_calls[call.status, self._tool(call.tool), service].inc(more)
        for kind, count in facts.pii_findings.items():
            if more := counted.grow("pii", kind, to=count):
                self._pii[self._type(kind), service, agent].inc(more, exemplar)


class _Families:
    """Builds the bounded children of each series the sink writes to."""

    def __init__(self, config: PrometheusConfig, telemetry: Telemetry) -> None:
        self._config = config
        self._telemetry = telemetry
        self._budget = SeriesBudget(config.max_series, self._overflow("series"))

    def label(self, name: str) -> Bound:
        """Return what turns a raw value of this label into the one to show."""
        if name in ("service", "agent") and name not in self._config.labels:
            return lambda _: ""
        return LabelValues(self._config.max_label_values, self._overflow(name)).bound

    def counter(self, name: str) -> Children[Counter]:
        """Return the children of a counter."""
        make = partial(self._telemetry.counter, name)
        return Children(make, self._budget, cost=1, open_labels=_open_labels(name))

    def histogram(self, name: str) -> Children[Observations]:
        """Return the children of a histogram; each is its buckets, `+Inf`, sum and count."""
        make = partial(self._telemetry.histogram, name)
        cost = len(series(name).buckets) + 3
        return Children(make, self._budget, cost=cost, open_labels=_open_labels(name))

    def _overflow(self, label: str) -> Callable[[], None]:
        return self._telemetry.counter("spanscore_label_overflow_total", label).inc


def _open_labels(name: str) -> frozenset[int]:
    labels = series(name).labels
    return frozenset(place for place, label in enumerate(labels) if label in _FROM_SPANS)
