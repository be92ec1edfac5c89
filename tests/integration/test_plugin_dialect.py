"""A dialect of a separately installed package."""

import pytest

from scorer.config import parse_config
from scorer.receivers.files import StoredFiles, collect
from scorer.registry import load_dialects
from scorer.scoring.engine import build_engine
from scorer.testing import TraceBuilder

ACME = {"acme.step": "run", "acme.asked": "q", "acme.said": "a"}
STANDARD = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "other"}


@pytest.fixture
def view(tmp_path):
    """The view of a trace of one span, as the command `inspect` makes it."""

    def seen(**attributes):
        builder = TraceBuilder(1)
        builder.span("acme", **attributes)
        (tmp_path / "spans.pb").write_bytes(builder.request())
        (closed,) = collect(StoredFiles([str(tmp_path)]))
        return build_engine(parse_config({})).view(closed)

    return seen


@pytest.mark.usefixtures("demo_plugin")
def test_it_is_found_and_used(view):
    """By its entry point, without any configuration."""
    assert "demo_acme" in {dialect.name for dialect in load_dialects()}
    seen = view(**ACME)
    assert (seen.question, seen.answer, seen.agent) == ("q", "a", "acme")
    assert seen.dialects == ("demo_acme",)


@pytest.mark.usefixtures("demo_plugin")
def test_what_it_says_is_preferred(view):
    """It was installed because it knows better; the others complete it."""
    seen = view(**ACME, **STANDARD, **{"gen_ai.conversation.id": "c"})
    assert (seen.agent, seen.session_id) == ("acme", "c")
    assert seen.dialects == ("demo_acme", "otel_genai")


def test_without_the_package_nobody_reads_its_spans(view):
    """So it is the plug-in that does."""
    seen = view(**ACME)
    assert (seen.is_agent, seen.dialects) == (False, ())
