"""Tells evaluator telemetry from an agent's: a score of an earlier run must never be scored.

Our own telemetry is known by its scope or service, anybody else's by the attributes of its
product. `gen_ai.evaluation.*` attributes do not tell by themselves: evaluators put them on spans
of their own, and others annotate the agent's spans with them. On a span with a role they are
only an annotation, which no dialect reads. A span without a role is its evaluator's if nothing
but model calls is below it: a judge calls a model, while who runs agents or tools is judged.
"""

from collections.abc import Callable
from typing import Any

from scorer.model.evaluation import OWN_NAME
from scorer.model.span import Attributes, Span
from scorer.model.span_facts import SpanFacts, SpanRole

JUDGED_ROLES: frozenset[SpanRole | None] = frozenset(
    {"agent", "workflow", "tool", "retrieval", "rerank", "handoff"}
)

_ANNOTATIONS = frozenset(
    {
        "gen_ai.evaluation.name",
        "gen_ai.evaluation.score.value",
        "gen_ai.evaluation.score.label",
        "gen_ai.evaluation.score",  # older and home-made ones
        "gen_ai.evaluation.label",
        "gen_ai.evaluation.result",
    }
)


def _is(*values: str) -> Callable[[Any], bool]:
    """Tell these values; MLflow writes its own as JSON, with quotes."""
    return lambda value: isinstance(value, str) and value.strip('"').lower() in values


_MARKS: dict[str, Callable[[Any], bool]] = {
    "openinference.span.kind": _is("evaluator"),
    "langfuse.observation.type": _is("evaluator"),
    # Langfuse runs its judges in environments that users cannot name.
    "langfuse.environment": lambda value: isinstance(value, str) and value.startswith("langfuse-"),
    "mlflow.spanType": _is("evaluator"),
    "mlflow.trace.sourceScorer": bool,
    "ai.observability.span_type": _is("eval_root", "eval", "eval_decision"),
    "genkit:metadata:subtype": _is("evaluator"),
    "lmnr.span.type": _is("evaluator"),
}
_MARK_KEYS = frozenset(_MARKS)
_NOTABLE = _MARK_KEYS | _ANNOTATIONS
_OWN_KEYS = OWN_NAME + "."


def is_notable(span: Span) -> bool:
    """Whether the keys of a span say what is looked at beside its facts: our own, or such marks."""
    keys = span.attributes.keys()
    if span.scope.name == OWN_NAME or not _NOTABLE.isdisjoint(keys):
        return True
    return any(key.startswith(_OWN_KEYS) for key in keys)


def is_evaluator(span: Span, facts: SpanFacts) -> bool:
    """Whether a span, with all below it, is evaluator telemetry."""
    if facts.role == "evaluator" or OWN_NAME in (span.scope.name, span.resource.service):
        return True
    attributes = span.attributes
    return not _MARK_KEYS.isdisjoint(attributes) and _is_marked(attributes)


def may_be_evaluator(span: Span, facts: SpanFacts) -> bool:
    """Whether a span is evaluator telemetry unless it runs something that is judged."""
    return facts.role is None and not _ANNOTATIONS.isdisjoint(span.attributes)


def _is_marked(attributes: Attributes) -> bool:
    return any(_MARKS[key](attributes[key]) for key in _MARK_KEYS & attributes.keys())
