"""hallucination_rate: the share of the answer's claims that no context supports."""

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
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Threshold, Unscored


class HallucinationRate:
    """1 - faithfulness, from the same work (see `metrics.quality.grounding`).

    Documented: 0 when the answer contains every context verbatim, else 1; `ragas` as in
    `Faithfulness`.
    """

    name = "hallucination_rate"
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

    def __init__(self, *, mode: Mode = "beyond", ragas: RagasScorer | None = None) -> None:
        self._documented = mode == "documented"
        self._ragas = ragas
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share of unsupported claims; they are named in the detail."""
        if self._documented:
            return documented_score(self, trace)
        grounding = grounding_of(trace)
        if isinstance(grounding, Unscored):
            return grounding
        return Measurement(
            {"value": 1 - grounding.share}, "lexical", explain(grounding), detail(grounding)
        )

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        answer, references = text_of(outcome), references_of(case)
        value = None
        if references:
            copied = float(share_contained(answer, references) == 1)
            score = ragas_score(self._ragas, answer, references, otherwise=copied)
            value = None if score is None else 1 - score
        return MetricResult(self.name, value, {"answer": answer})
