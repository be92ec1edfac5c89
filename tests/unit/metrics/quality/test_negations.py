import pytest

from metrics.quality.negations import is_negation


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("not", "english", True),
        ("isn't", "english", True),
        ("kein", "german", True),
        ("not", "german", False),
        ("note", "english", False),
    ],
)
def test_negations_are_those_of_the_language(word, language, expected):
    """German "Not" is distress."""
    assert is_negation(word, language) is expected
