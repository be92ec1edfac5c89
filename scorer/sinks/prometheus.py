"""Scores as Prometheus series.

The series are those of `scorer.telemetry`; histograms and counters see the first scoring of
a trace only. Children are looked up once per label set and kept, because prometheus_client's
`labels()` costs more than the increment that follows it.
"""

from collections.abc import Callable, Sequence
from functools import partial

from prometheus_client import Counter

from scorer.config import Config, PrometheusConfig
from scorer.model.score import Score, ScoredTrace, TraceFacts
from scorer.sinks.labels import Children, LabelValues, SeriesBudget
from scorer.telemetry import Observations, Telemetry, series

_FROM_SPANS = frozenset({"service", "agent", "tool"})
_UNIT_RANGE = (0.0, 1.0)
# More than any trace can use or cost. A sender that claims more must not ruin a counter for good.
_IMPLAUSIBLE = 1e15

Exemplar = dict[str, str]
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
        self._breaches = make.counter("spanscore_threshold_breaches_total")
        self._metric_seconds = make.histogram("spanscore_metric_duration_seconds")
        self._traces = make.counter("spanscore_traces_total")
        self._tokens = make.counter("spanscore_tokens_total")
        self._cost = make.counter("spanscore_cost_usd_total")
        self._tool_calls = make.counter("spanscore_tool_calls_total")
        self._pii = make.counter("spanscore_pii_findings_total")
        self._duration = make.histogram("spanscore_trace_duration_seconds")

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Count traces; revisions of traces that were counted before are left out."""
        for trace in traces:
            if trace.revision == 1:
                self._count(trace)

    async def close(self) -> None:
        """Do nothing: the series live as long as the process."""

    def _count(self, trace: ScoredTrace) -> None:
        service, agent = self._service(trace.service), self._agent(trace.agent)
        exemplar = {"trace_id": trace.trace_id}
        if trace.verdict == "scored":
            self._traces[service,].inc()
            self._count_facts(trace.facts, service, agent, exemplar)
        for score in trace.scores:
            self._count_score(score, trace, (service, agent), exemplar)
        for metric in trace.breaches:
            self._breaches[metric, service, agent].inc(1, exemplar)
        for metric, seconds in trace.metric_seconds.items():
            self._metric_seconds[metric,].observe(seconds)

    def _count_score(
        self, score: Score, trace: ScoredTrace, owner: tuple[str, str], exemplar: Exemplar
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

    def _count_facts(self, facts: TraceFacts, service: str, agent: str, exemplar: Exemplar) -> None:
        for kind, count in facts.tokens.items():
            if 0 < count < _IMPLAUSIBLE:
                self._tokens[self._type(kind), service].inc(count)
        if facts.cost_usd is not None and 0 < facts.cost_usd < _IMPLAUSIBLE:
            self._cost[service,].inc(facts.cost_usd)
        for call in facts.tool_calls:
            self._tool_calls[call.status, self._tool(call.tool), service].inc(call.count)
        for kind, count in facts.pii_findings.items():
            self._pii[self._type(kind), service, agent].inc(count, exemplar)
        if facts.duration_s is not None and 0 <= facts.duration_s < _IMPLAUSIBLE:
            self._duration[service,].observe(facts.duration_s, exemplar)


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
