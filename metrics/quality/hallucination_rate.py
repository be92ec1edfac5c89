"""hallucination_rate: how far the claims of an answer lack the support of its contexts."""

from metrics.quality.contextual import ContextualMetric
from metrics.quality.grounding import THRESHOLD_REASON, detail, explain, grounding_of
from scorer.api import AgentTrace, Measurement, MetricSpec, OutputSpec, Threshold, Unscored


class HallucinationRate(ContextualMetric):
    """1 - faithfulness, from the same work (see `metrics.quality.grounding`).

    Documented: 0 when the answer contains every context verbatim, else 1.
    """

    spec = MetricSpec(
        name="hallucination_rate",
        kind="quality",
        description="How far the answer's claims lack support by the retrieved contexts.",
        outputs=(OutputSpec(direction="lower"),),
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(max=0.5),
        threshold_reason=THRESHOLD_REASON,
        version="2",
    )

    _names_references = False

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the lack of support; the claims without are named in the detail."""
        grounding = grounding_of(trace)
        if isinstance(grounding, Unscored):
            return grounding
        return Measurement(
            {"value": 1 - grounding.share}, "lexical", explain(grounding), detail(grounding)
        )

    def _fallback(self, share: float) -> float:
        return float(share == 1)

    def _published(self, score: float) -> float:
        return 1 - score
