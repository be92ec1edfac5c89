"""retrieval_quality: did the passages that matter for the answer come first?"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter

from metrics.quality import stems as stemming
from metrics.quality import text as texts
from metrics.quality.contextual import ContextualMetric
from metrics.quality.grounding import Claim, claims_of, context_texts
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
_NOTHING: frozenset[str] = frozenset()


class RetrievalQuality(ContextualMetric):
    """Average precision of the retrieved passages in their order, by words.

    A passage is relevant when it overlaps by at least a tenth with a claim of the reference
    answer, or of the given answer where there is no reference: it is there for one sentence, not
    for all of a long answer. The overlap is the share of the pairs of the claim's terms (words in
    any form, numbers, addresses) that the passage holds, so a single term in common is none. With
    rel(k) and precision(k) at rank k, the value is sum(rel(k) * precision(k)) / sum(rel(k)), 0 if
    none is relevant; with several retrievals in a trace, the mean over them.
    """

    spec = MetricSpec(
        name="retrieval_quality",
        kind="quality",
        description="Average precision of the retrieved passages with respect to the answer.",
        system="AgentUnit",
        documented="share of the passages that stand in the answer word for word",
        version="2",
        needs=("answer", "context_text"),
        methods=("lexical",),
        default_threshold=Threshold(min=0.5),
        threshold_reason="below one half the first passages are, on average, beside the point",
    )

    def measure(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the mean average precision over the retrievals of the trace."""
        if trace.answer is None:
            return Unscored("no_answer")
        contexts = context_texts(trace)
        if isinstance(contexts, Unscored):
            return contexts
        against = "reference" if trace.reference and trace.reference.answer else "answer"
        target = (trace.reference.answer if trace.reference else None) or trace.answer
        # Passages that come or go do not change how it is read.
        language = texts.language_of(target, trace.question or "")
        claims = claims_of(target, language)
        if not claims:
            return Unscored("no_claims")
        overlaps = _overlaps(contexts, claims, language)
        return _measured(_ranked(trace.contexts or (), overlaps), against)


def average_precision(relevant: Sequence[bool]) -> float:
    """Return the average precision of a ranked list, 0.0 if nothing in it is relevant."""
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def _ranked(documents: Sequence[Document], overlaps: Iterable[float]) -> list[list[float]]:
    """Group the overlaps by the span that retrieved the passages, each group in order of rank."""
    with_text = [item for item in documents if item.text and item.text.strip()]
    groups: dict[str | None, list[tuple[int, float]]] = {}
    for document, overlap in zip(with_text, overlaps, strict=True):
        rank = document.rank if document.rank is not None else 0
        groups.setdefault(document.span_id, []).append((rank, overlap))
    return [[overlap for _, overlap in sorted(group, key=_rank)] for group in groups.values()]


_rank = itemgetter(0)


def _overlaps(contexts: tuple[str, ...], claims: Sequence[Claim], language: str) -> list[float]:
    """Return the overlap of each passage with the claim that it overlaps most with."""
    wanted = [claim.terms | claim.addresses for claim in claims]
    addresses = _NOTHING.union(*[claim.addresses for claim in claims])
    totals = list(map(len, wanted))
    overlaps = []
    for text, stems in zip(*stemming.read(contexts, language), strict=True):
        known = _NOTHING.union(stems, _held(addresses, text))
        found = map(len, map(known.intersection, wanted))
        overlaps.append(max(map(share_of_pairs, found, totals)))
    return overlaps


def _held(addresses: AbstractSet[str], text: str) -> list[str]:
    folded = text.casefold() if addresses else ""
    return [address for address in addresses if address in folded]


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
