"""answer_correctness: does the answer say what the reference answer says?"""

import math
import re
import unicodedata
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
from metrics.quality.agreement import Verdict, agreement
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, Threshold, Unscored

_NUMBER = re.compile(r"[-+−]?\d+(?:[.,'’\u00a0\u202f]\d+)*")
_AROUND_NUMBER = " \t%€$£¥₹"
_TOLERANCE = 1e-6


class AnswerCorrectness:
    """Agreement with the reference answer, by the first rule that applies.

    `number`: both are numbers; 1 if they differ by at most the relative `tolerance`, else 0.
    `equality`: equal after NFKC, case folding, white-space folding and stripping outer
    punctuation: 1. `polarity`: one says yes and the other no: 0; both say it and no more: 1.
    `contradiction`: the answer lacks numbers or names of the reference and has others instead,
    or one of them is negated: the F1 below, but at most 0.2. `contained`: the answer holds the
    words of the reference in their order, or leaves out only what the question says: 1.
    `tokens`: the F1 of the token multisets, number words as digits. The method is "lexical" for
    all of them: were equal answers labelled "exact", one series would hold nothing but ones and
    the other everything but ones. Documented: 1 when equal after trimming, else what `ragas`
    says, else 0.
    """

    name = "answer_correctness"
    spec = MetricSpec(
        name="answer_correctness",
        kind="quality",
        description="Agreement of the answer with the reference answer.",
        system="AgentUnit",
        documented="1 when equal but for outer white space, else 0",
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
        """Measure the agreement; `detail.rule` is the rule that decided."""
        if self._documented:
            return documented_score(self, trace)
        reference = trace.reference.answer if trace.reference else None
        if reference is None or not reference.strip():
            return Unscored("no_reference")
        if trace.answer is None:
            return Unscored("no_answer")
        verdict = self._compare(trace.answer, reference, trace.question or "")
        detail: dict[str, Any] = {"rule": verdict.rule}
        if verdict.overlap is not None:
            precision, recall = verdict.overlap
            detail |= {"precision": precision, "recall": recall}
        return Measurement({"value": verdict.value}, "lexical", verdict.why, detail)

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

    def _compare(self, answer: str, reference: str, question: str) -> Verdict:
        # Numbers first: to punctuation, "-5" and "5" are the same.
        mine, theirs = numbers(answer), numbers(reference)
        if mine and theirs:
            equal = self._close(mine, theirs)
            why = "both are numbers, and they are equal" if equal else "they are different numbers"
            return Verdict(float(equal), "number", why)
        if folded(answer) == folded(reference):
            return Verdict(1.0, "equality", "the same but for case, spaces and punctuation")
        return agreement(answer, reference, question)

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
    if not _NUMBER.fullmatch(plain) or texts.parts_of(plain.lstrip("-+−")):
        return ()  # a version or a date is no number
    sign = -1.0 if plain[0] in "-−" else 1.0
    return tuple(sign * float(reading) for reading in texts.readings(plain.lstrip("-+−")))
