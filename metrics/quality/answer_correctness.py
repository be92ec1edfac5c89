"""answer_correctness: does the answer say what the reference answer says?"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

from metrics.agentunit import (
    MetricResult,
    RagasScorer,
    documented_score,
    spec_for,
    text_of,
    text_value,
)
from metrics.quality import text as texts
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, Threshold, Unscored

_NUMBER = re.compile(r"[-+−]?\d+(?:[.,'’\u00a0\u202f]\d+)*")
_AROUND_NUMBER = " \t%€$£¥₹"
_TOLERANCE = 1e-6


class AnswerCorrectness:
    """Equality with the reference answer, else the F1 of their tokens.

    When both are numbers: 1 if they differ by at most the relative `tolerance`, else 0. When
    both are equal after NFKC, case folding, white-space folding and stripping outer
    punctuation: 1. Else the F1 of the token multisets. Which rule
    decided is in the detail. The method is "lexical" for all of them: were equal answers
    labelled "exact", one series would hold nothing but ones and the other everything but
    ones. Documented: 1 when equal after trimming, else what `ragas` says, else 0.
    """

    name = "answer_correctness"
    spec = MetricSpec(
        name="answer_correctness",
        kind="quality",
        description="Agreement of the answer with the reference answer.",
        needs=("answer", "reference_answer"),
        methods=("lexical",),
        default_threshold=Threshold(min=0.5),
        threshold_reason="below one half most words of answer or reference have no counterpart",
    )

    def __init__(
        self,
        *,
        mode: Mode = "beyond",
        tolerance: float = _TOLERANCE,
        ragas: RagasScorer | None = None,
    ) -> None:
        if not 0 <= tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and below 1, not {tolerance!r}")
        self._documented = mode == "documented"
        self._tolerance = tolerance
        self._ragas = ragas
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the agreement; `detail.rule` is "equality", "number" or "tokens"."""
        if self._documented:
            return documented_score(self, trace)
        reference = trace.reference.answer if trace.reference else None
        if reference is None or not reference.strip():
            return Unscored("no_reference")
        if trace.answer is None:
            return Unscored("no_answer")
        value, detail = self._compare(trace.answer, reference)
        return Measurement({"value": value}, "lexical", detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        answer, expected = text_of(outcome), text_value(case.expected_output)
        value = self._documented_value(answer, expected) if expected else None
        return MetricResult(self.name, value, {"expected": expected, "answer": answer})

    def _documented_value(self, answer: str, expected: str) -> float:
        if answer.strip() == expected.strip():
            return 1.0
        if self._ragas is None:
            return 0.0
        try:
            return self._ragas(answer, [expected])
        except Exception:  # noqa: BLE001 - the original takes any failure as wrong
            return 0.0

    def _compare(self, answer: str, reference: str) -> tuple[float, dict[str, Any]]:
        # Numbers first: to punctuation, "-5" and "5" are the same.
        mine, theirs = numbers(answer), numbers(reference)
        if mine and theirs:
            return float(self._close(mine, theirs)), {"rule": "number"}
        if folded(answer) == folded(reference):
            return 1.0, {"rule": "equality"}
        precision, recall = overlap(tokens(answer), tokens(reference))
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        return f1, {"rule": "tokens", "precision": precision, "recall": recall}

    def _close(self, mine: Sequence[float], theirs: Sequence[float]) -> bool:
        return any(math.isclose(a, b, rel_tol=self._tolerance) for a in mine for b in theirs)


def folded(text: str) -> str:
    """Return the text with case, white space and outer punctuation folded away."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    start, end = 0, len(plain)
    while start < end and _is_padding(plain[start]):
        start += 1
    while end > start and _is_padding(plain[end - 1]):
        end -= 1
    return plain[start:end] or plain


def _is_padding(character: str) -> bool:
    return character == " " or unicodedata.category(character)[0] == "P"


def numbers(text: str) -> tuple[float, ...]:
    """Return what the text means as a number (more than one reading for "1.000"), or ()."""
    plain = unicodedata.normalize("NFKC", text).strip().rstrip(".").strip(_AROUND_NUMBER)
    if not _NUMBER.fullmatch(plain):
        return ()
    sign = -1.0 if plain[0] in "-−" else 1.0
    return tuple(sign * float(reading) for reading in texts.readings(plain.lstrip("-+−")))


def tokens(text: str) -> list[str]:
    """Return the case-folded tokens of a text, numbers in their first reading."""
    return [
        texts.readings(word)[0] if texts.is_number(word) else word.casefold()
        for word in texts.words(texts.normalise(text))
    ]


def overlap(answer: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
    """Return precision and recall of the answer's tokens, as multisets."""
    if not answer or not reference:
        return 0.0, 0.0
    common = (Counter(answer) & Counter(reference)).total()
    return common / len(answer), common / len(reference)
