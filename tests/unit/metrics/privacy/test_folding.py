import pytest

from metrics.privacy.folding import fold


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\u00a0b\u202fc\u2009d\u3000e", "a b c d e"),
        ("1\u20102\u20113\u22124\ufe585\uff0d6", "1-2-3-4-5-6"),
        ("\uff11\u0662\u0969", "123"),
        ("a\uff20b\uff0eco", "a@b.co"),
        ("1\u20142", "1-2"),
        ("me\u20145", "me\u20145"),
        ("1\u20132\u20153 \u2013 me\u20154\u20145", "1-2-3 \u2013 me\u20154-5"),
        ("plain", "plain"),
        ("caf\u00e9 東京", "caf\u00e9 東京"),
    ],
)
def test_typographic_characters_become_the_plain_ones(text, plain):
    """One for one, so that every place stays the same."""
    folded = fold(text)
    assert folded.text == plain
    assert folded.span(0, len(plain)) == (0, len(text))


def test_characters_without_width_are_taken_out_and_their_places_kept():
    """a, then b behind a zero-width space and a soft hyphen."""
    folded = fold("\u200ba\u200b\u00adb")
    assert folded.text == "ab"
    assert folded.span(0, 1) == (1, 2)
    assert folded.span(1, 2) == (4, 5)
    assert folded.span(0, 2) == (1, 5)
