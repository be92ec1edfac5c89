import tomllib
from pathlib import Path

from scorer.dialects.merge import Read, by_detail, merge
from scorer.model.agent_trace import Usage
from scorer.model.span_facts import SpanFacts

ROOT = Path(__file__).parents[3]


class Named:
    def __init__(self, name):
        self.name = name

    def matches(self, span, logs):
        return True

    def read(self, span, logs):
        return SpanFacts()


def test_each_field_comes_from_the_first_dialect_that_has_it():
    """One span may be read by several dialects, which complete each other."""
    facts = merge(
        [
            Read("openinference", SpanFacts(role="llm", session_id="oi")),
            Read("otel_genai", SpanFacts(role="agent", session_id="gen", provider="openai")),
        ]
    )
    assert (facts.role, facts.provider) == ("llm", "openai")


def test_the_conversation_id_of_the_standard_comes_first():
    """`gen_ai.conversation.id` heads the list of session candidates."""
    reads = [
        Read("openinference", SpanFacts(session_id="oi")),
        Read("otel_genai", SpanFacts(session_id="gen")),
    ]
    assert merge(reads).session_id == "gen"


def test_token_counts_complete_each_other():
    """One dialect may count cached tokens that another leaves out."""
    reads = [
        Read("openinference", SpanFacts(usage=Usage(5, 2))),
        Read("otel_genai", SpanFacts(usage=Usage(9, 9, cache_read=1))),
    ]
    assert merge(reads).usage == Usage(5, 2, cache_read=1)


def test_a_span_that_no_dialect_reads_has_no_facts():
    """Plain application spans stay in the tree without facts."""
    assert merge([]) == SpanFacts()


def test_a_plug_in_is_preferred_to_the_built_in_dialects():
    """It was installed because it knows better."""
    order = by_detail([Named("otel_genai"), Named("mine"), Named("openinference")])
    assert [dialect.name for dialect in order] == ["mine", "openinference", "otel_genai"]


def test_every_built_in_dialect_has_a_rank():
    """One that has none would be preferred to all, like a plug-in."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    built_in = pyproject["project"]["entry-points"]["spanscore.dialects"]
    plug_in = Named("anything else")
    order = by_detail([*(Named(name) for name in built_in), plug_in])
    assert order[0] is plug_in
    assert order[-1].name == "otel_genai"
