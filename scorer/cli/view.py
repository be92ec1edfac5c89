"""A trace's normalised view as text for a person."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from scorer.api import AgentTrace, Document, Media, ToolCall
from scorer.cli.output import counted, number, shorten

_MAX_ITEMS = 8


def render(view: AgentTrace) -> RenderableType:
    """Return one trace, a fact a row; what is not captured is said to be so."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _rows(view):
        absent = Text("not captured", style="yellow")
        table.add_row(name, absent if text is None else Text(text))
    return Group(_headline(view), table, Text())


def _headline(view: AgentTrace) -> Text:
    parts = [
        shorten(view.service, 60) or "(no service)",
        ", ".join(view.dialects) or "no dialect",
        counted(view.completeness.span_count, "span"),
    ]
    if view.duration_s is not None:
        parts.append(f"{number(round(view.duration_s, 3))} s")
    if view.has_error:
        parts.append("has errors")
    if not view.is_agent:
        parts.append("not an agent: would not be scored")
    return Text.assemble(("trace ", "bold"), (view.trace_id, "bold cyan"), "  " + " · ".join(parts))


def _rows(view: AgentTrace) -> Iterator[tuple[str, str | None]]:
    yield "question", _text(view.question)
    yield "answer", _text(view.answer)
    yield "contexts", _contexts(view.contexts)
    yield "tool calls", _tool_calls(view.tool_calls)
    if view.media:
        yield "media", _lines([_media(media) for media in view.media])
    yield "agents", _agents(view)
    yield "models", _joined(list(view.models))
    yield "tokens", _tokens(view)
    yield "reported cost", None if view.cost_usd is None else f"${number(view.cost_usd)}"
    yield "session", _text(view.session_id)
    if view.reference is not None:
        yield "reference", f"from {view.reference.source}: {_text(view.reference.answer) or '-'}"
    if view.errors:
        yield "errors", _lines([_error(e.type, e.message) for e in view.errors])
    missing = _incomplete(view)
    if missing:
        yield "incomplete", missing


def _text(text: str | None) -> str | None:
    return None if text is None else shorten(text) or "(empty)"


def _joined(items: Sequence[str]) -> str | None:
    return ", ".join(shorten(item, 80) for item in items) or None


def _lines(lines: Sequence[str]) -> str:
    shown = list(lines[:_MAX_ITEMS])
    if len(lines) > _MAX_ITEMS:
        shown.append(f"… and {len(lines) - _MAX_ITEMS} more")
    return "\n".join(shown)


def _contexts(contexts: Sequence[Document] | None) -> str | None:
    if contexts is None:
        return None
    return _lines([_document(document) for document in contexts]) or "(none retrieved)"


def _document(document: Document) -> str:
    score = "" if document.score is None else f" ({number(document.score)})"
    text = "text not captured" if document.text is None else shorten(document.text, 160)
    return f"{shorten(document.id or '-', 40)}{score}: {text}"


def _tool_calls(calls: Sequence[ToolCall] | None) -> str | None:
    if calls is None:
        return None
    return _lines([_tool_call(call) for call in calls]) or "(none)"


def _tool_call(call: ToolCall) -> str:
    outcome: str = call.status or "outcome unknown"
    if call.error_type:
        outcome += f" {shorten(call.error_type, 60)}"
    result = "" if call.result is None else f": {_json(call.result)}"
    return f"{shorten(call.name, 80)}({_json(call.arguments)}) -> {outcome}{result}"


def _json(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return shorten(text, 120)


def _media(media: Media) -> str:
    size = "" if media.size is None else f", {counted(media.size, 'byte')}"
    kind = f"{media.kind} ({media.mime_type})" if media.mime_type else media.kind
    return f"{shorten(kind, 60)}: {shorten(media.ref, 80)}{size}"


def _agents(view: AgentTrace) -> str | None:
    names = [agent.name for agent in view.agents]
    handoffs = [f"{h.source or '?'} -> {h.target or '?'}" for h in view.handoffs]
    text = _joined(names)
    return text if not handoffs else f"{text or '-'}; handoffs: {_joined(handoffs)}"


def _tokens(view: AgentTrace) -> str | None:
    if view.usage is None:
        return None
    counts = msgspec.structs.asdict(view.usage)
    return ", ".join(f"{number(n)} {name}" for name, n in counts.items() if n is not None)


def _error(kind: str | None, message: str | None) -> str:
    return ": ".join(shorten(part, 200) for part in (kind, message) if part) or "(no message)"


def _incomplete(view: AgentTrace) -> str:
    state = view.completeness
    notes = [] if state.root_present else ["no root span"]
    counts = {
        "orphan parents": state.orphan_parents,
        "duplicates": state.duplicates,
        "dropped by the SDK": state.dropped,
        "conflicting": state.conflicts,
        "undecodable": state.undecodable,
        "attributes twice": state.duplicate_keys,
    }
    notes += [f"{count} {name}" for name, count in counts.items() if count]
    if state.lost:
        notes.append(f"lost: {shorten(', '.join(state.lost), 200)}")
    if state.truncated_content:
        notes.append("content was cut")
    return ", ".join(notes)
