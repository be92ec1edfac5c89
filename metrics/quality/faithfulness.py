"""faithfulness: how well the contexts of an answer support its claims."""

from metrics.quality.contextual import GroundedMetric
from metrics.quality.grounding import THRESHOLD_REASON
from scorer.api import MetricSpec, Threshold


class Faithfulness(GroundedMetric):
    """Half the mean and half the least of the supports of the claims, from 0 to 1.

    The support is by words (see `metrics.quality.grounding`).
    """

    spec = MetricSpec(
        name="faithfulness",
        kind="quality",
        description="How well the retrieved contexts support the answer's claims.",
        system="AgentUnit",
        documented="share of the passages that stand in the answer word for word",
        needs=("answer", "context_text"),
        methods=("lexical", "embedding"),
        default_threshold=Threshold(min=0.5),
        threshold_reason=THRESHOLD_REASON,
        version="4",
    )
