"""Invariants of the multimodal metrics, over generated inputs."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.multimodal.audio_transcription_quality import AudioTranscriptionQuality
from metrics.multimodal.cross_modal_grounding import CrossModalGrounding
from metrics.multimodal.image_caption_accuracy import ImageCaptionAccuracy
from metrics.multimodal.multimodal_coherence import MultimodalCoherence
from metrics.multimodal.transcripts import error_rates
from metrics.multimodal.video_response_relevance import VideoResponseRelevance
from scorer.api import AgentTrace, EmbedFrames, Measurement, Media, Reference, Unscored
from scorer.testing import FakeInference

PLAIN = ["the", "cat", "sat", "on", "a", "mat", "while", "dogs", "ran", "by", "café"]
WORDS = st.lists(st.sampled_from(PLAIN), min_size=1, max_size=12)
SENTENCE = st.lists(st.sampled_from([*PLAIN, "two", "in", "1999", "and"]), min_size=1, max_size=12)
TEXT = st.text(max_size=200)
COSINE = st.floats(-1, 1)
FOREIGN = "xylophone"
KINDS = {"image": "photo", "audio": "recording", "video": "footage", "document": "document"}
MEDIA = [Media(kind, f"{kind}.bin") for kind in KINDS]


def value(metric, trace):
    result = metric.score(trace)
    assert isinstance(result, Measurement)
    assert 0 <= result.values["value"] <= 1
    return result.values["value"]


def heard(transcript, answer):
    reference = Reference(transcript=transcript)
    return AgentTrace(trace_id="t", answer=answer, reference=reference)


def captioned(caption, answer):
    return AgentTrace(trace_id="t", answer=answer, reference=Reference(caption=caption))


def quality(transcript, answer):
    return value(AudioTranscriptionQuality(), heard(transcript, answer))


def accuracy(caption, answer):
    return value(ImageCaptionAccuracy(use_semantic=False), captioned(caption, answer))


@given(TEXT)
def test_an_identical_text_is_perfect(text):
    """Whatever it says, if it says anything."""
    for metric, trace in (
        (AudioTranscriptionQuality(), heard(text, text)),
        (ImageCaptionAccuracy(use_semantic=False), captioned(text, text)),
    ):
        result = metric.score(trace)
        assert result == Unscored("no_reference") or result.values["value"] == 1.0


@given(TEXT, TEXT)
def test_any_two_texts_are_in_range_or_have_a_reason(reference, answer):
    """No text makes a metric raise, or leave its range."""
    for metric, trace in (
        (AudioTranscriptionQuality(), heard(reference, answer)),
        (ImageCaptionAccuracy(use_semantic=False), captioned(reference, answer)),
    ):
        result = metric.score(trace)
        assert result == Unscored("no_reference") or 0 <= result.values["value"] <= 1


@given(SENTENCE, SENTENCE, st.data())
def test_the_way_of_writing_never_counts(reference, answer, data):
    """Neither case, nor punctuation, nor the Unicode form, on either side."""

    def rewritten(words):
        text = " ".join(
            data.draw(st.sampled_from([word, word.upper(), f"“{word}”", f"{word},"]))
            for word in words
        )
        return unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD", "NFKD"])), text)

    said, got = " ".join(reference), " ".join(answer)
    assert quality(rewritten(reference), rewritten(answer)) == quality(said, got)
    assert accuracy(rewritten(reference), rewritten(answer)) == accuracy(said, got)


@given(SENTENCE, SENTENCE, st.data())
def test_another_wrong_word_never_raises_the_quality(reference, answer, data):
    """Put in somewhere, or in the place of another one: by words and by the caption's F1."""
    place = data.draw(st.integers(0, len(answer)))
    said, got = " ".join(reference), " ".join(answer)
    for skipped in (0, 1):
        worse = " ".join([*answer[:place], FOREIGN, *answer[place + skipped :]])
        assert quality(said, worse) <= quality(said, got)
        assert accuracy(said, worse) <= accuracy(said, got)


