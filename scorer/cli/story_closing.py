"""When and why a trace was finished, and how late spans had it scored again."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from scorer.cli.output import counted, number, shorten

_CLOSE_REASONS = {
    "end_marker": "a span carried spanscore.trace.end = true",
    "root": "the root span ended, every parent was there, and nothing came for `linger`",
    "idle": "nothing came for `idle_timeout`, though it was not complete",
    "max_age": "it was open for `max_age`",
    "span_cap": "it reached `max_spans_per_trace`",
    "byte_cap": "it reached `max_bytes_per_trace`",
    "memory": "the memory budget was full",
    "shutdown": "the service was stopped",
    "replay_end": "the replay came to its end",
}
_SHOWN_CHANGES = 5

Step = Mapping[str, Any]


def closing(document: Step) -> Iterator[str]:
    """Return the lines on the closes of a trace, the first one first.

    A document of a service that keeps no history tells of the last close only.
    """
    reason = document.get("close_reason")
    if not reason:
        return
    history: Sequence[Step] = document.get("history") or ()
    steps = [*history, document]
    yield _first(steps[0]) if history else f"finished{_when(document)} {_why(document)}"
    revision = document.get("revision")
    if not history and revision and revision > 1:
        yield f"late spans joined it: this is revision {revision}"
    for place, (before, step) in enumerate(pairwise(steps), 1):
        scored_before = any(s.get("state") == "scored" for s in steps[:place])
        yield _scored_again(before, step, scored_before=scored_before)
        if before.get("state") == step.get("state") == "scored":
            yield from _changes(document.get("changed") or (), step.get("revision"))
    joining = document.get("joining")
    if joining is not None:
        yield f"{_joined(joining)}: it will be scored again when nothing more comes"


def _first(step: Step) -> str:
    spans = counted(step.get("span_count") or 0, "span")
    is_scored = step.get("state") == "scored"
    verdict = "" if is_scored else f"; it was not scored then ({_state(step)})"
    return f"first finished{_when(step)} with {spans} {_why(step)}{verdict}"


def _why(step: Step) -> str:
    reason = str(step.get("close_reason"))
    return f"({shorten(reason)}): {_CLOSE_REASONS.get(reason, 'see the README')}"


def _scored_again(before: Step, step: Step, *, scored_before: bool) -> str:
    joined = _joined((step.get("span_count") or 0) - (before.get("span_count") or 0))
    revision, reason = step.get("revision"), shorten(str(step.get("close_reason")))
    if step.get("state") != "scored":
        verdict = f"not scored as revision {revision} ({_state(step)})"
    else:
        when = "again" if scored_before else "for the first time"
        verdict = f"scored {when} as revision {revision}"
    return f"{joined}: {verdict}, finished{_when(step)} ({reason})"


def _joined(spans: int) -> str:
    if spans <= 0:
        return "log records came late and joined it"
    return f"{counted(spans, 'span')} came late and joined it"


def _changes(changed: Sequence[Step], revision: Any) -> Iterator[str]:
    texts = [_change(item) for item in changed if item.get("revision") == revision]
    more = len(texts) - _SHOWN_CHANGES
    rest = [f"and {more} more"] if more > 0 else []
    yield f"  changed: {', '.join([*texts[:_SHOWN_CHANGES], *rest]) or 'no score'}"


def _change(item: Step) -> str:
    before, after = item.get("before") or {}, item.get("after") or {}
    with_label = before.get("label") != after.get("label")
    pair = " -> ".join(_outcome(outcome, with_label=with_label) for outcome in (before, after))
    return f"{shorten(str(item.get('metric')), 160)} {pair}"


def _outcome(outcome: Step, *, with_label: bool) -> str:
    value, label = outcome.get("value"), outcome.get("label")
    text = str(outcome.get("status")) if value is None else number(value)
    return shorten(f"{text} ({label})" if with_label and label else text, 160)


def _when(step: Step) -> str:
    return f" {shorten(str(step['closed']))}" if step.get("closed") else ""


def _state(step: Step) -> str:
    return shorten(str(step.get("state")))
