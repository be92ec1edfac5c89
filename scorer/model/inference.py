"""What the metrics ask of models that run elsewhere, and what comes back.

A request names its model and holds a text, or a reference to an image, a sound or a film; never
the content itself. Whoever serves it decides whether that reference may be read at all.
"""

from typing import Literal

from msgspec import Struct

from scorer.model.agent_trace import Media

Vector = tuple[float, ...]


class EmbedText(Struct, frozen=True):
    """Make a vector of a text; what is longer than the model reads is cut, and said to be."""

    model: str
    text: str


class EmbedMedia(Struct, frozen=True):
    """Make a vector of one image or one sound."""

    model: str
    media: Media


class EmbedFrames(Struct, frozen=True):
    """Make a vector of each of `count` (at least 1) frames of a film.

    The film is divided into `count` equal parts. Taken is the frame at the `start` of each part,
    or the one in its `middle`; of these each only once.
    """

    model: str
    media: Media
    count: int
    place: Literal["start", "middle"] = "middle"

    def indexes(self, total: int) -> tuple[int, ...]:
        """Return which frames of a film of `total` frames are wanted, from 0, ascending.

        A film of fewer than `count` frames gives some more than once from the `start`; none
        gives none.
        """
        if total <= 0:
            return ()
        if self.place == "start":
            return tuple([part * total // self.count for part in range(self.count)])
        middles = [(2 * part + 1) * total // (2 * self.count) for part in range(self.count)]
        return tuple(dict.fromkeys(middles))


EmbedRequest = EmbedText | EmbedMedia | EmbedFrames


class Embeddings(Struct, frozen=True):
    """Vectors of length 1 (Euclidean), all of as many numbers: one, or one for each frame.

    The cosine of two vectors of one model, -1 to 1, is the sum of their products; that of a text
    and an image means something where the model was trained on both. `frames` are the indexes of
    the frames in the order of `vectors`; a frame that cannot be decoded is left out. `is_cut`
    says that only the beginning of a text was read.
    """

    vectors: tuple[Vector, ...]
    frames: tuple[int, ...] = ()
    is_cut: bool = False


class Describe(Struct, frozen=True):
    """Put into words what an image shows (a caption) or what is said in a sound (a transcript)."""

    model: str
    media: Media


class Description(Struct, frozen=True):
    """A caption or a transcript; "" when nothing is said. `language` is an ISO 639-1 code."""

    text: str
    language: str | None = None
