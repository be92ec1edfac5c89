from scorer.cli.foreign import ForeignSpans
from scorer.model.span import Resource, Scope, Span
from scorer.model.trace import Completeness, Trace


def trace(scope, *keys):
    span = Span(
        trace_id="1" * 32, span_id="2" * 16, parent_span_id="", name="s", kind=1, start_ns=1,
        end_ns=2, attributes=dict.fromkeys(keys, "x"), events=(), links=(), status_code=0,
        status_message="", flags=0, dropped_attributes=0, dropped_events=0, dropped_links=0,
        resource=Resource({}, ""), scope=Scope(scope),
    )  # fmt: skip
    completeness = Completeness(span_count=1, root_present=True)
    return Trace(
        tenant="", trace_id="1" * 32, spans=(span,), logs=(), reason="root",
        completeness=completeness,
    )  # fmt: skip


def test_scopes_and_key_prefixes_are_named():
    """So the reader sees which instrumentation it is."""
    foreign = ForeignSpans()
    foreign.add(trace("acme.tracer", "acme.input", "acme.output", "mode"))
    (advice,) = foreign.advice()
    assert advice.startswith("1 trace of no known dialect")
    assert "scopes: acme.tracer" in advice
    assert "attribute keys: acme.*, mode" in advice or "attribute keys: mode, acme.*" in advice


def test_without_such_traces_there_is_nothing_to_say():
    """No trace, no advice."""
    assert list(ForeignSpans().advice()) == []
