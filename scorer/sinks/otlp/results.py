"""Sends scores as telemetry of their own: an event and an evaluator span for each score."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from scorer import __version__
from scorer.api import Threshold
from scorer.config import Config
from scorer.model.score import Range, Score, ScoredTrace, Status
from scorer.otlp.evaluation import (
    Terms,
    evaluation_event,
    evaluator_span,
    facts_of,
    own_request,
)
from scorer.otlp.signal import Signal
from scorer.registry import load_metrics, load_rules
from scorer.scoring.rules import Rules
from scorer.sinks.otlp.parcel import Parcel

SENT: Sequence[Status] = ("scored", "failed")
"""The statuses that are sent unless the configuration says otherwise.

That a metric did not apply or was not asked says nothing of the agent, and there is more of it
than of scores; `/metrics` counts it with its reason, and `spanscore explain` tells it by trace.
"""

# Scores of one parcel; one takes 2 to 8 KB, and receivers take 4 MiB by default.
_MAX_SCORES = 256


class Results:
    """Makes parcels of scored traces; of each revision, under the score ids of its own.

    `terms_of` tells what belongs to a score beside itself. `signals` says whether to make evaluator
    spans, events, or both.
    """

    def __init__(
        self,
        terms_of: Callable[[Score], Terms] = lambda _: Terms(),
        *,
        statuses: Collection[Status] = SENT,
        signals: Collection[Signal] = ("traces", "logs"),
    ) -> None:
        self._terms_of = terms_of
        self._statuses = frozenset(statuses)
        self._makes_spans = "traces" in signals
        self._makes_events = "logs" in signals

    def parcels(self, traces: Iterable[ScoredTrace]) -> list[Parcel]:
        """Return the scores of traces as telemetry."""
        scores = (s for trace in traces for s in trace.scores if s.status in self._statuses)
        return [parcel for batch in _batches(scores) for parcel in self._pack(batch)]

    def parcels_of(self, trace: ScoredTrace) -> list[Parcel]:
        """Return the scores of one trace as telemetry."""
        return self.parcels([trace])

    def _pack(self, scores: Sequence[Score]) -> Iterator[Parcel]:
        facts = [facts_of(score, self._terms_of(score)) for score in scores]
        made = map(evaluator_span, scores, facts) if self._makes_spans else ()
        spans = [span for span in made if span is not None]
        if spans:
            yield Parcel("traces", own_request(spans, __version__), len(spans))
        if self._makes_events:
            events = list(map(evaluation_event, scores, facts))
            yield Parcel("logs", own_request(events, __version__), len(events))


class ConfiguredTerms:
    """The thresholds and the sampling of a configuration."""

    def __init__(self, thresholds: Mapping[str, Threshold], rules: Rules) -> None:
        self._thresholds: dict[str, Range] = {
            name: (bounds.min, bounds.max) for name, bounds in thresholds.items()
        }
        self._rules = rules

    def __call__(self, score: Score) -> Terms:
        """Return what belongs to a score."""
        rule = self._rules.find(score.service)
        share = None if rule is None or rule.sample >= 1 else rule.sample
        return Terms(self._thresholds.get(score.metric, (None, None)), share)


def configured_terms(config: Config) -> ConfiguredTerms:
    """Return the terms of a configuration; raises ConfigError for a metric that does not load."""
    loaded = load_metrics(config.scoring)
    thresholds = {m.spec.name: m.threshold for m in loaded if m.threshold is not None}
    return ConfiguredTerms(thresholds, Rules(load_rules(config.scoring.rules)))


def _batches(scores: Iterable[Score]) -> Iterator[list[Score]]:
    left = iter(scores)
    while batch := list(islice(left, _MAX_SCORES)):
        yield batch
