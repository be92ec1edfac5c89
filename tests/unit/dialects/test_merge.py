import pytest

from scorer.dialects.about import ABOUT
from scorer.dialects.merge import Read, by_detail, merge
from scorer.model.agent_trace import Usage
from scorer.model.span_facts import SpanFacts


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


@pytest.mark.parametrize("name", sorted(ABOUT.keys() - {"otel_genai"}))
def test_own_keys_say_more_than_the_standard_ones(name):
    """What a library translates into the standard loses detail."""
    reads = [Read(name, SpanFacts(role="tool")), Read("otel_genai", SpanFacts(role="chain"))]
    order = by_detail([Named("otel_genai"), Named(name)])
    assert [dialect.name for dialect in order] == [name, "otel_genai"]
    assert merge(reads).role == "tool"


@pytest.mark.parametrize("name", sorted(ABOUT.keys() - {"otel_genai"}))
def test_only_a_plug_in_may_know_a_better_session(name):
    """A built-in dialect that is in no order would be taken for one."""
    reads = [Read(name, SpanFacts(session_id="own")), Read("otel_genai", SpanFacts(session_id="c"))]
    assert merge(reads).session_id == "c"
    assert merge([Read("mine", SpanFacts(session_id="m")), *reads]).session_id == "m"
