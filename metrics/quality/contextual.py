"""What the metrics of an answer against its contexts share: modes, and AgentUnit's side."""

from typing import Any, ClassVar, get_args

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
from metrics.quality.grounding import GroundingMethod, detail, explain, grounding_of
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, Unscored


class ContextualMetric:
    """A metric that measures an answer against contexts; a subclass has `spec` and `measure`.

    Documented: the share of contexts that the answer contains verbatim. `ragas` stands for
    the RAGAS call that AgentUnit makes where its import works (it never does in practice).
    """

    spec: MetricSpec
    _names_references: ClassVar[bool] = True

    def __init__(self, *, mode: Mode = "beyond", ragas: RagasScorer | None = None) -> None:
        self._documented = mode == "documented"
        self._ragas = ragas
        self.spec = spec_for(self.spec, mode)

    @property
    def name(self) -> str:
        """The name that AgentUnit asks a metric for."""
        return self.spec.name

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure a trace in the configured mode."""
        return documented_score(self, trace) if self._documented else self.measure(trace)

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure a trace by the better definition."""
        raise NotImplementedError

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition; None without contexts, or when RAGAS fails."""
        answer, references = text_of(outcome), references_of(case)
        value = None
        if references:
            copied = self._fallback(share_contained(answer, references))
            score = ragas_score(self._ragas, answer, references, otherwise=copied)
            value = None if score is None else self._published(score)
        detail = {"references": references} if self._names_references else {}
        return MetricResult(self.name, value, {"answer": answer, **detail})

    def _fallback(self, share: float) -> float:
        """Return the score where there is no RAGAS, from the share of contexts contained."""
        return share

    def _published(self, score: float) -> float:
        """Return the value that is published for a score."""
        return score


class GroundedMetric(ContextualMetric):
    """A metric of how the contexts support the answer, by words, or by words and embeddings."""

    def __init__(
        self,
        *,
        mode: Mode = "beyond",
        method: GroundingMethod = "lexical",
        ragas: RagasScorer | None = None,
    ) -> None:
        if method not in get_args(GroundingMethod):
            raise ValueError(f"method must be lexical or embedding, not {method!r}")
        super().__init__(mode=mode, ragas=ragas)
        self._method: GroundingMethod = method

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the support of the claims; those without are named in the detail."""
        found = grounding_of(trace, self._method)
        if isinstance(found, Unscored):
            return found
        value = self._published(found.share)
        return Measurement({"value": value}, self._method, explain(found), detail(found))
