from metrics.quality.terms import terms_of


def test_terms_are_taken_apart():
    """Words, amounts, names, months and addresses of one claim."""
    terms = terms_of("Since May 5 the Acme shop sells 3 kettles, see www.acme.com/shop.", "english")
    assert terms.words == {"acme", "shop", "sells", "kettles", "see"}
    assert [number.readings for number in terms.numbers] == [("5",), ("3",)]
    assert (terms.names, terms.months) == ({"acme"}, {5})
    assert terms.addresses == {"acme.com/shop"}
    assert terms.count == 9  # 5 words, 2 amounts, 1 month, 1 address
