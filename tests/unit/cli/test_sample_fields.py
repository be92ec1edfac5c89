import pytest

from scorer.cli.sample_fields import UnknownFields, did_you_mean, why_no_sample

KNOWN = frozenset({"question", "answer", "contexts", "expected", "tool_calls"})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("context", "contexts"),
        ("ground_truth", "expected"),
        ("reference", "expected"),
        ("output", "answer"),
        ("Answer", "answer"),
        ("tool_call", "tool_calls"),
    ],
)
def test_other_names_of_a_field_are_recognised(name, meant):
    """The usual names in other tools, and slips of the pen."""
    assert did_you_mean(name, KNOWN) == f"; did you mean {meant!r}?"


def test_a_name_like_no_other_gets_no_hint():
    """No hint is better than a wrong one."""
    assert did_you_mean("human_label", KNOWN) == ""
    assert did_you_mean("output", frozenset({"text"})) == ""


def test_the_names_that_are_told_are_bounded():
    """Samples whose keys are data must not flood the terminal."""
    told = []
    fields = UnknownFields({"": KNOWN}, told.append)
    fields.check({f"key-{n}": n for n in range(100)}, 1)
    assert len(told) == 21
    assert "not told" in told[-1]


def test_stored_spans_are_recognised():
    """The reader learns which command reads them."""
    assert "spanscore replay" in why_no_sample({"resourceSpans": []})
    assert "its fields: none" in why_no_sample({})
