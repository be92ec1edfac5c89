"""Hand-built spans, and the view that the built-in dialects make of them."""

import json
import tomllib
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from scorer.dialects.normalise import normalise
from scorer.dialects.tree import Tree, build_tree
from scorer.model.agent_trace import AgentTrace
from scorer.model.span import Event, LogRecord, Resource, Scope, Span
from scorer.model.trace import Completeness, Trace

POINTS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
BUILT_IN = POINTS["project"]["entry-points"]["spanscore.dialects"].values()
DIALECTS = tuple(EntryPoint("", point, "").load() for point in BUILT_IN)
MILLISECOND = 1_000_000


def build_span(span_id: str, attributes: dict[str, Any] | None = None, **fields: Any) -> Span:
    """Return a span; `start` and `end` are milliseconds, `events` (name, attributes) pairs."""
    start = fields.pop("start", int(span_id, 16) + 1)
    end = fields.pop("end", start + 1)
    events = tuple(Event(name, 0, values) for name, values in fields.pop("events", ()))
    defaults: dict[str, Any] = {
        "trace_id": "aa",
        "parent_span_id": fields.pop("parent", ""),
        "name": fields.pop("name", f"span {span_id}"),
        "kind": 1,
        "links": (),
        "status_code": fields.pop("status", 0),
        "status_message": fields.pop("message", ""),
        "flags": 0,
        "dropped_attributes": 0,
        "dropped_events": 0,
        "dropped_links": 0,
        "resource": Resource({}, fields.pop("service", "shop")),
        "scope": Scope(fields.pop("scope", "app")),
    }
    return Span(
        span_id=span_id,
        attributes=attributes or {},
        events=events,
        start_ns=start * MILLISECOND,
        end_ns=end * MILLISECOND,
        **{**defaults, **fields},
    )


def build_log(span_id: str, event_name: str, body: Any, **attributes: Any) -> LogRecord:
    """Return a log record of a span."""
    return LogRecord("aa", span_id, 1, event_name, body, attributes, Resource({}, ""), Scope())


def build_trace(spans: Sequence[Span], logs: Sequence[LogRecord] = ()) -> Trace:
    """Return the finished trace that holds the spans."""
    completeness = Completeness(span_count=len(spans), root_present=True)
    return Trace(
        tenant="",
        trace_id="aa",
        spans=tuple(spans),
        logs=tuple(logs),
        reason="root",
        completeness=completeness,
    )


def build_chat(span_id: str, messages: Any = None, reply: Any = None, **fields: Any) -> Span:
    """Return a model span of the OpenTelemetry conventions; `more` adds attributes."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    if messages is not None:
        attributes["gen_ai.input.messages"] = json.dumps(messages)
    if reply is not None:
        attributes["gen_ai.output.messages"] = json.dumps(reply)
    attributes.update(fields.pop("more", {}))
    return build_span(span_id, attributes, **fields)


@pytest.fixture
def span() -> Callable[..., Span]:
    return build_span


@pytest.fixture
def log() -> Callable[..., LogRecord]:
    return build_log


@pytest.fixture
def chat() -> Callable[..., Span]:
    return build_chat


@pytest.fixture
def view() -> Callable[..., AgentTrace]:
    def normalised(*spans: Span, logs: Sequence[LogRecord] = ()) -> AgentTrace:
        return normalise(build_trace(spans, logs), DIALECTS)

    return normalised


@pytest.fixture
def tree() -> Callable[..., Tree]:
    def built(*spans: Span) -> Tree:
        return build_tree(build_trace(spans), DIALECTS)

    return built


def said(role: str, text: str) -> dict[str, Any]:
    """Return a message of the OpenTelemetry form."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def asked(name: str, arguments: Any, call_id: str | None = None) -> dict[str, Any]:
    """Return an assistant's message that calls a tool."""
    part = {"type": "tool_call", "name": name, "arguments": arguments, "id": call_id}
    return {"role": "assistant", "parts": [part]}


def told(result: Any, call_id: str | None = None) -> dict[str, Any]:
    """Return the message that brings a tool's result back."""
    part = {"type": "tool_call_response", "response": result, "id": call_id}
    return {"role": "tool", "parts": [part]}


@pytest.fixture
def words() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the makers of messages: (said, asked, told)."""
    return said, asked, told


@pytest.fixture
def trace_of() -> Callable[..., Trace]:
    return build_trace


@pytest.fixture
def dialects() -> tuple[Any, ...]:
    return DIALECTS
