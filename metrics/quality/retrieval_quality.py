"""retrieval_quality: did the passages that matter for the answer come first?"""

from collections.abc import Sequence
from functools import lru_cache

from metrics.quality import text as texts
from metrics.quality.claims import claims_of
from metrics.quality.contextual import ContextualMetric
from metrics.quality.passages import Forms, Passage, forms_of, passage_of
from metrics.quality.terms import Terms
from scorer.api import (
    AgentTrace,
    Document,
    Measurement,
    MetricSpec,
    Threshold,
    Unscored,
)

RELEVANT_OVERLAP = 0.1
_MAX_SHOWN = 20
_NO_WORD: frozenset[str] = frozenset()


class RetrievalQuality(ContextualMetric):
    """Average precision of the retrieved passages in their order, by words.

    A passage is relevant when it overlaps by at least a tenth with a claim of the reference
    answer, or of the given answer where there is no reference: it is there for one sentence, not
    for all of a long answer. The overlap is the share of the pairs of the claim's terms that
    the passage holds, so a single word in common is none. With rel(k) and precision(k)
    at rank k, the value is sum(rel(k) * precision(k)) / sum(rel(k)), 0 if none is relevant; with
    several retrievals in a trace, the mean over them.
    """

    spec = MetricSpec(
        name="retrieval_quality",
        kind="quality",
        description="Average precision of the retrieved passages with respect to the answer.",
        system="AgentUnit",
        documented="share of the passages that stand in the answer word for word",
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(min=0.5),
        threshold_reason="below one half the first passages are, on average, beside the point",
    )

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the mean average precision over the retrievals of the trace."""
        if trace.answer is None:
            return Unscored("no_answer")
        if not trace.contexts:
            return Unscored("no_contexts")
        retrievals = _retrievals(trace.contexts)
        if not retrievals:
            return Unscored("context_text_not_captured")
        against = "reference" if trace.reference and trace.reference.answer else "answer"
        target = (trace.reference.answer if trace.reference else None) or trace.answer
        language = texts.language_of(target, retrievals[0][0])
        if not claims_of(target, language).claims:
            return Unscored("no_claims")
        relevance = [[_overlap(item, target, language) for item in group] for group in retrievals]
        return _measured(relevance, against)


def average_precision(relevant: Sequence[bool]) -> float:
    """Return the average precision of a ranked list, 0.0 if nothing in it is relevant."""
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def _retrievals(contexts: Sequence[Document]) -> list[list[str]]:
    """Group the texts by the span that retrieved them, each group in order of rank."""
    groups: dict[str | None, list[Document]] = {}
    for document in contexts:
        if document.text and document.text.strip():
            groups.setdefault(document.span_id, []).append(document)
    return [[item.text or "" for item in sorted(group, key=_rank)] for group in groups.values()]


def _rank(document: Document) -> int:
    return document.rank if document.rank is not None else 0


# The same passage is often retrieved again.
@lru_cache(maxsize=64)
def _overlap(text: str, target: str, language: str) -> float:
    """Return the overlap of a passage with the claim that it overlaps most with."""
    passage = passage_of(text, language)
    claims = [claim.terms for claim in claims_of(target, language).claims]
    known = passage.known(_forms_of(target, language))
    return max(share_of_pairs(_found(passage, terms, known), terms.count) for terms in claims)


# All passages are asked for the same words.
@lru_cache(maxsize=8)
def _forms_of(target: str, language: str) -> Forms:
    words = [claim.terms.words for claim in claims_of(target, language).claims]
    return forms_of(_NO_WORD.union(*words), language)


def _found(passage: Passage, terms: Terms, known: frozenset[str]) -> int:
    found = len(terms.words & known) + sum(map(passage.has_month, terms.months))
    found += sum(map(passage.has_address, terms.addresses))
    return found + sum(map(passage.has_value, terms.numbers))


def share_of_pairs(found: int, total: int) -> float:
    """Return the share of the pairs among `total` things that are pairs of found ones."""
    return found * (found - 1) / (total * (total - 1)) if total > 1 else float(found)


def _measured(overlaps: Sequence[Sequence[float]], against: str) -> Measurement:
    relevant = [[overlap >= RELEVANT_OVERLAP for overlap in group] for group in overlaps]
    value = sum(map(average_precision, relevant)) / len(relevant)
    retrieved, hits = sum(map(len, relevant)), sum(map(sum, relevant))
    shown = [round(overlap, 4) for group in overlaps for overlap in group][:_MAX_SHOWN]
    return Measurement(
        {"value": value},
        "lexical",
        f"{hits} of {retrieved} passages overlap with a claim of the {against}",
        {"against": against, "retrieved": retrieved, "relevant": hits, "overlaps": shown},
    )
