import pytest

from metrics.multimodal.audio_transcription_quality import AudioTranscriptionQuality
from scorer.api import AgentTrace, Reference, Unscored

SAID = "Please call me back at ten tomorrow"


def trace(said, transcript=SAID, **reference):
    return AgentTrace(
        trace_id="t", answer=said, reference=Reference(transcript=transcript, **reference)
    )


def score(answer, transcript=SAID):
    return AudioTranscriptionQuality().score(trace(answer, transcript))


def test_what_is_right_counts():
    """One of seven words is wrong."""
    result = score("please call me back at 10 today")
    assert result.values["value"] == pytest.approx(6 / 7)
    assert result.values["wer"] == pytest.approx(1 / 7)
    assert result.detail == {"unit": "word"}
    assert result.method == "lexical"


def test_more_errors_than_words_are_no_less_than_nothing():
    """WER 4 / 1; the value ends at 0, the rate goes on."""
    result = score("hello big wide world today", "hello")
    assert (result.values["value"], result.values["wer"]) == (0.0, 4.0)


def test_a_silent_answer_got_nothing_right():
    """It was captured, and it is empty."""
    assert score("").values == {"value": 0.0, "wer": 1.0, "cer": 1.0}


def test_a_language_without_spaces_is_measured_by_characters():
    """Four of five."""
    result = score("東京タワ", "東京タワー")
    assert result.values == {"value": pytest.approx(0.8), "cer": pytest.approx(0.2)}
    assert result.detail == {"unit": "character"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (AgentTrace(trace_id="t", answer="x"), "no_reference"),
        (trace("x", None, answer="an answer is no transcript"), "no_reference"),
        (trace("x", " "), "no_reference"),
        (trace("x", "..."), "no_reference"),
        (trace(None), "no_answer"),
    ],
)
def test_what_is_absent_gives_a_reason(given, reason):
    """Never a 0."""
    assert AudioTranscriptionQuality().score(given) == Unscored(reason)


@pytest.mark.parametrize("mode", ["beyond", "documented"])
@pytest.mark.parametrize("pair", [("word " * 10_001, SAID), (SAID, "word " * 10_001)])
def test_hours_of_speech_are_skipped(mode, pair):
    """The work grows with the product of the lengths."""
    answer, transcript = pair
    result = AudioTranscriptionQuality(mode=mode).score(trace(answer, transcript))
    assert result == Unscored("transcript_too_long", "skipped")


def test_the_documented_mode_counts_case_and_punctuation():
    """`Please` and `Tomorrow.` are errors: 1 - 2/7; the transcript, or else the answer."""
    documented = AudioTranscriptionQuality(mode="documented")
    heard = "please call me back at ten tomorrow."
    assert documented.score(trace(heard)).values == {"value": pytest.approx(5 / 7)}
    assert documented.score(trace(heard, None, answer=heard)).values == {"value": 1.0}
    assert documented.score(trace(heard, None)).reason == "not_measurable"


def test_the_documented_mode_without_word_errors_takes_any_anagram():
    """The share of the characters that occur at all."""
    documented = AudioTranscriptionQuality(mode="documented", use_wer=False)
    assert documented.score(trace("cab", "abc")).values == {"value": 1.0}
