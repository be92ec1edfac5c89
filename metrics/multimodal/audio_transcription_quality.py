"""audio_transcription_quality: does the answer say what was said in the recording?"""

from typing import Any

from metrics.agentunit import MetricResult, documented_score, spec_for
from metrics.multimodal.expected import expecting, transcript_of
from metrics.multimodal.transcripts import TOO_LONG, error_rates, is_too_long
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored


class AudioTranscriptionQuality:
    """1 - word error rate of the answer against `spanscore.reference.transcript`, at least 0.

    Case, punctuation, typographic shape and the way of writing a number make no error. In a
    language without spaces it is 1 - character error rate, and there is no `wer`. Texts over
    50,000 characters are skipped. Documented: AgentUnit's definition, in which all of that is an
    error, and without `use_wer` the share of the reference's characters that occur at all.
    """

    name = "audio_transcription_quality"
    spec = MetricSpec(
        name="audio_transcription_quality",
        kind="multimodal",
        description="Words of the reference transcript that the answer gets right.",
        system="AgentUnit",
        documented="case and punctuation are errors; without jiwer any anagram is right",
        outputs=(
            OutputSpec(),
            OutputSpec(name="wer", range=(0.0, None), direction="lower", required=False),
            OutputSpec(name="cer", range=(0.0, None), direction="lower", required=False),
        ),
        needs=("answer", "reference_transcript"),
        methods=("lexical",),
        in_default=False,
    )

    def __init__(self, *, mode: Mode = "beyond", use_wer: bool = True) -> None:
        self._documented = mode == "documented"
        self._use_wer = use_wer
        self.spec = spec_for(self.spec, mode, "lexical")

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure both error rates; the value comes from the one that fits the language."""
        return self._documented_score(trace) if self._documented else self._measure(trace)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        expected, answer = case.expected_output, str(outcome)
        if not expected or not isinstance(expected, str):
            return MetricResult(self.name, None, {"error": "no_reference"})
        try:
            detail = _documented_rates(expected, answer) if self._use_wer else {}
        except ValueError as error:
            return MetricResult(self.name, None, {"error": str(error)})
        theirs, mine = set(expected.lower()), set(answer.lower())
        common = len(theirs & mine)
        detail["char_precision"] = common / len(mine) if mine else 0.0
        detail["char_recall"] = common / len(theirs)
        value = detail["accuracy"] if self._use_wer else detail["char_recall"]
        return MetricResult(self.name, max(0.0, value), detail)

    def _measure(self, trace: AgentTrace) -> Measurement | Unscored:
        transcript = transcript_of(trace)
        if transcript is None:
            return Unscored("no_reference")
        if trace.answer is None:
            return Unscored("no_answer")
        rates = error_rates(transcript, trace.answer)
        if isinstance(rates, Unscored):
            return rates
        values: dict[str, float | bool] = {"value": max(0.0, 1.0 - rates.rate), "cer": rates.cer}
        if rates.wer is not None:
            values["wer"] = rates.wer
        unit = "character" if rates.wer is None else "word"
        return Measurement(values, "lexical", detail={"unit": unit})

    def _documented_score(self, trace: AgentTrace) -> Measurement | Unscored:
        trace = expecting(trace, trace.reference.transcript if trace.reference else None)
        if is_too_long(trace.answer, trace.reference.answer if trace.reference else None):
            return TOO_LONG
        return documented_score(self, trace, "lexical")


def _documented_rates(expected: str, answer: str) -> dict[str, float]:
    import jiwer  # noqa: PLC0415 - few services measure transcripts

    wer, cer = jiwer.wer(expected, answer), jiwer.cer(expected, answer)
    return {"wer": wer, "cer": cer, "accuracy": 1 - wer}
