"""cross_modal_grounding: does the answer speak of what its images show?"""

from collections.abc import Sequence
from typing import Any

from metrics.agentunit import MetricResult, spec_for
from metrics.multimodal.clip import CLIP, Clip
from metrics.multimodal.likeness import OUTPUTS, Scale, best
from scorer.api import (
    AgentTrace,
    EmbedMedia,
    Inference,
    Measurement,
    Media,
    MetricSpec,
    Mode,
    Unscored,
)

_MAX_IMAGES = 16


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
        self._threshold = threshold
        self._scale = None if mode == "documented" else Scale(threshold, unrelated)
        self._clip = Clip(clip_model_name, inference)
        self.spec = spec_for(self.spec, mode, "embedding")

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Compare the answer with the images of the trace."""
        if self._scale is None:
            return self._clip.documented(self, trace, "image")
        found = self._clip.compare_answer(trace, "image", self._ask, _MAX_IMAGES)
        if isinstance(found, Unscored):
            return found
        detail = {**found.detail, "images": len(found.likeness.media)}
        return Measurement(self._scale.values(best(found.likeness)), "embedding", detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        path = case.metadata.get("image_path")
        if not path:
            return MetricResult(self.name, None, {"error": "no_image_path"})
        found = self._clip.cosines(outcome, self._ask(Media("image", str(path))))
        if isinstance(found, Unscored):
            return MetricResult(self.name, None, {"error": found.reason})
        return self._graded(found[0])

    def _ask(self, image: Media) -> EmbedMedia:
        return EmbedMedia(self._clip.model, image)

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
