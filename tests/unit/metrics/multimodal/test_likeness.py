import pytest

from metrics.multimodal.likeness import (
    UNAVAILABLE,
    Scale,
    best,
    by_picture,
    compare,
)
from scorer.api import Embeddings, EmbedFrames, EmbedMedia, EmbedText, Media, Unscored
from scorer.testing import FakeInference

CAT = EmbedText("m", "a cat")


def image(ref):
    return EmbedMedia("m", Media("image", ref))


def test_cosines_stand_in_a_row_for_each_text():
    """The fake's texts have a cosine of 1, so each column is the image's own."""
    inference = FakeInference(cosines={"a": 0.3, "b": 0.1})
    found = compare(inference, [CAT, EmbedText("m", "a dog")], [image("a"), image("b")])
    assert found.rows == ((0.3, 0.1), (0.3, 0.1))
    assert found.lost == ()


def test_the_nearest_picture_counts_for_a_text_and_the_mean_for_a_picture():
    """`up` is at cosine 0.6: with an image at 0.8 it has 0.6 * 0.8 + 0.8 * 0.6 = 0.96."""
    inference = FakeInference(cosines={"up": 0.6, "a": 0.8, "b": 0.0})
    found = compare(inference, [CAT, EmbedText("m", "up")], [image("a"), image("b")])
    # rows: (0.8, 0), (0.96, 0.8); the largest: 0.8 and 0.96; by column: 0.88 and 0.4
    assert best(found) == pytest.approx(0.88)
    assert by_picture(found) == pytest.approx([0.88, 0.4])


def test_without_an_inference_nothing_is_known():
    """It is not the trace's fault: skipped."""
    assert compare(None, [CAT], [image("a")]) == UNAVAILABLE
    assert Unscored("sidecar_unavailable", "skipped") == UNAVAILABLE


def test_one_picture_that_is_lost_leaves_the_others():
    """Its reason is kept; only when all are lost is it the result."""
    inference = FakeInference(cosines={"a": 0.3})
    assert compare(inference, [CAT], [image("x"), image("a")]).lost == ("media_not_found",)
    assert compare(inference, [CAT], [image("x")]) == Unscored("media_not_found", "failed")


def test_a_text_that_is_lost_leaves_nothing():
    """A part of the answer would be another answer."""
    inference = FakeInference(cosines={"a": 0.3})
    inference.down = True
    assert compare(inference, [CAT], [image("a")]) == UNAVAILABLE


def test_a_film_without_frames_is_no_film():
    """Nothing of it could be decoded."""
    inference = FakeInference(films={"f": []})
    film = EmbedFrames("m", Media("video", "f"), 4)
    assert compare(inference, [CAT], [film]) == Unscored("no_frames", "failed")


def test_vectors_of_different_length_are_a_fault():
    """Rather a failed score than a wrong one."""

    class Broken(FakeInference):
        def embed(self, requests):
            return [Embeddings(((1.0,) * n,)) for n in range(1, len(requests) + 1)]

    with pytest.raises(ValueError, match="zip"):
        compare(Broken(), [CAT], [image("a")])


def test_a_scale_without_a_baseline_starts_at_zero():
    """0.1 / 0.25; the ends are cut."""
    scale = Scale(0.25, ())
    assert scale.values(0.1) == {"value": pytest.approx(0.4), "similarity": 0.1}
    assert scale.values(0.3)["value"] == 1.0
    assert scale.values(-0.1) == {"value": 0.0, "similarity": -0.1}


def test_a_baseline_of_unrelated_pairs_is_worth_nothing():
    """Its median 0.15 is 0: (0.2 - 0.15) / (0.25 - 0.15) = 0.5, above 3 of 4 pairs."""
    scale = Scale(0.25, [0.1, 0.18, 0.12, 0.22])
    assert scale.values(0.2) == {
        "value": pytest.approx(0.5),
        "similarity": 0.2,
        "percentile": 0.75,
    }
    assert scale.values(0.12)["value"] == 0.0


@pytest.mark.parametrize(
    ("threshold", "unrelated"), [(0.0, ()), (1.5, ()), (0.25, [0.3, 0.3]), (float("nan"), ())]
)
def test_a_threshold_must_be_above_the_unrelated(threshold, unrelated):
    """Otherwise what is unrelated would be perfect."""
    with pytest.raises(ValueError, match="threshold must be above"):
        Scale(threshold, unrelated)
