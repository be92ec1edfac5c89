import pytest

from metrics.multimodal.video_response_relevance import VideoResponseRelevance
from scorer.api import AgentTrace, EmbedFrames, Media, Unscored
from scorer.testing import FakeInference

FILM = Media("video", "film.mp4")


def trace(**fields):
    return AgentTrace(**{"trace_id": "t", "answer": "A cat.", "media": (FILM,)} | fields)


def metric(mode="beyond", film=(0.0, 0.1, 0.2, 0.3), **options):
    inference = FakeInference(films={"film.mp4": film})
    return VideoResponseRelevance(mode=mode, inference=inference, **options), inference


def test_the_mean_and_the_best_frame_count():
    """Middles of two halves of four frames: 1 and 3, cosines 0.1 and 0.3.

    0.6 * 0.2 + 0.4 * 0.3 = 0.24; 0.24 / 0.25 = 0.96.
    """
    result = metric(num_frames=2)[0].score(trace())
    assert result.values == {"value": pytest.approx(0.96), "similarity": pytest.approx(0.24)}
    assert result.detail["frames"] == [[1, 3]]


def test_a_short_film_gives_each_frame_once():
    """Eight parts of four frames: each frame once, 0.6 * 0.15 + 0.4 * 0.3 = 0.21."""
    result = metric()[0].score(trace())
    assert result.detail["frames"] == [[0, 1, 2, 3]]
    assert result.values["similarity"] == pytest.approx(0.21)


def test_unrelated_pairs_calibrate_it():
    """(0.21 - 0.17) / (0.25 - 0.17) = 0.5; two of three are below."""
    result = metric(unrelated=[0.15, 0.17, 0.22])[0].score(trace())
    assert result.values["value"] == pytest.approx(0.5)
    assert result.values["percentile"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"media": ()}, "no_video"),
        ({"media": (Media("image", "a.png"),)}, "no_video"),
        ({"answer": None}, "no_answer"),
        ({"answer": ""}, "empty_answer"),
    ],
)
def test_what_is_absent_gives_a_reason(fields, reason):
    """Never a 0."""
    assert metric()[0].score(trace(**fields)) == Unscored(reason)


@pytest.mark.parametrize("mode", ["beyond", "documented"])
def test_without_the_sidecar_it_is_skipped(mode):
    """There is a film, but nobody to look at it."""
    unserved = VideoResponseRelevance(mode=mode)
    assert unserved.score(trace()) == Unscored("sidecar_unavailable", "skipped")


def test_a_film_that_cannot_be_decoded_is_no_score():
    """No frame, no value."""
    assert metric(film=())[0].score(trace()) == Unscored("no_frames", "failed")
    documented = metric(mode="documented", film=())[0].score(trace())
    assert documented.detail == {"error": "no_frames"}


def test_the_documented_mode_takes_the_starts_and_scales_nothing():
    """Frames 0 and 2, cosines 0 and 0.2: 0.6 * 0.1 + 0.4 * 0.2 = 0.14."""
    documented, inference = metric(mode="documented", num_frames=2)
    assert documented.score(trace()).values == {"value": pytest.approx(0.14)}
    assert inference.requests[-1] == EmbedFrames("ViT-B-32", FILM, 2, "start")


def test_the_documented_mode_has_no_value_for_what_made_the_original_fail():
    """A text that its tokenizer refuses."""
    documented, _ = metric(mode="documented")
    assert documented.score(trace(answer="cat " * 100)).detail == {"error": "text_too_long"}
    assert documented.score(trace(media=())).detail == {"error": "no_video_path"}


@pytest.mark.parametrize("count", [0, 257])
def test_a_wrong_number_of_frames_is_refused(count):
    """One at least, and no film in full."""
    with pytest.raises(ValueError, match="num_frames"):
        VideoResponseRelevance(num_frames=count)
