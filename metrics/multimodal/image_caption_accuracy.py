"""image_caption_accuracy: does the answer say what the reference caption says?"""

from typing import Any

from metrics.agentunit import MetricResult, documented_score, spec_for
from metrics.multimodal.expected import caption_of, expecting
from metrics.multimodal.likeness import compare
from metrics.quality import text as texts
from metrics.quality.agreement import overlap, tokens
from metrics.quality.embedding import Embedder, installed_embedder
from scorer.api import (
    AgentTrace,
    EmbedText,
    Inference,
    Measurement,
    Method,
    MetricSpec,
    Mode,
    Unscored,
)

_MINILM = "all-MiniLM-L6-v2"
_MAX_EMBEDDED = 2_000  # characters; the model reads 128 tokens
_SEMANTIC, _WORDS = 0.7, 0.3


class ImageCaptionAccuracy:
    """Agreement of the answer with `spanscore.reference.caption`, by words and by meaning.

    By words it is the F1 of the token multisets, without case, punctuation and typographic
    shape, number words as digits. With `use_semantic`, and where the extra `embed` or a sidecar
    gives vectors of `model_name`, the value is 0.7 of the cosine and 0.3 of the F1, at least 0,
    with the method `embedding`; otherwise the F1, with the method `lexical`. Documented:
    AgentUnit's sets of words, with their punctuation; a cosine below 0 may make it negative.
    """

    name = "image_caption_accuracy"
    spec = MetricSpec(
        name="image_caption_accuracy",
        kind="multimodal",
        description="Agreement of the answer with the reference caption of an image.",
        system="AgentUnit",
        documented="sets of words with their punctuation; the cosine may be negative",
        needs=("answer", "reference_caption"),
        methods=("lexical", "embedding"),
        in_default=False,
    )

    def __init__(
        self,
        *,
        mode: Mode = "beyond",
        use_semantic: bool = True,
        model_name: str = _MINILM,
        inference: Inference | None = None,
    ) -> None:
        self._documented = mode == "documented"
        self._semantic = use_semantic
        self._model = model_name
        self._inference = inference
        self._method: Method = "embedding" if use_semantic else "lexical"
        self.spec = spec_for(self.spec, mode, self._method)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the agreement."""
        if self._documented:
            return self._documented_score(trace)
        caption = caption_of(trace)
        if caption is None:
            return Unscored("no_reference")
        if trace.answer is None:
            return Unscored("no_answer")
        language = texts.language_of(caption, trace.answer)
        mine, theirs = (tokens(texts.normalise(t), language) for t in (trace.answer, caption))
        if not theirs:
            return Unscored("no_reference")
        precision, recall = overlap(mine, theirs)
        f1 = _f1(precision, recall)
        detail = {"precision": precision, "recall": recall, "f1": f1}
        cosine = self._cosine(caption, trace.answer)
        if cosine is None:
            return Measurement({"value": f1}, "lexical", detail=detail)
        worth = _SEMANTIC * cosine + _WORDS * f1 if mine else 0.0  # silence has a vector too
        value = min(1.0, max(0.0, worth))
        return Measurement({"value": value}, "embedding", detail=detail | {"cosine": cosine})

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition; without vectors there is none where it wants some."""
        expected, answer = case.expected_output, str(outcome)
        if not expected or not isinstance(expected, str):
            return MetricResult(self.name, None, {"error": "no_reference"})
        detail = _keywords(expected, answer)
        value = detail.get("keyword_f1", 0.0)
        if self._semantic:
            cosine = self._cosine(expected, answer)
            if cosine is None:
                return MetricResult(self.name, None, {"error": "embedder_not_installed"})
            detail["semantic_similarity"] = cosine
            value = _SEMANTIC * cosine + _WORDS * value
        return MetricResult(self.name, value, detail)

    def _documented_score(self, trace: AgentTrace) -> Measurement | Unscored:
        if self._semantic and self._inference is None and self._local() is None:
            return Unscored("embedder_not_installed", "skipped")
        expected = trace.reference.caption if trace.reference else None
        return documented_score(self, expecting(trace, expected), self._method)

    def _cosine(self, caption: str, answer: str) -> float | None:
        """Return how alike the texts are, -1 to 1, None where nothing gives their vectors."""
        if not self._semantic:
            return None
        if self._inference is not None:
            mine, theirs = (EmbedText(self._model, text) for text in (answer, caption))
            found = compare(self._inference, [mine], [theirs])
            if not isinstance(found, Unscored):
                return found.rows[0][0]
        local = self._local()
        if local is None:
            return None
        return local.nearest([caption[:_MAX_EMBEDDED]], [answer[:_MAX_EMBEDDED]])[0]

    def _local(self) -> Embedder | None:
        return installed_embedder() if self._model == _MINILM else None


def _keywords(expected: str, answer: str) -> dict[str, float]:
    """Return how the sets of words agree, as the original counts; of a blank text nothing."""
    theirs, mine = set(expected.lower().split()), set(answer.lower().split())
    if not theirs:
        return {}
    common = len(theirs & mine)
    precision, recall = common / len(mine) if mine else 0.0, common / len(theirs)
    f1 = _f1(precision, recall)
    return {"keyword_precision": precision, "keyword_recall": recall, "keyword_f1": f1}


def _f1(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0
