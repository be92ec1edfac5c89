"""What happened to a trace, told from the document of `/api/v1/traces/<id>`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from scorer.cli.output import counted, number, output_name, shorten
from scorer.cli.story_closing import closing

_STATES = {
    "open": "is open: it will be scored when it is finished",
    "closed": "is finished; its scores are on their way",
    "late": "was finished earlier and is no longer held; only late spans are known",
    "scored": "was scored",
    "not_agent": "was not scored: it has no agent, model, tool or retrieval span",
    "quarantined": "could not be scored",
}
_OWNER = ("service", "agent", "session_id")
_GAPS = (
    ("orphan_parents", "parents are missing"),
    ("duplicates", "spans came twice"),
    ("dropped", "attributes, events or links were dropped by the SDK"),
    ("undecodable", "parts were not decodable as a whole"),
    ("conflicts", "of them differ from the span that was kept"),
    ("duplicate_keys", "attributes stood twice; the last one counts"),
)


def tell(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Return the story: what became of the trace, when, how whole it was, and each score."""
    yield _headline(document)
    for line in _facts(document):
        yield Text(f"  {line}")
    scores = document.get("scores")
    if scores:
        yield _scores(scores)


def _headline(document: Mapping[str, Any]) -> Text:
    state = str(document.get("state"))
    text = Text.assemble("trace ", (shorten(str(document.get("trace_id"))), "bold cyan"), " ")
    text.append(_STATES.get(state, state))
    reason = document.get("reason")
    return text.append(f": {shorten(str(reason))}") if reason else text


def _facts(document: Mapping[str, Any]) -> Iterator[str]:
    owner = [f"{key} {_text(document[key])}" for key in _OWNER if document.get(key)]
    if owner:
        yield ", ".join(owner)
    if document.get("opened"):
        # A trace that late spans open again is opened then.
        what = "what came late" if (document.get("revision") or 1) > 1 else "first span"
        yield f"{what} arrived {document['opened']}"
    yield from closing(document)
    yield from _completeness(document.get("completeness") or {}, document.get("span_count"))
    late = document.get("late_spans")
    if late:
        yield (
            f"{counted(late, 'span')} came late and did not join: the trace was no longer held, "
            "so its scores are without them"
        )
    breaches = document.get("breaches")
    if breaches:
        yield f"outside their threshold: {', '.join(map(_text, breaches))}"


def _completeness(completeness: Mapping[str, Any], span_count: int | None) -> Iterator[str]:
    if span_count is not None:
        yield counted(span_count, "span")
    if completeness.get("root_present") is False:
        yield "incomplete: the root span never came"
    for key, text in _GAPS:
        if completeness.get(key):
            yield f"incomplete: {completeness[key]} {text}"
    if completeness.get("lost"):
        yield f"incomplete: lost {shorten(', '.join(map(str, completeness['lost'])), 200)}"
    if completeness.get("truncated_content"):
        yield "incomplete: some content was cut"


def _scores(scores: Sequence[Mapping[str, Any]]) -> Table:
    table = Table("metric", "value", "label", "status", "reason", "explanation", box=box.SIMPLE)
    # An optional output that was not measured is no news.
    for score in (score for score in scores if score.get("status") != "missing"):
        name = output_name(str(score["metric"]), str(score.get("output", "value")))
        rest = (score.get(key) for key in ("label", "status", "reason", "explanation"))
        table.add_row(_text(name), number(score.get("value")), *map(_text, rest))
    return table


def _text(value: Any) -> str:
    return "-" if value is None else shorten(str(value), 160)
