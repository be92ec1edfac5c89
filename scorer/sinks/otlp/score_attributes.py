"""What a scored trace says on its root span."""

from typing import NamedTuple

from scorer.api import Score, ScoredTrace
from scorer.otlp.attributes import AttributeValue

PROBABILITY = "spanscore.sampling.probability"

_SCORE = "spanscore.score."
_HOLD = "spanscore.hold"
# Characters of a label or a reason; metrics choose them.
_MAX_TEXT = 256


class Outdated(NamedTuple):
    """Keys of attributes, and beginnings of such, that no longer hold."""

    keys: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()


NOTHING = Outdated()


def outdated_by(scored: ScoredTrace | None) -> Outdated:
    """Return what another Spanscore may have said of the same, though our own keys may differ.

    Its value must not stand beside our reason why there is none.
    """
    if scored is None or scored.verdict != "scored":
        return NOTHING
    metrics = {score.metric for score in scored.scores if score.scope == "trace"}
    keys = frozenset({_HOLD, *(_SCORE + metric for metric in metrics)})
    return Outdated(keys, tuple(f"{_SCORE}{metric}." for metric in metrics))


def score_attributes(scored: ScoredTrace | None) -> dict[str, AttributeValue]:
    """Return the attributes of the scores of a trace.

    Those of None say that the hold was over before; a trace that was not to be scored has none.
    Scores of single spans are not among them.
    """
    if scored is None:
        return {_HOLD: "expired"}
    if scored.verdict != "scored":
        return {}
    attributes: dict[str, AttributeValue] = {}
    for score in scored.scores:
        if score.scope == "trace":
            _add(attributes, score)
    attributes["spanscore.revision"] = scored.revision
    attributes["spanscore.close_reason"] = scored.close_reason
    return attributes


def _add(attributes: dict[str, AttributeValue], score: Score) -> None:
    """Add one score; a key that an earlier one took stays its.

    Why a further output has no value is left out: mostly it is that the provider does not tell.
    """
    if score.value is None and score.output != "value":
        return
    key = _SCORE + score.metric
    if score.output != "value":
        key += f".{score.output}"
    if score.value is None:
        attributes.setdefault(f"{key}.reason", (score.reason or score.status)[:_MAX_TEXT])
    else:
        attributes.setdefault(key, score.value)
    if score.label is not None:
        attributes.setdefault(f"{key}.label", score.label[:_MAX_TEXT])
