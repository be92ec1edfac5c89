"""faithfulness: the share of the answer's claims that its contexts support."""

from metrics.quality.contextual import ContextualMetric
from metrics.quality.grounding import detail, explain, grounding_of
from scorer.api import AgentTrace, Measurement, MetricSpec, Threshold, Unscored


class Faithfulness(ContextualMetric):
    """Supported claims / claims, by words (see `metrics.quality.grounding`)."""

    spec = MetricSpec(
        name="faithfulness",
        kind="quality",
        description="Share of the answer's claims that the retrieved contexts support.",
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(min=0.7),
        threshold_reason="more than three claims in ten without a source is not a grounded answer",
    )

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share of supported claims; the others are named in the detail."""
        grounding = grounding_of(trace)
        if isinstance(grounding, Unscored):
            return grounding
        return Measurement(
            {"value": grounding.share}, "lexical", explain(grounding), detail(grounding)
        )
