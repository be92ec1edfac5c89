import pytest

from metrics.multimodal.transcripts import TOO_LONG, ErrorRates, error_rates
from scorer.api import Unscored


def wer(reference, transcript):
    return error_rates(reference, transcript).wer


@pytest.mark.parametrize(
    ("reference", "transcript", "wrong"),
    [
        ("the cat sat on the mat", "the cat sat on the mat", 0),
        ("the cat sat on the mat", "the cat sat on mat", 1),  # one deleted
        ("the cat sat on the mat", "the bat sat on the mat", 1),  # one replaced
        ("the cat sat on the mat", "the cat sat on the red mat", 1),  # one inserted
        ("the cat sat on the mat", "", 6),
        ("the cat sat on the mat", "a b c d e f g h i", 9),  # 6 replaced, 3 inserted
    ],
)
def test_words_that_are_wrong_are_counted(reference, transcript, wrong):
    """Of the six words of the reference; more can be wrong than there are."""
    assert wer(reference, transcript) == pytest.approx(wrong / 6)


def test_characters_are_counted_too():
    """One letter of `the cat` (7 with the space) differs, and one of two words."""
    assert error_rates("the cat", "the bat") == ErrorRates(wer=0.5, cer=pytest.approx(1 / 7))


@pytest.mark.parametrize(
    ("reference", "transcript"),
    [
        ("Hello, World!", "hello world"),
        ("It's a dog's life", "its a dogs life"),
        ("It’s ﬁne", "it's fine"),
        ("twenty-one people", "21 people"),
        ("One of one hundred and five", "1 of 105"),
        ("zero point one", "0 point 1"),
        (
            "zwei Häuser und einundzwanzig Leute sind nicht da",
            "2 häuser und 21 leute sind nicht da",
        ),
        ("\uff11\uff12\uff13 go", "123 go"),
        ("cafe\u0301", "café"),
        ("東京タワー。", "東京 タワー"),
    ],
)
def test_the_way_of_writing_is_no_error(reference, transcript):
    """Case, punctuation, shape, apostrophes, and numbers as words or digits."""
    assert error_rates(reference, transcript).rate == 0.0
    assert error_rates(transcript, reference).rate == 0.0


def test_a_language_without_spaces_has_no_words():
    """One of five characters differs."""
    rates = error_rates("東京タワー", "東京タワ")
    assert rates == ErrorRates(wer=None, cer=pytest.approx(0.2))
    assert rates.rate == rates.cer


@pytest.mark.parametrize("reference", ["...", "—", "?!"])
def test_a_reference_without_a_word_gives_nothing(reference):
    """An error rate is a share of its words."""
    assert error_rates(reference, "hello") == Unscored("no_reference")


def test_what_grows_too_long_when_it_is_normalised_is_not_compared():
    """One sign of Arabic stands for four words of 18 characters."""
    assert error_rates("hello", "\ufdfa " * 10_000) == TOO_LONG
    assert error_rates("word " * 10_001, "hello") == TOO_LONG


@pytest.mark.parametrize("unit", ["1 ", "one ", "twenty ", "a'", "1,", "東", "e\u0301", "\n"])
def test_hostile_texts_take_no_time(unit):
    """The longest that are read, of any repetition, in well under five seconds."""
    text = unit * (50_000 // len(unit))
    error_rates("word 12 " * 6_000, text)
    error_rates(text, "word 12 " * 6_000)


def test_marks_of_a_language_without_spaces_count():
    """A vowel of Thai is no letter of its own, and yet it makes another word: 1 of 3."""
    assert error_rates("ก\u0e34น", "ก\u0e31น").cer == pytest.approx(1 / 3)
