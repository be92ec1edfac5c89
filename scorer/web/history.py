"""What is kept of a trace that was scored several times: how it fared before, and what changed."""

from collections.abc import Iterator

from msgspec import Struct

from scorer.model.score import Score, ScoredTrace, Status, Verdict
from scorer.model.score_json import valid_text
from scorer.model.trace import CloseReason

# Of one trace: the first revision and the newest of the others. Spans may come late without end.
_MAX_EARLIER = 20
_MAX_CHANGES = 20
_MAX_LABEL = 100


class Earlier(Struct, frozen=True):
    """A revision that another one has replaced; `closed` in seconds of the assembler's clock."""

    revision: int
    closed: float
    close_reason: CloseReason
    span_count: int
    state: Verdict


class Outcome(Struct, frozen=True):
    """How a metric fared in one revision."""

    status: Status
    value: float | None
    label: str | None


class Change(Struct, frozen=True):
    """A metric that fares otherwise in a revision than in the one before."""

    revision: int
    metric: str
    before: Outcome
    after: Outcome


class Finished(Struct, frozen=True, array_like=True):
    """A trace as it was scored last; its earlier revisions, the first one first.

    `changed` tells of each kept revision but the first at most 20 metrics, in order.
    """

    trace: ScoredTrace
    history: tuple[Earlier, ...] = ()
    changed: tuple[Change, ...] = ()


def succeed(before: Finished | None, trace: ScoredTrace) -> Finished:
    """Return a trace with its history, which is none when the revision before is not known."""
    if before is None or before.trace.revision >= trace.revision:
        return Finished(trace)
    old = before.trace
    earlier = Earlier(
        old.revision, old.closed, old.close_reason, old.completeness.span_count, old.verdict
    )
    history = _bounded((*before.history, earlier))
    told = {entry.revision for entry in history}
    changed = [change for change in before.changed if change.revision in told]
    return Finished(trace, history, (*changed, *_changes(old, trace)))


def _bounded(history: tuple[Earlier, ...]) -> tuple[Earlier, ...]:
    return history if len(history) <= _MAX_EARLIER else (history[0], *history[2:])


def _changes(old: ScoredTrace, new: ScoredTrace) -> list[Change]:
    """Compare the primary outputs of the metrics that both revisions have."""
    before, after = dict(_outcomes(old.scores)), dict(_outcomes(new.scores))
    changes = [
        Change(new.revision, metric, before[metric], outcome)
        for metric, outcome in after.items()
        if metric in before and outcome != before[metric]
    ]
    return changes[:_MAX_CHANGES]


def _outcomes(scores: tuple[Score, ...]) -> Iterator[tuple[str, Outcome]]:
    for score in scores:
        if score.output == "value":
            label = None if score.label is None else valid_text(score.label[:_MAX_LABEL])
            yield score.metric, Outcome(score.status, score.value, label)
