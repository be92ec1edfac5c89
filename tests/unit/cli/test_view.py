from io import StringIO

from rich.console import Console

from scorer.api import (
    Agent,
    AgentTrace,
    Completeness,
    Document,
    ErrorInfo,
    Handoff,
    Media,
    ToolCall,
    Usage,
)
from scorer.cli.view import render


def text_of(**fields):
    out = StringIO()
    view = AgentTrace(trace_id="t" * 32, **fields)
    Console(file=out, width=160, markup=False).print(render(view))
    return out.getvalue()


def row(text, name):
    return next(line for line in text.splitlines() if line.strip().startswith(name))


def test_what_is_not_captured_is_said_to_be_so():
    """Not captured, empty and none retrieved are three different things."""
    bare = text_of()
    assert "not captured" in row(bare, "answer")
    assert "not captured" in row(bare, "contexts")
    empty = text_of(answer="", contexts=(), tool_calls=())
    assert "(empty)" in row(empty, "answer")
    assert "(none retrieved)" in row(empty, "contexts")
    assert "(none)" in row(empty, "tool calls")


def test_all_facts_are_shown():
    """A reader sees what a metric would read."""
    text = text_of(
        service="shop",
        dialects=("openinference",),
        question="Q?",
        contexts=(Document("passage", id="d1", score=0.5), Document(None, id="d2")),
        tool_calls=(ToolCall(name="f", arguments={"x": 1}, status="error", error_type="E"),),
        agents=(Agent("a"), Agent("b")),
        handoffs=(Handoff("a", "b"),),
        usage=Usage(input=1200, output=3),
        cost_usd=0.25,
        errors=(ErrorInfo("s1", "E", "broke"),),
        start_ns=1,
        end_ns=1 + 2_500_000_000,
        completeness=Completeness(span_count=3, root_present=False, orphan_parents=1),
    )
    for part in (
        "shop · openinference · 3 spans · 2.5 s",
        "Q?",
        "d1 (0.5): passage",
        "d2: text not captured",
        'f({"x":1}) -> error E',
        "a, b; handoffs: a -> b",
        "1,200 input, 3 output",
        "$0.25",
        "E: broke",
        "no root span, 1 orphan parents",
    ):
        assert part in text


def test_content_is_never_taken_as_markup():
    """Brackets and control characters of a span are shown, not obeyed."""
    assert "[red]hi[/red] �" in text_of(answer="[red]hi[/red] \x1b")


def test_long_lists_are_cut():
    """A trace with a hundred calls stays readable."""
    calls = tuple(ToolCall(name=f"f{n}") for n in range(100))
    text = text_of(tool_calls=calls)
    assert "… and 92 more" in text
    assert "f50" not in text


def test_media_are_listed_when_there_are_any():
    """Kind and reference, never content: they decide which multimodal metrics can run."""
    assert "media" not in text_of()
    shown = text_of(
        media=(Media("image", "sha256:ab", "image/png", size=70), Media("video", "v" * 500))
    )
    assert "image (image/png): sha256:ab, 70 bytes" in row(shown, "media")
    assert "video: vvv" in shown
    assert "v" * 80 not in shown
