"""Scores one finished trace: decode, normalise, then the stages of metrics.

The engine is a pure function of the trace and the configuration (but for what is measured,
and what time-outs lead to): the same trace gives the same scores live, in a replay, in this process
or in a worker. Whatever one metric does, the others are scored: it may raise, return
nonsense, or take too long, and only its own score is `failed`, with a reason.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import msgspec

from scorer.api import (
    AccountMetric,
    AgentTrace,
    Dialect,
    Entries,
    Measurement,
    Score,
    ScoredTrace,
    ScoreMetric,
    TraceMetric,
    Unscored,
)
from scorer.config import Config
from scorer.dialects.evidence import evidence
from scorer.dialects.normalise import normalise
from scorer.errors import SpanscoreError
from scorer.model.account import Posting
from scorer.model.score import Verdict
from scorer.model.times import rfc3339
from scorer.model.trace import ClosedTrace
from scorer.otlp.decode import decode_trace
from scorer.registry import LoadedMetric, load_dialects, load_metrics, load_rules
from scorer.scoring.applicability import missing_need
from scorer.scoring.breaker import Breaker
from scorer.scoring.deadline import CallWithin, DeadlineExceeded, deadlines
from scorer.scoring.facts import trace_facts
from scorer.scoring.readings.overlay import with_readings
from scorer.scoring.references import ReferenceStore, read_references
from scorer.scoring.results import NOT_BOOKED, Subject, is_sound, scores_of
from scorer.scoring.rules import Rules, is_sampled
from scorer.telemetry import FaultLog

_LOG = logging.getLogger("spanscore.scoring")

# Metrics that must not be called for a trace, with the reason to give instead.
Barred = Mapping[str, str]
_NONE_BARRED: Barred = {}
# Characters of a service, an agent or a session.
_MAX_NAME = 256


class Engine:
    """The configured metrics and dialects, ready to score."""

    def __init__(
        self,
        metrics: Sequence[LoadedMetric],
        dialects: Sequence[Dialect],
        references: ReferenceStore | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.metrics = tuple(metrics)
        self._dialects = tuple(dialects)
        self._references = references or ReferenceStore()
        self._rules = rules or Rules(())
        self._booking = {item.spec.name for item in metrics if item.books}
        self._bounded = {item.spec.name for item in metrics if item.threshold is not None}
        self._breaker = Breaker()
        self._faults = FaultLog(_LOG)
        # Told the index of each metric before it is called, None after the last one.
        self.at_metric: Callable[[int | None], None] = _tell_nobody

    def view(self, closed: ClosedTrace) -> AgentTrace:
        """Return what metrics would read of a trace."""
        view = normalise(decode_trace(closed), self._dialects)
        view = with_readings(_with_short_names(view), closed.readings)
        return self._references.attach(view)

    def evidence(self, closed: ClosedTrace, view: AgentTrace) -> dict[str, Any]:
        """Return where the facts of a trace's view come from, and what it lacks."""
        return evidence(decode_trace(closed), view, self._dialects)

    def score(self, closed: ClosedTrace, barred: Barred = _NONE_BARRED) -> ScoredTrace:
        """Score a closed trace; metrics in `barred` are not called but `failed` with its reason."""
        try:
            view = self.view(closed)
        except Exception as error:  # noqa: BLE001 - the boundary of one trace
            self._faults.report("a trace cannot be normalised", error)
            return quarantined(closed, "normalise_failed")
        subject = Subject(
            id=view.trace_id,
            trace=view,
            event_time=rfc3339(view.end_ns),
            close_reason=closed.reason,
            revision=closed.revision,
        )
        try:
            scored = self._score(subject, barred)
        except Exception as error:  # noqa: BLE001 - the boundary of one trace
            self._faults.report("a trace cannot be scored", error)
            return quarantined(closed, "scoring_failed")
        return msgspec.structs.replace(scored, opened=closed.opened, closed=closed.closed)

    def score_view(self, view: AgentTrace, subject_id: str) -> ScoredTrace:
        """Score a view that was not made from spans."""
        view = self._references.attach(view)
        subject = Subject(
            id=subject_id, trace=view, event_time=rfc3339(view.end_ns), is_trace=False
        )
        return self._score(subject, _NONE_BARRED)

    def _score(self, subject: Subject, barred: Barred) -> ScoredTrace:
        view = subject.trace
        scores: list[Score] = []
        postings: list[Posting] = []
        seconds: dict[str, float] = {}
        verdict, reason = _verdict(view)
        if view.is_agent:
            skipped = self._skipped(view)
            with deadlines() as call_within:
                for index, loaded in enumerate(self.metrics):
                    name = loaded.spec.name
                    self.at_metric(index)
                    started = time.perf_counter()
                    result = (
                        skipped(name)
                        or _hindrance(loaded, view, barred)
                        or self._call(loaded, view, scores, call_within)
                    )
                    seconds[name] = time.perf_counter() - started
                    if isinstance(result, Entries):
                        postings.append(Posting(name, result))
                        result = NOT_BOOKED
                    scores.extend(scores_of(loaded, subject, result))
                self.at_metric(None)
        return ScoredTrace(
            tenant=view.tenant,
            trace_id=view.trace_id,
            service=view.service,
            agent=view.agent,
            session_id=view.session_id,
            verdict=verdict,
            reason=reason,
            close_reason=subject.close_reason or "replay_end",
            revision=subject.revision,
            completeness=view.completeness,
            dialects=view.dialects,
            scores=tuple(scores),
            breaches=self._breaches(scores),
            facts=trace_facts(view, scores),
            root_span_id=view.root_span_id,
            event_time=subject.event_time,
            metric_seconds=seconds,
            postings=tuple(postings),
        )

    def _call(
        self,
        loaded: LoadedMetric,
        view: AgentTrace,
        scores: Sequence[Score],
        call_within: CallWithin,
    ) -> Measurement | Unscored | Entries:
        name = loaded.spec.name
        if self._breaker.is_open(name, time.monotonic()):
            return Unscored("suspended", "failed")
        try:
            result = call_within(loaded.timeout_s, self._bound(loaded, view, scores))
        except DeadlineExceeded:
            self._breaker.strike(name, time.monotonic())
            return Unscored("timeout", "failed")
        except BaseException as error:  # noqa: BLE001 - a metric may even call sys.exit
            self._faults.report(f"metric {name} failed", error)
            return Unscored("metric_raised", "failed", {"error": type(error).__name__})
        self._breaker.clear(name)
        if not is_sound(result) or (isinstance(result, Entries) and not loaded.books):
            wrong = SpanscoreError(type(result).__name__)
            self._faults.report(f"metric {name} returned no valid result", wrong)
            return Unscored("bad_result", "failed", {"type": type(result).__name__})
        return cast("Measurement | Unscored | Entries", result)

    def _bound(
        self, loaded: LoadedMetric, view: AgentTrace, scores: Sequence[Score]
    ) -> Callable[[], object]:
        if loaded.books:
            return partial(cast("AccountMetric", loaded.metric).entries, view)
        if loaded.combines:
            # Scores of accounts are made later: then none of them is a part, be it only a failure.
            made = [score for score in scores if score.metric not in self._booking]
            return partial(cast("ScoreMetric", loaded.metric).combine, view, made)
        return partial(cast("TraceMetric", loaded.metric).score, view)

    def _skipped(self, view: AgentTrace) -> Callable[[str], Unscored | None]:
        """Return a function that says why a metric is not to run on this trace, if so."""
        rule = self._rules.find(view.service)
        if rule is None:
            return lambda _: None
        if not is_sampled(view.trace_id, rule.sample):
            # An account that knew a share of what is spent would be wrong, not a sample.
            return lambda name: (
                None if name in self._booking else Unscored("sampled_out", "skipped")
            )
        wanted = rule.metrics
        return lambda name: (
            None if wanted is None or name in wanted else Unscored("not_in_rule", "skipped")
        )

    def _breaches(self, scores: Sequence[Score]) -> tuple[str, ...]:
        failed = [s.metric for s in scores if s.label == "fail" and s.output == "value"]
        return tuple([name for name in failed if name in self._bounded])


