from metrics.quality.lexicon import STOPWORDS
from metrics.quality.numerals import numerals


def test_every_language_counts_to_a_hundred_thousand():
    """2 to 10, the tens, a hundred and a thousand have a word wherever there are stop words."""
    for language in STOPWORDS:
        values = set(numerals(language).values.values())
        missing = {*range(2, 17), 20, 30, 40, 50, 60, 100, 1000, 10**6} - values
        assert missing == set(), language


def test_only_powers_of_ten_and_dozens_multiply():
    """It is "2 hundred" that is a number, not "2 zweihundert"."""
    english, german = numerals("english").factors, numerals("german").factors
    assert {"hundred", "million", "millions", "dozen"} <= english.keys()
    assert "twelve" not in english
    assert "zweihundert" not in german


def test_germanic_and_italian_compounds_are_made():
    """Units and tens of one word."""
    assert numerals("german").values["neunundneunzig"] == 99
    assert numerals("dutch").values["vijfentwintig"] == 25
    assert numerals("italian").values["ventuno"] == 21
    assert numerals("italian").values["trentotto"] == 38
