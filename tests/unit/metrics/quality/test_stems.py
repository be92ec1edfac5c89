import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.quality.stems import END, NEGATION, parted, plain, read, stems, tokens_of

WORDS = [
    "The",
    "2",
    "parts",
    "cost",
    "$1,000.50",
    "5%",
    "isn't",
    "free!",
    "Is",
    "it?",
    "U.S.",
    "a-b",
]


def stemmed(text, language="english"):
    return [stems(language)[token] for token in tokens_of([plain(text)])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The warranties are covered.", ["", "warranti", "", "cover"]),
        ("He has two cats.", ["he", "", "2", "cat"]),
        ("It isn't 1,000 km.", ["", NEGATION, "1000", "km"]),
        ("$5 is 5%", ["$", "5", "", "5", "percent"]),
        ("Rain fell. Snow fell.", ["rain", "fell", END, "snow", "fell"]),
        ("Anna\u2019s 3rd \u201cmetre\u201d", ["anna", "3", "metre"]),
    ],
)
def test_a_text_becomes_its_stems(text, expected):
    """Function words are empty, numbers are digits, units have one name, negations one sign."""
    assert stemmed(text) == expected


def test_typography_does_not_change_the_stems():
    """Curly quotes and dashes read as plain ones."""
    assert stemmed("It isn\u2019t \u201cgood\u201d") == stemmed('It isn\'t "good"')


@given(st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join))
def test_ascii_and_other_texts_are_cut_alike(text):
    """A single accent must not change how the other words are read."""
    assert [*stemmed(text), "été"] == stemmed(f"{text.rstrip(' .!?')} \u00e9t\u00e9")


def test_signs_beyond_ascii_part_words():
    """A bullet or a bracket of another script is no word, and joins none."""
    assert stemmed("\u2022 caf\u00e9 \u00abouvert\u00bb\u2192oui", "french") == [
        "caf",
        "ouvert",
        "oui",
    ]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("l'argent d'une banque", "french", ["argent", "", "banqu"]),
        ("aujourd'hui, jusqu'ici", "french", ["aujourdhui", "ici"]),
        ("dell'acqua", "italian", ["acqua"]),
        ("O'Brien didn't", "english", ["obrien", NEGATION]),
    ],
)
def test_elided_words_stand_apart(text, language, expected):
    """What loses its vowel before another word is a function word; that other word counts."""
    assert stemmed(text, language) == expected


def test_a_missing_space_between_sentences_is_put_in():
    """Passages that were glued together have a word at the seam."""
    texts = ["the 19th century.First it was", "No.1 of the U.S.A."]
    assert parted(texts) == ["the 19th century. First it was", texts[1]]


def test_unspaced_scripts_become_pairs():
    """Neighbouring characters stand for words."""
    assert stemmed("日本の首都") == ["日本", "本の", "の首", "首都"]


@given(st.lists(st.text(alphabet="aB1.,!?\"')$% \n\x02\x03\u00e9\u2019")))
def test_many_texts_are_cut_as_each_alone(texts):
    """What stands at the edge of one has no part in the next."""
    assert tokens_of(texts) == [tokens_of([text])[0] for text in texts]


def test_contexts_are_read_once_for_all_metrics():
    """As plain texts with spaces between their sentences, and as stems."""
    contexts = ("It ends.It begins\u2014so it is.", "Kettles")
    texts, found = read(contexts, "english")
    assert texts == ["It ends. It begins - so it is.", "Kettles"]
    assert found == [stemmed(text) for text in texts]
    assert read(contexts, "english")[1] is found
