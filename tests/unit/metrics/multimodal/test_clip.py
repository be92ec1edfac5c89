from functools import partial

from metrics.multimodal.clip import Clip, pieces
from scorer.api import AgentTrace, EmbedMedia, Media, Unscored
from scorer.testing import FakeInference


def image(ref):
    return EmbedMedia("m", Media("image", ref))


def compared(inference, *refs, answer="A cat.", most=2):
    media = (Media("audio", "a.wav"), *[Media("image", ref) for ref in refs])
    trace = AgentTrace(trace_id="t", answer=answer, media=media)
    return Clip("m", inference).compare_answer(trace, "image", partial(EmbedMedia, "m"), most)


def test_only_so_many_media_of_the_kind_are_looked_at():
    """Those that are not, or are lost, are counted; others are not ours."""
    inference = FakeInference(cosines={"a": 0.3, "c": 0.9})
    found = compared(inference, "a", "b", "c", answer="A cat. It sleeps.")
    assert found.likeness.rows == ((0.3,), (0.3,))
    assert found.detail == {
        "model": "m",
        "unread_media": 2,
        "lost": ["media_not_found"],
        "sentences": 2,
        "unread": 0,
        "cut": 0,
    }


def test_what_is_absent_gives_a_reason():
    """Media before the answer, the answer before the model."""
    assert compared(None, answer=None) == Unscored("no_image")
    assert compared(None, "a", answer=None) == Unscored("no_answer")
    assert compared(None, "a", answer=" ") == Unscored("empty_answer")
    assert compared(None, "a") == Unscored("sidecar_unavailable", "skipped")


def test_an_outcome_is_compared_as_a_whole():
    """As the original does, whose tokenizer refuses what is too long."""
    clip = Clip("m", FakeInference(cosines={"a": 0.3}))
    assert clip.cosines("A cat. It sleeps.", image("a")) == (0.3,)
    assert clip.cosines("cat " * 100, image("a")) == Unscored("text_too_long")
    assert clip.cosines("A cat.", image("x")) == Unscored("media_not_found", "failed")


def test_an_answer_is_read_in_sentences_that_fit_the_model():
    """Long ones in parts of 200 characters, 32 in all; the rest is counted."""
    assert pieces("A cat. A dog.") == (["A cat.", "A dog."], 0)
    parts, unread = pieces("word " * 100)
    assert [len(part) <= 200 for part in parts] == [True] * 3
    assert unread == 0
    assert pieces("One. " * 40)[1] == 8
    assert pieces(" \n") == ([], 0)


def test_a_huge_answer_is_not_read_to_its_end():
    """One sentence of a megabyte gives 32 parts."""
    for unit in ("x", "x. ", "a ", ".", "\n"):
        assert len(pieces(unit * (1_000_000 // len(unit)))[0]) <= 32


def test_models_have_the_names_of_open_clip():
    """The option has the original's."""
    assert Clip("ViT-B/32", None).model == "ViT-B-32"
