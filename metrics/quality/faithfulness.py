"""faithfulness: how well the contexts of an answer support its claims."""

from metrics.quality.contextual import ContextualMetric
from metrics.quality.grounding import THRESHOLD_REASON, detail, explain, grounding_of
from scorer.api import AgentTrace, Measurement, MetricSpec, Threshold, Unscored


class Faithfulness(ContextualMetric):
    """Half the mean and half the least of the supports of the claims, from 0 to 1.

    The support is by words (see `metrics.quality.grounding`).
    """

    spec = MetricSpec(
        name="faithfulness",
        kind="quality",
        description="How well the retrieved contexts support the answer's claims.",
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(min=0.5),
        threshold_reason=THRESHOLD_REASON,
        version="2",
    )

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the support of the claims; those without are named in the detail."""
        grounding = grounding_of(trace)
        if isinstance(grounding, Unscored):
            return grounding
        return Measurement(
            {"value": grounding.share}, "lexical", explain(grounding), detail(grounding)
        )
