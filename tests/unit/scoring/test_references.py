"""Where the right answer comes from."""

import pytest

from scorer.api import AgentTrace, Reference
from scorer.errors import ConfigError
from scorer.scoring.references import read_references


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "refs.jsonl"
    path.write_text(
        '{"case_id": "c1", "answer": "Paris"}\n\n'
        '{"question": "What  is TWO plus two?", "answer": "4"}\n'
    )
    return read_references(str(path))


def test_the_case_id_finds_the_reference(store):
    """Keyed by case id first."""
    found = store.attach(AgentTrace(trace_id="t", case_id="c1")).reference
    assert (found.answer, found.source) == ("Paris", "case_id")


def test_the_question_finds_it_whatever_its_case_and_spacing(store):
    """NFKC, case folding and white-space folding, then an exact match."""
    found = store.attach(AgentTrace(trace_id="t", question=" what is two plus two? ")).reference
    assert (found.answer, found.source) == ("4", "question")


def test_a_similar_question_finds_nothing(store):
    """A wrong reference is worse than none."""
    assert store.attach(AgentTrace(trace_id="t", question="what is two plus 2?")).reference is None


def test_the_trace_s_own_reference_wins(store):
    """An attribute on the root comes before the store."""
    own = Reference(answer="Lyon")
    trace = AgentTrace(trace_id="t", case_id="c1", reference=own)
    assert store.attach(trace).reference is own


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1"),
        ('{"answer": "x"}', "needs case_id or question"),
        ("[]", "line 1"),
        ('{"case_id": "a", "expected": "x"}', "holds none of answer"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    """The error names the file, the line and the fault."""
    path = tmp_path / "refs.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(ConfigError, match=said):
        read_references(str(path))


def test_a_missing_file_is_a_configuration_error(tmp_path):
    """Not a traceback."""
    with pytest.raises(ConfigError, match=r"nothing\.jsonl"):
        read_references(str(tmp_path / "nothing.jsonl"))
