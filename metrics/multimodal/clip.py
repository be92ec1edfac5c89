"""CLIP, asked about an answer and the images or films of its trace."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from metrics.agentunit import Evaluator, documented_score
from metrics.multimodal.likeness import UNAVAILABLE, Likeness, compare
from metrics.quality import text as texts
from scorer.api import (
    AgentTrace,
    EmbedRequest,
    EmbedText,
    Inference,
    Measurement,
    Media,
    MediaKind,
    Unscored,
)

CLIP = "ViT-B/32"

_MAX_PIECES = 32
_PIECE = 200  # characters; CLIP reads 77 tokens


class Compared(NamedTuple):
    """How alike an answer and media are, and what the detail of a score says of both."""

    likeness: Likeness
    detail: dict[str, Any]


class Clip:
    """A model of CLIP; `name` is that of the original ("ViT-B/32") or of open_clip ("ViT-B-32")."""

    def __init__(self, name: str, inference: Inference | None) -> None:
        self.model = name.replace("/", "-")
        self._inference = inference

    def compare_answer(
        self,
        trace: AgentTrace,
        kind: MediaKind,
        ask: Callable[[Media], EmbedRequest],
        most: int,
    ) -> Compared | Unscored:
        """Compare each sentence of the answer with the media of a kind, `most` of them."""
        media = _of_kind(trace, kind)
        if not media:
            return Unscored(f"no_{kind}")
        if trace.answer is None:
            return Unscored("no_answer")
        said, unread = pieces(trace.answer)
        if not said:
            return Unscored("empty_answer")
        found = compare(
            self._inference,
            [EmbedText(self.model, text) for text in said],
            [ask(each) for each in media[:most]],
        )
        if isinstance(found, Unscored):
            return found
        detail = {
            "model": self.model,
            "unread_media": len(media) - len(found.media),
            "lost": list(found.lost),
            "sentences": len(said),
            "unread": unread,
            "cut": found.cut,
        }
        return Compared(found, detail)

    def documented(
        self, metric: Evaluator, trace: AgentTrace, kind: MediaKind
    ) -> Measurement | Unscored:
        """Score with the original's definition, unless there is nobody to look at the media."""
        if self._inference is None and _of_kind(trace, kind):
            return UNAVAILABLE
        return documented_score(metric, trace, "embedding")

    def cosines(self, outcome: Any, asked: EmbedRequest) -> Sequence[float] | Unscored:
        """Compare a whole outcome with one medium, as the original does: one for each picture."""
        found = compare(self._inference, [EmbedText(self.model, str(outcome))], [asked])
        if isinstance(found, Unscored):
            return found
        if found.cut:  # the original's tokenizer refuses what CLIP cannot read
            return Unscored("text_too_long")
        return found.rows[0]


def pieces(answer: str) -> tuple[list[str], int]:
    """Return sentences of an answer, long ones in parts, and how many sentences are left out."""
    found: list[str] = []
    sentences = texts.sentences(answer)
    for place, sentence in enumerate(sentences):
        found += wrap(sentence[: _PIECE * _MAX_PIECES], _PIECE)
        if len(found) >= _MAX_PIECES:
            return found[:_MAX_PIECES], len(sentences) - place - 1
    return found, 0


def _of_kind(trace: AgentTrace, kind: MediaKind) -> list[Media]:
    return [media for media in trace.media if media.kind == kind]
