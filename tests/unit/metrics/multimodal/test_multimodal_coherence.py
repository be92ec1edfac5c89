import pytest

from metrics.multimodal.multimodal_coherence import MultimodalCoherence
from scorer.api import AgentTrace, Media, Unscored

IMAGE, AUDIO = Media("image", "a.png"), Media("audio", "b.wav")


def trace(said, *media, **fields):
    return AgentTrace(**{"trace_id": "t", "answer": said, "media": media} | fields)


def value(answer, *media):
    return MultimodalCoherence().score(trace(answer, *media)).values["value"]


def test_each_kind_that_is_mentioned_counts():
    """Two images are one kind: 1 of 2, then 2 of 2."""
    media = (IMAGE, Media("image", "c.png"), AUDIO)
    assert value("The photo shows a cat.", *media) == 0.5
    assert value("In the recording somebody calls the cat of the photo.", *media) == 1.0
    assert value("A cat.", *media) == 0.0


def test_it_lists_what_there_was_and_what_was_mentioned():
    """For whoever wonders about the value."""
    result = MultimodalCoherence().score(trace("The photo shows a cat.", AUDIO, IMAGE))
    assert result.detail == {"media": ["image", "audio"], "mentioned": ["image"]}
    assert result.method == "lexical"


def test_only_whole_words_mention():
    """The original takes `oversee` for seeing and rewards `meanwhile`."""
    answer = "Meanwhile we oversee the bread."
    assert value(answer, IMAGE) == 0.0
    documented = MultimodalCoherence(mode="documented").score(trace(answer, IMAGE))
    # 0.6 * 1 + 0.4 * 1/3
    assert documented.values["value"] == pytest.approx(0.7333333)


def test_the_question_is_no_medium():
    """The original asks every answer for a word like `text`: 0.6 * 1/2."""
    asked = trace("The photo shows a cat.", IMAGE, question="What is this?")
    assert MultimodalCoherence().score(asked).values["value"] == 1.0
    documented = MultimodalCoherence(mode="documented").score(asked)
    assert documented.values["value"] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("fields", "reason"), [({"media": ()}, "no_media"), ({"answer": None}, "no_answer")]
)
def test_what_is_absent_gives_a_reason(fields, reason):
    """Never a 0."""
    assert MultimodalCoherence().score(trace("A photo.", IMAGE, **fields)) == Unscored(reason)


def test_the_documented_mode_has_no_value_without_any_input():
    """Neither media nor a question."""
    documented = MultimodalCoherence(mode="documented").score(trace("A photo."))
    assert documented == Unscored("not_measurable", detail={"error": "no_modality"})
