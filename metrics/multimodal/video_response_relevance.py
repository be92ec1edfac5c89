"""video_response_relevance: does the answer speak of what its film shows?"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from metrics.agentunit import MetricResult, spec_for
from metrics.multimodal.clip import CLIP, Clip
from metrics.multimodal.likeness import OUTPUTS, Scale, by_picture
from scorer.api import (
    AgentTrace,
    EmbedFrames,
    Inference,
    Measurement,
    Media,
    MetricSpec,
    Mode,
    Unscored,
)

_MAX_FILMS = 4
_MAX_FRAMES = 256


class VideoResponseRelevance:
    """Likeness of answer and film by CLIP, from 0 to 1 at the cosine `threshold`.

    `num_frames` frames are taken from the middles of equal parts of the film, each once. For each
    the mean cosine with the sentences of the answer is taken; `similarity` is 0.6 of the mean of
    these and 0.4 of the largest. `unrelated` calibrates as in cross_modal_grounding. Documented:
    frames from the start of each part, the whole answer, and the similarity itself as the value.
    """

    name = "video_response_relevance"
    spec = MetricSpec(
        name="video_response_relevance",
        kind="multimodal",
        description="How much the answer speaks of what its film shows (needs the GPU sidecar).",
        system="AgentUnit",
        documented="frames from the start of each part; the cosine itself",
        cost_class="gpu",
        outputs=OUTPUTS,
        needs=("answer", "video"),
        methods=("embedding",),
        in_default=False,
    )

    def __init__(  # noqa: PLR0913 - options of the configuration, by keyword only
        self,
        *,
        mode: Mode = "beyond",
        num_frames: int = 8,
        clip_model_name: str = CLIP,
        threshold: float = 0.25,
        unrelated: Sequence[float] = (),
        inference: Inference | None = None,
    ) -> None:
        if not 1 <= num_frames <= _MAX_FRAMES:
            raise ValueError(f"num_frames must be 1 to {_MAX_FRAMES}, not {num_frames!r}")
        self._scale = None if mode == "documented" else Scale(threshold, unrelated)
        self._count = num_frames
        self._clip = Clip(clip_model_name, inference)
        self.spec = spec_for(self.spec, mode, "embedding")

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Compare the answer with frames of the films of the trace."""
        if self._scale is None:
            return self._clip.documented(self, trace, "video")
        found = self._clip.compare_answer(trace, "video", self._ask, _MAX_FILMS)
        if isinstance(found, Unscored):
            return found
        detail = {**found.detail, "frames": [list(film.frames) for film in found.likeness.media]}
        similarity = _relevance(by_picture(found.likeness))
        return Measurement(self._scale.values(similarity), "embedding", detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        path = case.metadata.get("video_path")
        if not path:
            return MetricResult(self.name, None, {"error": "no_video_path"})
        asked = EmbedFrames(self._clip.model, Media("video", str(path)), self._count, "start")
        frames = self._clip.cosines(outcome, asked)
        if isinstance(frames, Unscored):
            return MetricResult(self.name, None, {"error": frames.reason})
        detail = {
            "avg_frame_similarity": sum(frames) / len(frames),
            "max_frame_similarity": max(frames),
            "min_frame_similarity": min(frames),
            "num_frames_analyzed": len(frames),
        }
        return MetricResult(self.name, _relevance(frames), detail)

    def _ask(self, film: Media) -> EmbedFrames:
        return EmbedFrames(self._clip.model, film, self._count)


def _relevance(frames: Sequence[float]) -> float:
    return 0.6 * fmean(frames) + 0.4 * max(frames)
