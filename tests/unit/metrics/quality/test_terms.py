import pytest

from metrics.quality import terms as term
from metrics.quality.terms import Terms, addresses_in, months_in


def terms(text):
    return Terms(text, "english")


def test_terms_are_taken_apart():
    """Words, amounts, names, months and addresses of one claim."""
    claim = terms("Since May 5 the Acme shop sells 3 kettles, see www.acme.com/shop.")
    assert claim.words == {"acme", "shop", "sells", "kettles", "see"}
    assert [number.readings for number in claim.numbers] == [("5",), ("3",)]
    assert (claim.names, claim.months) == ({"acme"}, {5})
    assert claim.addresses == {"acme.com/shop"}


def test_an_address_is_no_word_but_its_tokens_are_counted():
    """Its numbers are no amounts either."""
    claim = terms("See www.acme.com/v2 for 3 kettles")
    assert claim.words == {"see", "kettles"}
    assert [number.readings for number in claim.numbers] == [("3",)]
    assert claim.tokens == ["see", "www", "acme", "com", "v2", "for", "3", "kettles"]


@pytest.mark.parametrize(
    ("text", "tokens", "written"),
    [
        ("Twenty-five Kettles", ["25", "kettles"], ["0", "Kettles"]),
        ("1.5 million, or -3 °C", ["1500000", "or", "-3", "c"], ["0", "or", "0", "C"]),
        ("the 5th F16", ["the", "5", "f16"], ["the", "0", "F16"]),
        ("C++ and C#", ["c_plusplus", "and", "c_sharp"], ["C", "and", "C"]),
        ("", [], []),
    ],
)
def test_a_number_is_one_token(text, tokens, written):
    """Its value, whatever it is written with; in the text as written it keeps its place."""
    assert terms(text).tokens == tokens
    assert terms(text).written == written
    assert terms(text).folded == [word.casefold() for word in written]


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("on 12 May", {5}),
        ("it may rain in June", {6}),
        ("May 5, and March", {5, 3}),
        ("May I go?", set()),
    ],
)
def test_a_month_is_no_word(text, months):
    """A word such as "may" is one only with a capital, beside a number or not at the beginning."""
    assert months_in(text, "english") == terms(text).months == months
    assert not {"june", "march"} & terms(text).words


def test_a_month_that_is_none_is_a_word():
    """In lower case "march" is what feet do."""
    assert "march" in terms("We march on").words


def test_words_are_found_in_any_form_and_units_in_any_spelling():
    """By themselves, by their stem, as a word of a number, or as another name of a unit."""
    text = terms("It weighs five kg and costs $4.")
    assert text.has_any(["pounds", "weighed"])
    for word in ("weighs", "weighed", "kilograms", "dollars", "five"):
        assert text.has_any([word]), word
    assert not text.has_any(["pounds", "heavy"])
    assert not text.has_any([])
    assert not terms("an apple").has_any(["year"])  # the French "an"


def test_amounts_are_read_without_marks():
    """Bold print does not part a number from what it counts."""
    claim = terms("It has **5** wheels")
    assert claim.amounts.holds(terms("5 wheels").numbers[0])
    assert not claim.amounts.holds(terms("6 wheels").numbers[0])


@pytest.mark.parametrize(
    "sentence",
    [
        "Write to ann@example.com, or see https://www.acme.com/a?b=1.",
        "See (acme.de), acme.de/x and xacme.de; WWW.Acme.org too, at 7:46 p.m.",
        "a.de\u2028b.com\tc.de\n  d.org \x1fwww.e.de\u00a0f.fr.",
        "xa.de a.de .de www. http:// @.com",
        "No.De **acme.com** _acme.io_ says it.",
    ],
)
def test_addresses_are_found_word_by_word_as_in_the_whole_sentence(sentence):
    """There is no space in an address; all the spaces of the sentence stay."""
    rest, found = addresses_in(sentence)
    assert rest == term._ADDRESS.sub(" ", sentence)
    assert found == {term.address_form(item) for item in term._ADDRESS.findall(sentence)}
