import pytest

from scorer.dialects.values import (
    as_text,
    boolean,
    decoded,
    identifier,
    integer,
    parse_json,
    real,
    strings,
    text,
)


@pytest.mark.parametrize("value", ["__REDACTED__", "N/A", "<not specified>", "", "  ", None, 3])
def test_a_sentinel_or_blank_is_no_text(value):
    """What an instrumentation writes where there is nothing to say counts as absent."""
    assert text(value) is None


def test_json_in_a_string_is_decoded_two_levels_deep():
    """Some SDKs encode values twice."""
    assert decoded('"{\\"a\\": 1}"') == {"a": 1}


def test_a_bare_number_in_a_string_stays_a_string():
    """The order number "1042" is not a count."""
    assert decoded("1042") == "1042"


def test_broken_json_stays_as_it_is():
    """A parse failure never loses the value."""
    assert decoded('{"a": ') == '{"a": '


@pytest.mark.parametrize(
    ("value", "count"), [(3, 3), ("3", 3), (3.0, 3), (-1, None), (True, None), (1.5, None)]
)
def test_a_count_is_a_non_negative_whole_number(value, count):
    """Numeric strings and whole floats are counts, booleans and negatives are not."""
    assert integer(value) == count


@pytest.mark.parametrize("value", ["nan", "inf", float("nan"), "x", True, None, [1]])
def test_a_real_number_is_finite(value):
    """NaN and infinity never enter a view."""
    assert real(value) is None


def test_an_id_may_be_a_number():
    """Session ids are sometimes integers."""
    assert identifier(7) == "7"


def test_strings_come_from_lists_json_lists_and_scalars():
    """Finish reasons arrive in all three forms."""
    assert strings(["a"]) == strings('["a"]') == strings("a") == ("a",)


def test_a_structure_becomes_compact_json_text():
    """Tool results in messages are text."""
    assert as_text({"a": [1]}) == '{"a":[1]}'


def test_half_a_surrogate_pair_hides_nothing_else():
    """A sender that cut an emoji in two must not make an answer vanish."""
    document = parse_json('[{"content": "mail a@b.co \\ud83d", "n": 1}]')
    assert document == [{"content": "mail a@b.co \ufffd", "n": 1}]
    assert parse_json('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


def test_numbers_that_are_no_json_are_read():
    """NaN is common in what Python programs call JSON."""
    assert parse_json('{"score": NaN, "text": "x"}')["text"] == "x"


def test_what_is_no_json_is_an_error():
    """Also when it is deep enough to exhaust a recursive parser."""
    for broken in ("{", "[1, 2", "[" * 100_000, "nope"):
        with pytest.raises(ValueError, match="not JSON"):
            parse_json(broken)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), ("False", False), (" true ", True), ("yes", None), (1, None), (None, None)],
)
def test_a_boolean_is_one_or_its_word(value, expected):
    """A number is not: 1 may be a count."""
    assert boolean(value) is expected
