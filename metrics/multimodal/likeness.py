"""How alike an answer and pictures are: by vectors of a model that was trained on both.

The vectors come from an `Inference`; nothing here reads an image or a film.
"""

from bisect import bisect_right
from collections.abc import Sequence
from statistics import fmean, median

from msgspec import Struct

from scorer.api import Embeddings, EmbedRequest, EmbedText, Inference, OutputSpec, Unscored, Vector

UNAVAILABLE = Unscored("sidecar_unavailable", "skipped")
OUTPUTS = (
    OutputSpec(),
    OutputSpec(name="similarity", range=(-1.0, 1.0), required=False),
    OutputSpec(name="percentile", required=False),
)


class Likeness(Struct, frozen=True):
    """Cosines: a row for each text, in it one for each vector of the media.

    `media` are those that could be embedded, `lost` says why others could not, and `cut` is how
    many texts were read in part only.
    """

    rows: tuple[tuple[float, ...], ...]
    media: tuple[Embeddings, ...]
    lost: tuple[str, ...]
    cut: int


class Scale:
    """What a cosine is worth, from 0 to 1.

    At `threshold` it is 1; 0 is the median of `unrelated`, cosines of texts and pictures that do
    not belong together (none given: a cosine of 0).
    """

    def __init__(self, threshold: float, unrelated: Sequence[float]) -> None:
        self._threshold = threshold
        self._unrelated = sorted(unrelated)
        self._low = median(self._unrelated) if unrelated else 0.0
        if not self._low < threshold <= 1:
            raise ValueError(
                f"threshold must be above {self._low:g} (the median of unrelated) and at most 1, "
                f"not {threshold!r}"
            )

    def values(self, similarity: float) -> dict[str, float | bool]:
        """Return the outputs for a cosine; the percentile is the share of `unrelated` below it."""
        worth = (similarity - self._low) / (self._threshold - self._low)
        values: dict[str, float | bool] = {
            "value": min(1.0, max(0.0, worth)),
            "similarity": similarity,
        }
        if self._unrelated:
            below = bisect_right(self._unrelated, similarity)
            values["percentile"] = below / len(self._unrelated)
        return values


def compare(
    inference: Inference | None, said: Sequence[EmbedText], media: Sequence[EmbedRequest]
) -> Likeness | Unscored:
    """Return how alike each text and each of the media are, or why that is not known."""
    if inference is None:
        return UNAVAILABLE
    answers = inference.embed([*said, *media])
    mine, theirs = answers[: len(said)], answers[len(said) :]
    read = [answer for answer in mine if isinstance(answer, Embeddings)]
    seen = [answer for answer in theirs if isinstance(answer, Embeddings) and answer.vectors]
    refusals = [answer for answer in (*mine, *theirs) if isinstance(answer, Unscored)]
    if len(read) < len(said) or (not seen and refusals):
        return refusals[0]
    if not seen:
        return Unscored("no_frames", "failed")
    vectors = [vector for item in seen for vector in item.vectors]
    return Likeness(
        rows=tuple(
            [tuple([_cosine(item.vectors[0], other) for other in vectors]) for item in read]
        ),
        media=tuple(seen),
        lost=tuple([refusal.reason for refusal in refusals]),
        cut=sum(item.is_cut for item in read),
    )


def best(likeness: Likeness) -> float:
    """Return the mean over the texts of how alike the nearest picture is."""
    return fmean(map(max, likeness.rows))


def by_picture(likeness: Likeness) -> list[float]:
    """Return for each picture the mean of how alike the texts are."""
    return [fmean(column) for column in zip(*likeness.rows, strict=True)]


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
