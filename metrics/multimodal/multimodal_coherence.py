"""multimodal_coherence: does the answer speak of all the media that it was given?"""

from typing import Any, Final

from metrics.agentunit import MetricResult, documented_score, spec_for
from metrics.multimodal.modalities import spoken_of
from scorer.api import AgentTrace, Measurement, MediaKind, MetricSpec, Mode, Unscored

_KINDS: Final[tuple[MediaKind, ...]] = ("image", "audio", "video", "document")
_KEYWORDS: Final = {
    "image": ("image", "picture", "photo", "visual", "see", "shown", "display"),
    "audio": ("audio", "sound", "hear", "listen", "voice", "spoken"),
    "video": ("video", "clip", "footage", "scene", "frame"),
    "text": ("text", "written", "document", "read"),
}
_CONNECTIVES: Final = (
    "while",
    "also",
    "additionally",
    "furthermore",
    "moreover",
    "in addition to",
    "along with",
    "together with",
    "combined with",
)


class MultimodalCoherence:
    """Share of the kinds of media in the trace (image, audio, video, document) that it mentions.

    A mention is a whole word of a list for the language of the answer, in any of its forms
    ("photos"); seven languages, and Chinese, Japanese and Korean. It says that the answer names
    them, not that what it says of them is true. Documented: AgentUnit's keywords, anywhere in the
    text, with 0.4 for filler words.
    """

    name = "multimodal_coherence"
    spec = MetricSpec(
        name="multimodal_coherence",
        kind="multimodal",
        description="Share of the kinds of media in the trace that the answer mentions.",
        system="AgentUnit",
        documented="keywords anywhere in a word, the question is a medium; 0.4 for filler words",
        needs=("answer", "media"),
        methods=("lexical",),
        in_default=False,
    )

    def __init__(self, *, mode: Mode = "beyond") -> None:
        self._documented = mode == "documented"
        self.spec = spec_for(self.spec, mode, "lexical")

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the share; the detail lists both sides."""
        if self._documented:
            return documented_score(self, trace, "lexical")
        given = [kind for kind in _KINDS if any(media.kind == kind for media in trace.media)]
        if not given:
            return Unscored("no_media")
        if trace.answer is None:
            return Unscored("no_answer")
        named = spoken_of(trace.answer, trace.question or "", given)
        detail = {"media": given, "mentioned": named}
        return Measurement({"value": len(named) / len(given)}, "lexical", detail=detail)

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition."""
        given = [kind for kind in ("image", "audio", "video") if case.metadata.get(f"{kind}_path")]
        if case.metadata.get("text") or case.query:
            given.append("text")
        if not given:
            return MetricResult(self.name, None, {"error": "no_modality"})
        said = str(outcome).lower()
        named = [kind for kind in given if any(word in said for word in _KEYWORDS[kind])]
        found = sum(connective in said for connective in _CONNECTIVES)
        coverage, coherence = len(named) / len(given), min(1.0, found / 3)
        detail = {
            "input_modalities": given,
            "referenced_modalities": named,
            "coverage_score": coverage,
            "coherence_score": coherence,
            "coherence_indicators_found": found,
        }
        return MetricResult(self.name, 0.6 * coverage + 0.4 * coherence, detail)
