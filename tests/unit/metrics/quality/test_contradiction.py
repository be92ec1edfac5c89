import pytest

from metrics.quality.contradiction import contradiction
from metrics.quality.said import said
from metrics.quality.sources import Source


def contrary(claim, sentence, share=1.0):
    source = Source((sentence,), "english")
    return contradiction(said(claim, "english"), source.sentence(0), share, "english")


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("It is not covered", "It is covered", "negation"),
        ("It is covered", "It isn't covered", "negation"),
        ("It is not covered", "It is not covered", ""),
        ("Sales rose in spring", "Sales fell in spring", "opposite"),
        ("Sales rose and then fell", "Sales fell in spring", ""),
        ("The crew of 12 men left", "The crew of 14 men left", "number"),
        ("It lasts 4 months", "It lasts 4 years", "number"),
        ("It began in 1998", "It began in 1999", "number"),
        ("It began in 2018-19", "It began in 2018-2019", ""),
        ("It began in June", "It began in April", "number"),
        ("It began in June", "It began in April or June", ""),
        ("It took 4 days and 3 men", "It took 3 men and 4 days", ""),
        ("Ann Bell met Carl", "Ann Bell met Carl and Bell", ""),
        ("In May Acme bought Bolt", "In May Bolt bought Acme", "order"),
        ("In May Acme was bought by Bolt", "In May Bolt bought Acme", ""),
    ],
)
def test_only_what_is_decisive_contradicts(claim, sentence, expected):
    """A negation, an opposite, another figure in the same slot, names that changed places."""
    assert contrary(claim, sentence) == expected


@pytest.mark.parametrize(("share", "expected"), [(0.5, ""), (0.7, ""), (0.8, "negation")])
def test_a_sentence_about_other_things_contradicts_nothing(share, expected):
    """It must hold most of the claim."""
    assert contrary("It is not covered", "It is covered", share) == expected
