"""An `Inference` for tests."""

import math
from collections.abc import Mapping, Sequence

from scorer.api import (
    Describe,
    Description,
    Embeddings,
    EmbedFrames,
    EmbedMedia,
    EmbedRequest,
    EmbedText,
    Unscored,
)


class FakeInference:
    """An `Inference` without models: how alike things are is what a test says.

    `cosines` gives for a text or a reference its cosine with every text that is not named there;
    `films` the cosines of all frames of a film, `words` what a picture or a sound says. Any other
    reference is `media_not_found`. Of a text `reads` characters are read. `down` = it answers
    nothing.
    """

    def __init__(
        self,
        *,
        cosines: Mapping[str, float] | None = None,
        films: Mapping[str, Sequence[float]] | None = None,
        words: Mapping[str, str] | None = None,
        reads: int = 300,
    ) -> None:
        self.requests: list[EmbedRequest | Describe] = []
        self.down = False
        self._cosines = dict(cosines or {})
        self._films = dict(films or {})
        self._words = dict(words or {})
        self._reads = reads

    def embed(self, requests: Sequence[EmbedRequest]) -> list[Embeddings | Unscored]:
        """Return the vectors that lie as the test says."""
        self.requests += requests
        return [_DOWN if self.down else self._embedded(request) for request in requests]

    def describe(self, requests: Sequence[Describe]) -> list[Description | Unscored]:
        """Return the words that the test gave."""
        self.requests += requests
        return [_DOWN if self.down else self._described(request) for request in requests]

    def _embedded(self, request: EmbedRequest) -> Embeddings | Unscored:
        match request:
            case EmbedText(text=text):
                cosine = self._cosines.get(text, 1.0)
                return Embeddings((_at(cosine),), is_cut=len(text) > self._reads)
            case EmbedMedia(media=media):
                if media.kind not in ("image", "audio"):
                    return Unscored("unsupported_media", "failed")
                known = self._cosines.get(media.ref)
                return _NOT_FOUND if known is None else Embeddings((_at(known),))
            case EmbedFrames(media=media):
                if media.kind != "video":
                    return Unscored("unsupported_media", "failed")
                film = self._films.get(media.ref)
                if film is None:
                    return _NOT_FOUND
                frames = request.indexes(len(film))
                return Embeddings(tuple([_at(film[frame]) for frame in frames]), frames)

    def _described(self, request: Describe) -> Description | Unscored:
        if request.media.kind not in ("image", "audio"):
            return Unscored("unsupported_media", "failed")
        said = self._words.get(request.media.ref)
        return _NOT_FOUND if said is None else Description(said)


_DOWN = Unscored("sidecar_unavailable", "skipped")
_NOT_FOUND = Unscored("media_not_found", "failed")


def _at(cosine: float) -> tuple[float, float]:
    return (cosine, math.sqrt(1.0 - cosine * cosine))
