"""Which facts traces carry, which metrics can run on them, and how to get the rest.

Nothing is predicted: the engine scores each trace, and what it says of a metric is shown.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from msgspec import Struct
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from scorer.api import AgentTrace, Need, Score
from scorer.cli.advice import CUT, advise
from scorer.cli.output import counted, shorten
from scorer.scoring.applicability import missing_need

_NEEDS: tuple[Need, ...] = get_args(Need)


class TraceCoverage(Struct, frozen=True, kw_only=True):
    """One trace: which facts it carries, and per metric why there is no score (None = scored).

    The reason of a status other than `not_applicable` reads `STATUS/REASON`.
    """

    trace_id: str
    service: str
    is_agent: bool
    dialects: tuple[str, ...]
    has_content: bool
    is_cut: bool
    facts: dict[str, bool]
    metrics: dict[str, str | None]


class Coverage(Struct, frozen=True):
    """All traces of an inspection; `notes` is advice that does not come from a metric."""

    traces: tuple[TraceCoverage, ...]
    notes: tuple[str, ...] = ()

    @property
    def scored(self) -> tuple[TraceCoverage, ...]:
        """The traces that would be scored."""
        return tuple(trace for trace in self.traces if trace.is_agent)

    def advice(self) -> list[str]:
        """Return what to switch on to get the missing facts, the most useful first."""
        lacking = Counter(text for trace in self.scored for text in _advice(trace))
        ranked = sorted(lacking.items(), key=lambda item: (-item[1], item[0]))
        return [*self.notes, *(text for text, _ in ranked)]


def cover(view: AgentTrace, scores: Sequence[Score]) -> TraceCoverage:
    """Return the coverage of one trace, given the scores that the engine made of it."""
    return TraceCoverage(
        trace_id=view.trace_id,
        service=view.service,
        is_agent=view.is_agent,
        dialects=view.dialects,
        has_content=_has_content(view),
        is_cut=view.completeness.truncated_content,
        facts={need: missing_need(view, (need,)) is None for need in _NEEDS},
        metrics={score.metric: _why_not(score) for score in scores if score.output == "value"},
    )


def _why_not(score: Score) -> str | None:
    if score.status == "scored":
        return None
    reason = score.reason or score.status
    return reason if score.status == "not_applicable" else f"{score.status}/{reason}"


def _has_content(view: AgentTrace) -> bool:
    """Whether texts were captured at all: then no switch is off."""
    calls = (call.input_messages or call.output_messages for call in view.llm_calls)
    return bool(view.question or view.answer or view.messages or any(calls))


def _advice(trace: TraceCoverage) -> set[str]:
    """Return what to switch on for one trace, each text once."""
    reasons = {reason for reason in trace.metrics.values() if reason}
    texts = {
        text
        for reason in reasons
        for text in advise(reason, trace.dialects, has_content=trace.has_content)
    }
    return texts | {CUT} if trace.is_cut else texts


def render(coverage: Coverage) -> RenderableType:
    """Return the coverage as tables: a row a trace, then facts and metrics over all."""
    return Group(*_parts(coverage))


def _parts(coverage: Coverage) -> Iterator[RenderableType]:
    count = len(coverage.scored)
    yield _trace_table(coverage.traces)
    others = counted(len(coverage.traces) - count, "other trace")
    yield Text(f"{counted(count, 'agent trace')}, {others}")
    if count:
        yield _fact_table(coverage.scored)
        yield _metric_table(coverage.scored)
    advice = coverage.advice()
    if advice:
        yield Text("To get the rest:", style="bold")
        yield from (Text(f"  - {text}") for text in advice)


def _trace_table(traces: Sequence[TraceCoverage]) -> Table:
    table = Table("trace", "service", "dialects", "metrics", "cannot run", box=box.SIMPLE)
    for trace in traces:
        table.add_row(
            Text(trace.trace_id, no_wrap=True),
            Text(shorten(trace.service, 40)),
            Text(", ".join(trace.dialects) or "none known"),
            *_verdict(trace),
        )
    return table


def _verdict(trace: TraceCoverage) -> tuple[Text, Text]:
    if not trace.is_agent:
        return Text("-"), Text("not an agent: would not be scored")
    blocked = [f"{name}: {reason}" for name, reason in trace.metrics.items() if reason]
    able = len(trace.metrics) - len(blocked)
    return Text(f"{able} of {len(trace.metrics)}"), Text(", ".join(blocked) or "-")


def _fact_table(traces: Sequence[TraceCoverage]) -> Table:
    table = Table("fact", "traces with it", box=box.SIMPLE)
    for need in _NEEDS:
        table.add_row(need, _share(sum(trace.facts[need] for trace in traces), len(traces)))
    return table


def _metric_table(traces: Sequence[TraceCoverage]) -> Table:
    table = Table("metric", "can run on", "why not on the others", box=box.SIMPLE)
    for name in traces[0].metrics:
        reasons = Counter(trace.metrics[name] for trace in traces)
        able = reasons.pop(None, 0)
        why = ", ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
        table.add_row(name, _share(able, len(traces)), why or "-")
    return table


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}"