@given(WORDS, st.data())
def test_each_word_that_is_left_out_costs(reference, data):
    """From a perfect transcript, one word after the other, down to silence."""
    kept, last = list(reference), 1.0
    while kept:
        kept.pop(data.draw(st.integers(0, len(kept) - 1)))
        now = quality(" ".join(reference), " ".join(kept))
        assert now < last
        last = now
    assert last == 0.0


@given(WORDS, WORDS)
def test_the_error_rate_is_a_distance(one, other):
    """As many words are wrong whichever of the two is the reference."""
    there = error_rates(" ".join(one), " ".join(other)).wer * len(one)
    back = error_rates(" ".join(other), " ".join(one)).wer * len(other)
    assert there == pytest.approx(back)


@given(SENTENCE, SENTENCE)
def test_a_caption_and_an_answer_can_change_places(one, other):
    """The F1 is symmetric."""
    first, second = " ".join(one), " ".join(other)
    assert accuracy(first, second) == pytest.approx(accuracy(second, first))


@given(st.lists(st.sampled_from(MEDIA), min_size=1, unique=True), st.data())
def test_another_mention_never_lowers_the_coherence(media, data):
    """All of them are coverage 1, none is 0."""
    order = data.draw(st.permutations([KINDS[item.kind] for item in media]))
    values = [
        value(
            MultimodalCoherence(),
            AgentTrace(trace_id="t", answer=" and ".join(order[:count]), media=tuple(media)),
        )
        for count in range(len(order) + 1)
    ]
    assert values == pytest.approx([count / len(order) for count in range(len(order) + 1)])


@given(TEXT, TEXT, st.permutations(MEDIA))
def test_the_coherence_of_any_answer_is_in_range(answer, question, media):
    """And does not depend on the order of the media."""
    mixed = AgentTrace(trace_id="t", answer=answer, question=question, media=tuple(media))
    sorted_ = AgentTrace(trace_id="t", answer=answer, question=question, media=tuple(MEDIA))
    assert value(MultimodalCoherence(), mixed) == value(MultimodalCoherence(), sorted_)


@given(COSINE, COSINE, st.lists(st.floats(-0.2, 0.2), max_size=6))
def test_what_is_more_alike_is_never_worth_less(one, other, unrelated):
    """Grounding and relevance rise with the cosine, whatever it is calibrated by."""
    inference = FakeInference(
        cosines={"one": min(one, other), "other": max(one, other)},
        films={"one": [min(one, other)], "other": [max(one, other)]},
    )
    options = {"unrelated": unrelated, "inference": inference}
    for kind, metric in (
        ("image", CrossModalGrounding(**options)),
        ("video", VideoResponseRelevance(**options)),
    ):
        less, more = (
            value(metric, AgentTrace(trace_id="t", answer="A cat.", media=(Media(kind, ref),)))
            for ref in ("one", "other")
        )
        assert less <= more


@given(COSINE, COSINE)
def test_another_image_never_lowers_the_grounding(one, other):
    """A sentence is about the image that is nearest to it."""
    metric = CrossModalGrounding(inference=FakeInference(cosines={"one": one, "other": other}))
    images = (Media("image", "one"), Media("image", "other"))
    alone, both = (
        value(metric, AgentTrace(trace_id="t", answer="A cat.", media=images[:count]))
        for count in (1, 2)
    )
    assert alone <= both


@given(st.integers(1, 10_000), st.integers(1, 64), st.sampled_from(["start", "middle"]))
def test_frames_lie_in_the_film_in_their_order(total, count, place):
    """At most `count`; each once from the middles."""
    indexes = EmbedFrames("m", MEDIA[2], count, place).indexes(total)
    assert list(indexes) == sorted(indexes)
    assert 0 <= indexes[0] <= indexes[-1] < total
    assert len(indexes) == (count if place == "start" else min(count, total))
