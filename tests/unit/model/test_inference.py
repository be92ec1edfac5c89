import pytest

from scorer.api import EmbedFrames, Media

FILM = Media("video", "a.mp4")


def indexes(total, count, place):
    return EmbedFrames("m", FILM, count, place).indexes(total)


@pytest.mark.parametrize(
    ("total", "count", "place", "wanted"),
    [
        # i * 10 / 4 = 0, 2.5, 5, 7.5
        (10, 4, "start", (0, 2, 5, 7)),
        # (i + 0.5) * 10 / 4 = 1.25, 3.75, 6.25, 8.75
        (10, 4, "middle", (1, 3, 6, 8)),
        # a film of two frames: 0, 2/3, 4/3, and 1/3, 1, 5/3
        (2, 3, "start", (0, 0, 1)),
        (2, 3, "middle", (0, 1)),
        (1, 8, "middle", (0,)),
        # in floating point 29 / 100 * 100 is below 29
        (100, 100, "start", tuple(range(100))),
        (0, 8, "start", ()),
        (0, 8, "middle", ()),
    ],
)
def test_frames_are_spread_evenly(total, count, place, wanted):
    """One from each of `count` equal parts, the whole numbers below."""
    assert indexes(total, count, place) == wanted
