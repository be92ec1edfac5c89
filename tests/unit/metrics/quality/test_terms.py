import pytest

from metrics.quality import terms as term
from metrics.quality.terms import addresses_in, terms_of


def test_terms_are_taken_apart():
    """Words, amounts, names, months and addresses of one claim."""
    terms = terms_of("Since May 5 the Acme shop sells 3 kettles, see www.acme.com/shop.", "english")
    assert terms.words == {"acme", "shop", "sells", "kettles", "see"}
    assert [number.readings for number in terms.numbers] == [("5",), ("3",)]
    assert (terms.names, terms.months) == ({"acme"}, {5})
    assert terms.addresses == {"acme.com/shop"}
    assert terms.count == 9  # 5 words, 2 amounts, 1 month, 1 address


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
