"""Passes traces on to one target, with their scores on the root span.

Theory of operation. A trace waits for its scores, for `hold_timeout` at most; then it goes
without them, and they are handed to `after_hold`. What is to be sent is queued here as what it
was (it stays charged to the memory budget), and becomes parcels only when the courier has room.
So a slow target costs no more than the budget, and holds up neither the scoring nor the other
sinks. Whoever waits for a future that is given out may then forget what was sent.

A span that the target already has is never sent again: of a later revision only its fresh spans
go, unchanged, and its scores are handed to `after_hold`. After a restart nobody knows what the
target has: then a trace may be sent again, as a whole.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scorer.api import ScoredTrace
from scorer.assembly.budget import MemoryBudget
from scorer.model.trace import ClosedTrace
from scorer.otlp.annotate import number_at
from scorer.otlp.decode import service_name
from scorer.otlp.roots import root_of
from scorer.scoring.forwarding import Done, Stray, all_done
from scorer.sinks.otlp.courier import Courier
from scorer.sinks.otlp.feed import Feed
from scorer.sinks.otlp.outgoing import OutgoingTrace, is_whole, news_of, whole
from scorer.sinks.otlp.packing import packed
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.sampling import Basis, TailSampler, joint
from scorer.sinks.otlp.score_attributes import PROBABILITY, outdated_by, score_attributes
from scorer.telemetry import Telemetry

_Key = tuple[str, bytes, int]
# Bytes that CPython holds for a queued trace beside what is sent.
_OVERHEAD = 800


AfterHold = Callable[[ScoredTrace], Iterable[Parcel]]
"""Makes parcels, for the same target, of scores whose spans are sent already."""


def nothing(_scored: ScoredTrace) -> Iterable[Parcel]:
    """Make no parcels."""
    return ()


class _Sent(NamedTuple):
    """What became of a trace; `scores_follow` = it is on its way, without its scores."""

    done: Done
    scores_follow: bool


class ForwardTarget:
    """Passes on to one courier; `clock` is that of the assembler."""

    passes_on = True

    def __init__(  # noqa: PLR0913 - its parts and its two settings
        self,
        courier: Courier,
        *,
        clock: Callable[[], float],
        budget: MemoryBudget,
        telemetry: Telemetry,
        hold_timeout: float,
        sampler: TailSampler | None = None,
        after_hold: AfterHold = nothing,
    ) -> None:
        self._feed = Feed(courier)
        self._clock = clock
        self._budget = budget
        self._telemetry = telemetry
        self._hold_timeout = hold_timeout
        self._sampler = sampler
        self._after_hold = after_hold
        self._waiting: OrderedDict[_Key, ClosedTrace] = OrderedDict()
        self._sent: dict[_Key, _Sent] = {}

    def closed(self, traces: Sequence[ClosedTrace]) -> None:
        """Hold traces until they are scored, or `poll` finds that they waited too long."""
        for trace in traces:
            self._waiting[_key(trace)] = trace

    def poll(self) -> None:
        """Pass on without scores what has waited for too long."""
        longest = self._clock() - self._hold_timeout
        while self._waiting:
            key, trace = next(iter(self._waiting.items()))
            if trace.closed > longest:
                return
            del self._waiting[key]
            self._telemetry.add("spanscore_hold_expired_traces_total")
            self._sent[key] = self._send(trace, None)

    def forward(self, batch: Sequence[ClosedTrace], scored: Sequence[ScoredTrace]) -> Done:
        """Pass on scored traces; of those that went before, the scores."""
        parts = [self._forward(*pair) for pair in zip(batch, scored, strict=True)]
        return all_done(parts)

    def pass_on(self, stray: Stray) -> Done:
        """Pass on what belongs to no open trace, unless its trace was dropped."""
        why = self._sampler and self._sampler.dropped(stray.tenant, stray.trace_id)
        if why:
            self._count_dropped(stray.items if stray.signal == "traces" else 0, why)
            return all_done(())
        return self._feed.queue(lambda: _parcels(stray))

    async def run(self) -> None:
        """Send until cancelled."""
        await self._feed.run()

    async def close(self, within_s: float) -> None:
        """Send what the courier has, for so long at most."""
        await self._feed.close(within_s)

    def _forward(self, trace: ClosedTrace, scored: ScoredTrace) -> Done:
        key = _key(trace)
        self._waiting.pop(key, None)
        sent = self._sent.pop(key, None) or self._send(trace, scored)
        if not sent.scores_follow or scored.verdict != "scored":
            return sent.done
        return all_done((sent.done, self._feed.queue(lambda: self._after_hold(scored))))

    def _send(self, trace: ClosedTrace, scored: ScoredTrace | None) -> _Sent:
        """Queue a trace, unless it is dropped; `scored` is None when the hold is over."""
        sampler = self._sampler
        has_begun = sampler is None or not sampler.dropped(trace.tenant, trace.trace_id)
        if has_begun and not is_whole(trace):
            return _Sent(self._queue_trace(news_of(trace)), scores_follow=True)
        root = None
        attributes = score_attributes(scored)
        if trace.spans and (attributes or sampler):
            root = root_of(trace.spans, None if scored is None else scored.root_span_id)
        if sampler is not None:
            choice = sampler.choose(trace, scored, _service(trace, scored, root))
            if not choice.is_kept:
                self._count_dropped(trace.fresh_spans, choice.basis)
                self._telemetry.add("spanscore_dropped_traces_total", reason=choice.basis)
                return _Sent(all_done(()), scores_follow=False)
            before = None if root is None else number_at(trace.spans[root], PROBABILITY)
            attributes[PROBABILITY] = joint(choice.probability, before)
        queued = self._queue_trace(whole(trace, attributes, root, outdated_by(scored)))
        return _Sent(queued, scores_follow=scored is None)

    def _count_dropped(self, spans: int, reason: Basis) -> None:
        self._telemetry.add("spanscore_dropped_spans_total", spans, reason=reason)

    def _queue_trace(self, outgoing: OutgoingTrace) -> Done:
        """Queue a trace; what is held beside its own bytes is charged until it is accepted."""
        size, tenant = outgoing.added_bytes + _OVERHEAD, outgoing.trace.tenant
        self._budget.charge(size, tenant)
        done = self._feed.queue(outgoing.parcels)
        done.add_done_callback(lambda _: self._budget.release(size, tenant))
        return done


def _key(trace: ClosedTrace) -> _Key:
    return trace.tenant, trace.trace_id, trace.revision


def _parcels(stray: Stray) -> Iterable[Parcel]:
    if stray.parts:
        return packed(stray.signal, stray.parts)
    return [Parcel(stray.signal, stray.body, stray.items)]


def _service(trace: ClosedTrace, scored: ScoredTrace | None, root: int | None) -> str:
    """Return the service of a trace, though it may not be scored."""
    if scored is not None and scored.service:
        return scored.service
    return "" if root is None else service_name(trace.span_envelopes[root].resource)
