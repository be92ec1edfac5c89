"""Every `Inference` keeps the promises of `scorer.api`: the fake, and whatever serves models."""

import math
from typing import Any, NamedTuple

import pytest

from scorer.api import (
    Describe,
    Description,
    Embeddings,
    EmbedFrames,
    EmbedMedia,
    EmbedText,
    Inference,
    Media,
    Unscored,
)
from scorer.testing import FakeInference


class Kit(NamedTuple):
    """An inference, and what it can be asked for."""

    inference: Any
    model: str
    image: Media
    sound: Media
    film: Media
    frames: int
    long_text: str


def fake():
    inference = FakeInference(
        cosines={"a.png": 0.3, "b.wav": 0.2},
        films={"c.mp4": [0.1, 0.2, 0.3, 0.4, 0.5]},
        words={"a.png": "A cat.", "b.wav": "Good morning."},
    )
    return Kit(
        inference,
        model="ViT-B-32",
        image=Media("image", "a.png"),
        sound=Media("audio", "b.wav"),
        film=Media("video", "c.mp4"),
        frames=5,
        long_text="a cat on a mat " * 100,
    )


MISSING = Media("image", "there-is-no-such-image.png")


@pytest.fixture(params=[fake], ids=lambda make: make.__name__)
def kit(request):
    return request.param()


def embed_one(kit, request):
    (answer,) = kit.inference.embed([request])
    return answer


def test_it_is_an_inference(kit):
    """It has both calls, and no request needs no answer."""
    assert isinstance(kit.inference, Inference)
    assert list(kit.inference.embed([])) == []
    assert list(kit.inference.describe([])) == []


def test_vectors_of_one_model_can_be_compared(kit):
    """They have length 1 and as many numbers, whatever they were made of."""
    requests = [
        EmbedText(kit.model, "a cat"),
        EmbedMedia(kit.model, kit.image),
        EmbedMedia(kit.model, kit.sound),
        EmbedFrames(kit.model, kit.film, 3),
    ]
    answers = kit.inference.embed(requests)
    assert [type(answer) for answer in answers] == [Embeddings] * 4
    vectors = [vector for answer in answers for vector in answer.vectors]
    assert {len(vector) for vector in vectors} == {len(vectors[0])}
    assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(vectors))


def test_each_request_has_its_answer_in_its_place(kit):
    """The same request gets the same answer, alone and beside others."""
    requests = [EmbedText(kit.model, text) for text in ("a cat", "two dogs", "a cat")]
    first, second, third = kit.inference.embed(requests)
    assert first == third == embed_one(kit, requests[0])
    assert second == embed_one(kit, requests[1])


def test_what_cannot_be_read_harms_no_other(kit):
    """It has a reason; nothing is raised, and what stands beside it is answered."""
    lost, found = kit.inference.embed(
        [EmbedMedia(kit.model, MISSING), EmbedMedia(kit.model, kit.image)]
    )
    assert lost in (
        Unscored("media_not_found", "failed"),
        Unscored("media_not_allowed", "skipped"),
    )
    assert isinstance(found, Embeddings)


def test_a_kind_that_is_not_asked_for_rightly_is_told(kit):
    """A film is no image, and an image has no frames."""
    wrong = [EmbedMedia(kit.model, kit.film), EmbedFrames(kit.model, kit.image, 2)]
    assert list(kit.inference.embed(wrong)) == [Unscored("unsupported_media", "failed")] * 2
    assert list(kit.inference.describe([Describe(kit.model, kit.film)])) == [
        Unscored("unsupported_media", "failed")
    ]


@pytest.mark.parametrize("place", ["start", "middle"])
def test_a_film_gives_the_frames_that_the_request_names(kit, place):
    """In their order, a vector each; more are not made up."""
    request = EmbedFrames(kit.model, kit.film, 3, place)
    answer = embed_one(kit, request)
    assert answer.frames == request.indexes(kit.frames)
    assert len(answer.vectors) == len(answer.frames)


def test_a_long_text_is_cut_and_said_to_be(kit):
    """What the model cannot read is no failure."""
    assert embed_one(kit, EmbedText(kit.model, kit.long_text)).is_cut
    assert not embed_one(kit, EmbedText(kit.model, "a cat")).is_cut


def test_an_image_and_a_sound_are_put_into_words(kit):
    """A caption and a transcript."""
    answers = kit.inference.describe([Describe("m", kit.image), Describe("m", kit.sound)])
    assert all(isinstance(answer, Description) and answer.text for answer in answers)


def test_out_of_reach_it_answers_every_request():
    """Nothing is raised when the models are gone."""
    inference = fake().inference
    inference.down = True
    down = Unscored("sidecar_unavailable", "skipped")
    assert inference.embed([EmbedText("m", "a"), EmbedText("m", "b")]) == [down, down]
    assert inference.describe([Describe("m", MISSING)]) == [down]
