import pytest

from metrics.privacy.disclosure import Disclosed, normal, values_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a@b.com", "sent to A@B.COM."),
        ("Ann Smith", "Dear ann  smith,"),
        ("Straße 1", "in der STRASSE 1"),
        ("hunter22", "the password is 'hunter22'"),
        ("+1 212 555 0123", "call (212) 555-0123"),
        ("+49 30 1234567", "call 030/1234567"),
        ("4111111111111111", "card 4111 1111 1111 1111."),
        ("078-05-1120", "ssn 078 05 1120"),
        ("2125550123", "two: 9999 212-555-0123 7"),
        ("4111111111111111", "card 4111\u20111111\u20111111\u20111111"),
    ],
)
def test_a_value_is_found_however_it_is_written(value, text):
    """Case, white space, typographic characters and the grouping of digits do not matter."""
    assert Disclosed(text).holds(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1234", "order 12345"),
        ("rome", "the chrome browser"),
        ("ann@b.com", "joann@b.com, x.ann@b.com"),
        ("2125550123", "order 92125550123"),
        ("12345", "1 2 3 4 5"),
        ("4111111111111111", "4111 1111 1111 11112"),
        ("078-05-1120", "nothing"),
    ],
)
def test_a_part_of_something_else_is_not_the_value(value, text):
    """It stands between the bounds of words, a number between those of groups of digits."""
    assert not Disclosed(text).holds(value)


@pytest.mark.parametrize("unit", ["1 ", "1", "aaaa", "a@b.com.", "+1 (", "\u00e9 "])
def test_long_texts_take_no_long_time(unit):
    """Work is linear in the text, also where the value almost stands in it everywhere."""
    text = Disclosed(unit * (100_000 // len(unit)))
    for value in ("1111111111", "+1 111 111 1111", "aaaa", "a@b.co", "x@y.zz"):
        text.holds(value)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("abcd", ["abcd"]),
        (" abcd ", ["abcd"]),
        ("abc", []),
        (None, []),
        (True, []),
        (12345, ["12345"]),
        (["abcd", {"x": "efgh"}], ["abcd", "efgh"]),
        ([[[[["abcd"]]]]], []),
        (["abcd"] * 20, ["abcd"] * 10),
    ],
)
def test_texts_and_numbers_of_four_characters_and_more_are_values(given, found):
    """Shorter ones stand in any text by chance."""
    assert values_of(given) == found


def test_the_name_of_a_key_has_a_normal_form():
    """`Credit-Card`, `credit card` and `credit_card` are one."""
    assert {normal("Credit-Card"), normal("credit card"), normal("credit_card")} == {"credit_card"}
