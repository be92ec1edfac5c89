"""cross_modal_grounding: does the answer speak of what its images show?"""

from collections.abc import Sequence
from typing import Any

from metrics.agentunit import MetricResult, documented_score, spec_for
from metrics.multimodal.likeness import (
    CLIP,
    MAX_MEDIA,
    OUTPUTS,
    UNAVAILABLE,
    Scale,
    best,
    clip_model,
    compare,
    pieces,
)
from scorer.api import (
    AgentTrace,
    EmbedMedia,
    EmbedText,
    Inference,
    Measurement,
    Media,
    MetricSpec,
    Mode,
    Unscored,
)


class CrossModalGrounding:
    """Likeness of answer and images by CLIP, from 0 to 1 at the cosine `threshold`.

    Each sentence is compared with the image that is nearest to it; `similarity` is the mean of
    their cosines. Unrelated texts and images have one of 0.1 to 0.2 already, so measure it on
    pairs of your own that do not belong together and give these as `unrelated`: their median is
    then worth 0, and `percentile` is the share of them that is less alike. Documented: the whole
    answer and the first image, cosine / threshold, at most 1, below 0 too.
    """

    name = "cross_modal_grounding"
    spec = MetricSpec(
        name="cross_modal_grounding",
        kind="multimodal",
        description="How much the answer speaks of what its images show (needs the GPU sidecar).",
        system="AgentUnit",
        documented="first image, whole answer; negative cosines give negative values",
        cost_class="gpu",
        outputs=OUTPUTS,
        needs=("answer", "image"),
        methods=("embedding",),
        in_default=False,
    )

    def __init__(
        self,
        *,
        mode: Mode = "beyond",
        clip_model_name: str = CLIP,
        threshold: float = 0.25,
        unrelated: Sequence[float] = (),
        inference: Inference | None = None,
    ) -> None:
        self._documented = mode == "documented"
        self._threshold = threshold
        self._scale = None if self._documented else Scale(threshold, unrelated)
        self._model = clip_model(clip_model_name)
        self._inference = inference
        self.spec = spec_for(self.spec, mode, "embedding")

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Compare the answer with the images of the trace."""
        images = [media for media in trace.media if media.kind == "image"]
        if self._scale is None:
            known = self._inference is not None or not images
            return documented_score(self, trace, "embedding") if known else UNAVAILABLE
        if not images:
            return Unscored("no_image")
        if trace.answer is None:
            return Unscored("no_answer")
        said, unread = pieces(trace.answer)
        if not said:
            return Unscored("empty_answer")
        found = compare(
            self._inference,
            [EmbedText(self._model, text) for text in said],
            [EmbedMedia(self._model, media) for media in images[:MAX_MEDIA]],
        )
        if isinstance(found, Unscored):
            return found
        detail: dict[str, Any] = {
            "model": self._model,
            "images": len(found.media),
            "unread_images": len(images) - len(found.media),
            "lost": list(found.lost),
            "sentences": len(said),
            "unread": unread,
            "cut": found.cut,
        }
        return Measurement(self._scale.values(best(found)), "embedding", detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        path = case.metadata.get("image_path")
        if not path:
            return MetricResult(self.name, None, {"error": "no_image_path"})
        found = compare(
            self._inference,
            [EmbedText(self._model, str(outcome))],
            [EmbedMedia(self._model, Media("image", str(path)))],
        )
        if isinstance(found, Unscored):
            return MetricResult(self.name, None, {"error": found.reason})
        if found.cut:  # the original's tokenizer refuses what CLIP cannot read
            return MetricResult(self.name, None, {"error": "text_too_long"})
        return self._graded(found.rows[0][0])

    def _graded(self, similarity: float) -> MetricResult:
        grounded = similarity >= self._threshold
        if not grounded and not self._threshold:
            return MetricResult(self.name, None, {"error": "division_by_zero"})
        detail = {
            "similarity": similarity,
            "threshold": self._threshold,
            "is_grounded": grounded,
        }
        return MetricResult(self.name, 1.0 if grounded else similarity / self._threshold, detail)
