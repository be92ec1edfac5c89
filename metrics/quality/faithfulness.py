"""faithfulness: the share of the answer's claims that its contexts support."""

from typing import Any

from metrics.agentunit import (
    MetricResult,
    RagasScorer,
    documented_score,
    ragas_score,
    references_of,
    share_contained,
    spec_for,
    text_of,
)
from metrics.quality.grounding import detail, explain, grounding_of
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, Threshold, Unscored


class Faithfulness:
    """Supported claims / claims, by words (see `metrics.quality.grounding`).

    Documented: the share of contexts that the answer contains verbatim. `ragas` stands for
    the RAGAS call that AgentUnit makes where its import works (it never does in practice).
    """

    name = "faithfulness"
    spec = MetricSpec(
        name="faithfulness",
        kind="quality",
        description="Share of the answer's claims that the retrieved contexts support.",
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(min=0.7),
        threshold_reason="more than three claims in ten without a source is not a grounded answer",
    )

    def __init__(self, *, mode: Mode = "beyond", ragas: RagasScorer | None = None) -> None:
        self._documented = mode == "documented"
        self._ragas = ragas
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share of supported claims; the others are named in the detail."""
        if self._documented:
            return documented_score(self, trace)
        grounding = grounding_of(trace)
        if isinstance(grounding, Unscored):
            return grounding
        return Measurement(
            {"value": grounding.share}, "lexical", explain(grounding), detail(grounding)
        )

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        answer, references = text_of(outcome), references_of(case)
        value = None
        if references:
            copied = share_contained(answer, references)
            value = ragas_score(self._ragas, answer, references, otherwise=copied)
        return MetricResult(self.name, value, {"answer": answer, "references": references})
