"""hallucination_rate: the share of the answer's claims that no context supports."""

from metrics.quality.contextual import ContextualMetric
from metrics.quality.grounding import detail, explain, grounding_of
from scorer.api import AgentTrace, Measurement, MetricSpec, OutputSpec, Threshold, Unscored


class HallucinationRate(ContextualMetric):
    """1 - faithfulness, from the same work (see `metrics.quality.grounding`).

    Documented: 0 when the answer contains every context verbatim, else 1.
    """

    spec = MetricSpec(
        name="hallucination_rate",
        kind="quality",
        description="Share of the answer's claims that no retrieved context supports.",
        outputs=(OutputSpec(direction="lower"),),
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(max=0.3),
        threshold_reason="more than three claims in ten without a source is not a grounded answer",
    )

    _names_references = False

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share of unsupported claims; they are named in the detail."""
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
