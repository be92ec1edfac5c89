"""hallucination_rate: how far the claims of an answer lack the support of its contexts."""

from metrics.quality.contextual import GroundedMetric
from metrics.quality.grounding import THRESHOLD_REASON
from scorer.api import MetricSpec, OutputSpec, Threshold


class HallucinationRate(GroundedMetric):
    """1 - faithfulness, from the same work (see `metrics.quality.grounding`).

    Documented: 0 when the answer contains every context verbatim, else 1.
    """

    spec = MetricSpec(
        name="hallucination_rate",
        kind="quality",
        description="How far the answer's claims lack support by the retrieved contexts.",
        system="AgentUnit",
        documented="0 when every passage stands in the answer word for word, else 1",
        outputs=(OutputSpec(direction="lower"),),
        needs=("answer", "context_text"),
        methods=("lexical", "embedding"),
        default_threshold=Threshold(max=0.5),
        threshold_reason=THRESHOLD_REASON,
        version="4",
    )

    _names_references = False

    def _fallback(self, share: float) -> float:
        return float(share == 1)

    def _published(self, score: float) -> float:
        return 1 - score
