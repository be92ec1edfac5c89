import pytest

from metrics.quality import contrasts
from metrics.quality import text as texts


def opposed(word, *others, language="english"):
    stems = {texts.stem(language, other) for other in others}
    return contrasts.opposite_in(texts.stem(language, word), stems, language)


@pytest.mark.parametrize(
    ("word", "other"), [("rose", "fell"), ("before", "after"), ("won", "lost"), ("safe", "unsafe")]
)
def test_opposites_are_known_both_ways(word, other):
    """From a table, and by prefix."""
    assert opposed(word, other)
    assert opposed(other, word)


@pytest.mark.parametrize(("word", "other"), [("rose", "grew"), ("cat", "dog"), ("form", "inform")])
def test_other_words_are_no_opposites(word, other):
    """Neither words of one side, nor strangers."""
    assert not opposed(word, other)


def test_each_language_has_its_own():
    """German words are no opposites in English."""
    assert opposed("vor", "nach", language="german")
    assert not opposed("vor", "nach")
    assert "before" in contrasts.opposed_words("english")
    assert contrasts.opposed_words("dutch") == frozenset()