def _verdict(view: AgentTrace) -> tuple[Verdict, str | None]:
    if view.is_agent:
        return "scored", None
    # What is lost may have been the agent's.
    return ("quarantined", "undecodable") if view.completeness.lost else ("not_agent", None)


def build_engine(config: Config) -> Engine:
    """Build the engine that a configuration asks for; raises ConfigError."""
    return Engine(
        load_metrics(config.scoring),
        load_dialects(),
        read_references(config.scoring.references.file),
        Rules(load_rules(config.scoring.rules)),
    )


def quarantined(closed: ClosedTrace, reason: str) -> ScoredTrace:
    """Return the verdict on a trace that could not be scored at all."""
    return ScoredTrace(
        tenant=closed.tenant,
        trace_id=closed.trace_id.hex(),
        service="",
        verdict="quarantined",
        reason=reason,
        close_reason=closed.reason,
        revision=closed.revision,
        completeness=closed.completeness,
        closed=closed.closed,
    )


def _with_short_names(view: AgentTrace) -> AgentTrace:
    """Cut the names that go onto each score: senders choose them."""
    names = (view.service, view.agent or "", view.session_id or "")
    if max(map(len, names)) <= _MAX_NAME:
        return view
    service, agent, session_id = (name[:_MAX_NAME] for name in names)
    return msgspec.structs.replace(
        view, service=service, agent=agent or None, session_id=session_id or None
    )


def _tell_nobody(_index: int | None) -> None:
    """Nobody watches an engine in the service's own process."""


def _hindrance(loaded: LoadedMetric, view: AgentTrace, barred: Barred) -> Unscored | None:
    """Say why a metric is not to be called on a trace, if so."""
    spec = loaded.spec
    if spec.name in barred:
        return Unscored(barred[spec.name], "failed")
    lacking = missing_need(view, spec.needs)
    return None if lacking is None else Unscored(lacking)
