import time

import pytest

from metrics.quality.quantities import decimal_mark, quantities
from metrics.quality.text import normalise


def read(text, language="english"):
    text = normalise(text)
    found = quantities(text, language, decimal_mark(text, language))
    return [(item.readings[0], *item.nouns) for item in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5 million users", ("1500000", "user")),
        ("$1.5bn", ("1500000000", "dollar")),
        ("$5m", ("5000000", "dollar")),
        ("5M views", ("5000000", "view")),
        ("5 m", ("5", "m")),
        ("25k", ("25000",)),
        ("2 dozen eggs", ("24", "egg")),
        ("two dozen eggs", ("24", "egg")),
        ("5 thousand million", ("5000000000",)),
        ("3 crore rupees", ("30000000", "inr")),
        ("5\u4e07\u5143", ("50000", "\u5143")),
    ],
)
def test_a_magnitude_multiplies(text, expected):
    """Words, letters and signs of size belong to the number."""
    assert read(text) == [expected]


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("twenty-five", "english", "25"),
        ("forty one", "english", "41"),
        ("two hundred and fifty thousand", "english", "250000"),
        ("a million", "english", "1000000"),
        ("third", "english", "3"),
        ("3rd", "english", "3"),
        ("fünfundzwanzig", "german", "25"),
        ("zweihundert", "german", "200"),
        ("dritte", "german", "3"),
        ("5 Mio.", "german", "5000000"),
        ("soixante-dix-sept", "french", "77"),
        ("quatre-vingt-dix-neuf", "french", "99"),
        ("vingt et un", "french", "21"),
        ("mille neuf cent quatre-vingt", "french", "1980"),
        ("10 000", "french", "10000"),
        ("treinta y cinco", "spanish", "35"),
        ("cinco mil millones", "spanish", "5000000000"),
        ("ventotto", "italian", "28"),
        ("duemila", "italian", "2000"),
        ("trinta e cinco", "portuguese", "35"),
        ("tweeëntwintig", "dutch", "22"),
        ("10 000", "english", "10000"),
    ],
)
def test_number_words_have_a_value_in_every_language(text, language, value):
    """Cardinals, ordinals, compounds and sums of words are read."""
    assert read(text, language) == [(value,)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-5 °C", [("-5", "celsius")]),
        ("−5", [("-5",)]),
        ("-$5", [("-5", "dollar")]),
        ("minus 5 degrees Celsius", [("-5", "celsius")]),
        ("2010-2015", [("2010",), ("2015",)]),
        ("2010 -2015", [("2010",), ("2015",)]),
        ("covid-19", [("19",)]),
        ("- 5 apples", [("5", "appl")]),
    ],
)
def test_a_sign_is_part_of_a_number_and_a_hyphen_is_not(text, expected):
    """A dash in front counts unless it joins two things, or lists one."""
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5kg of rice", [("5", "kg", "rice")]),
        ("5 lbs", [("5", "lb")]),
        ("€42", [("42", "eur")]),
        ("42 EUR", [("42", "eur")]),
        ("US$5", [("5", "usd")]),
        ("90 %", [("90", "percent")]),
        ("five per cent", [("5", "percent")]),
        ("a 3-year limited warranty", [("3", "year", "limit", "warranti")]),
        ("two full years", [("2", "year", "full")]),
        ("two (2) years", [("2", "year"), ("2", "year")]),
        ("3 to 5 years", [("3", "year"), ("5", "year")]),
        ("3, 4 or 5 years", [("3", "year"), ("4", "year"), ("5", "year")]),
        ("Weight (kg): 5", [("5", "kg")]),
        ('{"weight_kg": 5}', [("5", "kg")]),
        ("In 1999 sales rose", [("1999",)]),
        ("5% in 2020 and 8% in 2021", [("5", "percent"), ("2020",), ("8", "percent"), ("2021",)]),
        ("12 May", [("12",)]),
        ("5 an hour", [("5",)]),
    ],
)
def test_a_number_knows_what_it_counts(text, expected):
    """A unit first, from behind, before, or across a range; then nouns; a year has none."""
    assert read(text) == expected


@pytest.mark.parametrize("text", ["", "X200", "millions of stars", "often a weight", "none"])
def test_what_is_no_number_is_not_read(text):
    """Digits inside a word, and words that only contain a number word."""
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "language", "mark"),
    [
        ("no numbers like that: 1.5", "english", None),
        ("It cost 42,500 in all.", "english", "."),
        ("Es kostet 42.500 und mehr.", "german", ","),
        ("It cost 42,500 and 3,5 more.", "english", None),
        ("Cuesta 42.500 en total.", "spanish", None),
        ("42.500", "german", ","),
        ("42,500 and 2.5", "english", "."),
        ("42,500 and 2,5, or so", "english", "."),
        ("42,500 and 12345,6789", "english", None),
        ("12,3456 or a,123 or 1, 234", "english", None),
    ],
)
def test_the_decimal_mark_is_that_of_the_language_unless_the_text_differs(text, language, mark):
    """Where habits are mixed both readings stay open."""
    assert decimal_mark(text, language) == mark


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1 ",
        "1 000 ",
        "1,000.",
        "two ",
        "five hundred ",
        "-1",
        "$1 ",
        "1kg ",
        "1: ",
        "million ",
    ],
)
def test_hostile_text_takes_linear_time(unit):
    """100 KB of any repetition is read in well under five seconds."""
    text = unit * (100_000 // len(unit))
    for language in ("english", "french"):
        start = time.process_time()
        quantities(text, language, decimal_mark(text, language))
        assert time.process_time() - start < 5
