import pytest

from scorer.cli.calibration.labels import field_of, is_bad, spans_of
from scorer.errors import PermanentError


@pytest.mark.parametrize("value", [1, 1.0, True, "1", "true", "Yes", "FAIL", "bad"])
def test_usual_words_for_bad(value):
    """Numbers, booleans and words."""
    assert is_bad(value)


@pytest.mark.parametrize("value", [0, 0.0, False, "0", "false", "no", "pass", "good"])
def test_usual_words_for_good(value):
    """Their opposites."""
    assert not is_bad(value)


def test_other_words_must_be_named():
    """What is neither is an error, unless it was said which values are bad."""
    with pytest.raises(PermanentError, match=r"'supported'.*--bad"):
        is_bad("supported")
    assert is_bad("refuted", {"refuted"})
    assert not is_bad("supported", {"refuted"})
    assert is_bad(0, {"0"})
    with pytest.raises(PermanentError):
        is_bad(0.5)
    with pytest.raises(PermanentError, match="dict"):
        is_bad({})


def test_a_label_that_is_a_whole_text_is_not_shown():
    """The wrong field was named, and what stands there may be content."""
    with pytest.raises(PermanentError) as raised:
        is_bad("Her SSN is 078-05-1120")
    assert "078" not in str(raised.value)


def test_a_field_may_be_inside_others():
    """A name with a dot of its own goes first."""
    document = {"a": {"b": 1}, "x.y": 2}
    assert (field_of(document, "a.b"), field_of(document, "x.y")) == (1, 2)
    assert field_of(document, "a.c") is field_of(document, "q") is None


def test_spans_are_renamed():
    """The usual names are known; others are taken in lower case."""
    labelled = [{"type": "X", "start": 0, "end": 2}, {"type": "Y", "start": 3, "end": 4}]
    assert spans_of(labelled, {"X": "email"}, 4) == [("email", 0, 2), ("y", 3, 4)]


@pytest.mark.parametrize("value", [["a"], [{"type": "X"}], [{"type": 1, "start": 0, "end": 1}], 5])
def test_what_is_no_span_is_told(value):
    """A label of the wrong form is an error."""
    with pytest.raises(PermanentError, match="span"):
        spans_of(value, {}, 9)


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (3, 1), (0, 10)])
def test_a_span_lies_within_its_text(start, end):
    """Offsets that count something else than characters are told, not compared."""
    with pytest.raises(PermanentError, match="9 characters"):
        spans_of([{"type": "email", "start": start, "end": end}], {}, 9)
