import pytest

from metrics.multimodal.cross_modal_grounding import CrossModalGrounding
from scorer.api import AgentTrace, EmbedMedia, EmbedText, Media, Unscored
from scorer.testing import FakeInference

CAT = Media("image", "cat.png", "image/png")


def trace(**fields):
    return AgentTrace(**{"trace_id": "t", "answer": "A cat.", "media": (CAT,)} | fields)


def metric(mode="beyond", **options):
    inference = FakeInference(cosines={"cat.png": 0.2, "dog.png": 0.1})
    return CrossModalGrounding(mode=mode, inference=inference, **options), inference


def test_likeness_counts_up_to_the_threshold():
    """0.2 / 0.25 = 0.8."""
    result = metric()[0].score(trace())
    assert result.values == {"value": pytest.approx(0.8), "similarity": pytest.approx(0.2)}
    assert result.method == "embedding"


def test_the_image_that_is_nearest_counts():
    """A second one that is less alike takes nothing away."""
    both = trace(media=(Media("image", "dog.png"), CAT))
    result = metric()[0].score(both)
    assert result.values["similarity"] == pytest.approx(0.2)
    assert result.detail["images"] == 2


def test_unrelated_pairs_calibrate_it():
    """(0.2 - 0.15) / (0.25 - 0.15) = 0.5, above all three."""
    result = metric(unrelated=[0.1, 0.15, 0.18])[0].score(trace())
    assert result.values["value"] == pytest.approx(0.5)
    assert result.values["percentile"] == 1.0


def test_the_model_gets_sentences_and_the_reference_as_it_is():
    """Under the name that open_clip has; nothing is read here."""
    found, inference = metric(clip_model_name="ViT-L/14")
    found.score(trace(answer="A cat. It sleeps."))
    assert inference.requests == [
        EmbedText("ViT-L-14", "A cat."),
        EmbedText("ViT-L-14", "It sleeps."),
        EmbedMedia("ViT-L-14", CAT),
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"media": ()}, "no_image"),
        ({"media": (Media("audio", "a.wav"),)}, "no_image"),
        ({"answer": None}, "no_answer"),
        ({"answer": " "}, "empty_answer"),
    ],
)
def test_what_is_absent_gives_a_reason(fields, reason):
    """Never a 0."""
    assert metric()[0].score(trace(**fields)) == Unscored(reason)


@pytest.mark.parametrize("mode", ["beyond", "documented"])
def test_without_the_sidecar_it_is_skipped(mode):
    """There is an image, but nobody to look at it."""
    unserved = CrossModalGrounding(mode=mode)
    assert unserved.score(trace()) == Unscored("sidecar_unavailable", "skipped")
    lacking = unserved.score(trace(media=()))
    assert (lacking.reason, lacking.status) == (
        ("no_image" if mode == "beyond" else "not_measurable"),
        "not_applicable",
    )


def test_an_image_that_must_not_be_read_is_no_score():
    """The reason of the inference is that of the score."""
    secret = trace(media=(Media("image", "file:///etc/passwd"),))
    assert metric()[0].score(secret) == Unscored("media_not_found", "failed")


def test_the_documented_mode_may_go_below_zero():
    """-0.1 / 0.25; the whole answer is one text, the first image the only one."""
    inference = FakeInference(cosines={"cat.png": -0.1, "dog.png": 0.9})
    documented = CrossModalGrounding(mode="documented", inference=inference)
    both = trace(answer="A cat. It sleeps.", media=(CAT, Media("image", "dog.png")))
    assert documented.score(both).values == {"value": pytest.approx(-0.4)}
    assert inference.requests[0] == EmbedText("ViT-B-32", "A cat. It sleeps.")


def test_the_documented_mode_has_no_value_for_what_made_the_original_fail():
    """A long text, an image that is not there, a division by zero."""
    documented, _ = metric(mode="documented")
    assert documented.score(trace(answer="cat " * 100)).detail == {"error": "text_too_long"}
    gone = trace(media=(Media("image", "gone.png"),))
    assert documented.score(gone).detail == {"error": "media_not_found"}
    inference = FakeInference(cosines={"cat.png": -0.1})
    zero = CrossModalGrounding(mode="documented", threshold=0.0, inference=inference)
    assert zero.score(trace()).detail == {"error": "division_by_zero"}


def test_a_wrong_threshold_is_refused():
    """In the better mode; the original takes anything."""
    with pytest.raises(ValueError, match="threshold must be above"):
        CrossModalGrounding(threshold=0)
