"""Accounts that outlive a trace: booked in the order of closing, each span once.

Theory of operation. A scoring process finds what a trace adds to which account; here, in the main
process, it is booked, and only then the score is made, from the totals. All of a batch is written
at once, before a sink sees its scores. A crash in between repeats the batch: its spans are known,
so nothing is booked again, and a revision that was booked gets the totals that it had then, so its
score stays the same. A later revision books the spans that are new in it.

When there is no room for another account, those are dropped that are for a time, a day after it is
over by our clock. Others never are, for a budget that is spent would be whole again; what would
open one too many has no score. Of booked spans the oldest are forgotten.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from msgspec.structs import replace

from scorer.api import AccountMetric, Balance, Entry, Measurement, ScoredTrace, Unscored
from scorer.config import AccountsConfig
from scorer.model.account import Posting
from scorer.model.score import Score
from scorer.registry import LoadedMetric
from scorer.scoring.account_store import (
    BookedTrace,
    Draft,
    MemoryStore,
    Store,
    account_key,
    trace_key,
)
from scorer.scoring.results import booked_scores, is_sound
from scorer.telemetry import FaultLog, Telemetry

_LOG = logging.getLogger("spanscore.accounts")
_DAY_S = 86_400
_TOO_MANY = Unscored("too_many_accounts", "skipped")


class _Booked(NamedTuple):
    """The accounts that a trace adds to, and whether one of them could not be opened."""

    balances: list[Balance]
    is_refused: bool


class Accounts:
    """Books what traces add, and scores them; used by one task at a time."""

    def __init__(
        self,
        metrics: Sequence[LoadedMetric],
        store: Store,
        limits: AccountsConfig,
        telemetry: Telemetry,
        unix_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._unix_ns = unix_ns
        self._metrics = {loaded.spec.name: loaded for loaded in metrics if loaded.books}
        self._store = store
        self._limits = limits
        self._telemetry = telemetry
        self._faults = FaultLog(_LOG)

    async def start(self) -> None:
        """Show how much is kept from before; raises RetryableError."""
        if self._metrics:
            draft = Draft(self._store)
            await draft.open(())
            self._show(draft)

    async def settle(self, batch: Sequence[ScoredTrace]) -> list[ScoredTrace]:
        """Return the traces with the scores that wait for accounts.

        Raises:
            RetryableError: The disk fails; nothing is booked.
        """
        if not any(trace.postings for trace in batch):
            return list(batch)
        draft = Draft(self._store)
        await draft.open(set(self._keys(batch)))
        dropped = await self._make_room(draft, batch)
        refused: list[str] = []
        settled = [self._settle(draft, trace, refused) for trace in batch]
        forgotten = await draft.forget(self._limits.max_spans)
        await draft.save()
        for metric in refused:
            self._telemetry.add("spanscore_account_refusals_total", metric=metric)
        self._telemetry.add("spanscore_account_forgotten_spans_total", forgotten)
        self._telemetry.add("spanscore_dropped_accounts_total", dropped)
        self._show(draft)
        return settled

    async def _make_room(self, draft: Draft, batch: Sequence[ScoredTrace]) -> int:
        """Drop accounts that ended a day ago, if the batch may need room; return how many."""
        named = {key for trace in batch for key in self._account_keys(trace)}
        new = sum(draft.totals(key) is None for key in named)
        if not new or draft.counts.accounts + new <= self._limits.max_accounts:
            return 0
        return await draft.drop_ended(self._unix_ns() // 10**9 - _DAY_S)

    def _show(self, draft: Draft) -> None:
        self._telemetry.set("spanscore_accounts", draft.counts.accounts)
        self._telemetry.set("spanscore_account_spans", draft.counts.spans)

    def _keys(self, batch: Sequence[ScoredTrace]) -> Iterator[bytes]:
        for trace in batch:
            yield from (self._trace_key(trace, posting) for posting in trace.postings)
            yield from self._account_keys(trace)

    def _account_keys(self, trace: ScoredTrace) -> Iterator[bytes]:
        for posting in trace.postings:
            for entry in posting.entries.entries:
                yield self._account_key(trace, posting, entry)

    def _settle(self, draft: Draft, trace: ScoredTrace, refused: list[str]) -> ScoredTrace:
        scores: Sequence[Score] = trace.scores
        breaches = set(trace.breaches)
        for posting in trace.postings:
            name = posting.metric
            loaded = self._metrics[name]
            booked = self._book(draft, trace, posting)
            if booked.is_refused:
                refused.append(name)
            made = self._measure(loaded, posting, booked)
            scores = list(_replaced(scores, loaded, made))
            if loaded.threshold is not None and any(_is_breach(score, name) for score in scores):
                breaches.add(name)
        in_order = dict.fromkeys(score.metric for score in scores if score.metric in breaches)
        return replace(trace, scores=tuple(scores), breaches=tuple(in_order), postings=())

    def _measure(
        self, loaded: LoadedMetric, posting: Posting, booked: _Booked
    ) -> Measurement | Unscored:
        if booked.is_refused:
            return _TOO_MANY
        metric = cast("AccountMetric", loaded.metric)
        try:
            result = metric.measure(booked.balances, posting.entries.detail)
        except Exception as error:  # noqa: BLE001 - the boundary of one metric
            self._faults.report(f"metric {loaded.spec.name} failed", error)
            return Unscored("metric_raised", "failed", {"error": type(error).__name__})
        if not isinstance(result, Measurement | Unscored) or not is_sound(result):
            return Unscored("bad_result", "failed", {"type": type(result).__name__})
        return result

    def _book(self, draft: Draft, trace: ScoredTrace, posting: Posting) -> _Booked:
        """Book the spans of a trace that are new, and return its accounts after that."""
        # Of a span that comes twice in one trace, the first counts.
        entries: dict[str, Entry] = {}
        for entry in posting.entries.entries:
            entries.setdefault(entry.span_id, entry)
        key = self._trace_key(trace, posting)
        keys = {e.account: self._account_key(trace, posting, e) for e in entries.values()}
        booked = draft.trace(key)
        known = set() if booked is None else set(booked.spans)
        fresh = [entry for span_id, entry in entries.items() if span_id not in known]
        if booked is not None and not fresh and booked.revision == trace.revision:
            return _Booked(_balances(entries, keys, booked.totals), is_refused=False)
        taken = [entry.span_id for entry in fresh if self._add(draft, keys[entry.account], entry)]
        totals = {
            key.hex(): found for key in keys.values() if (found := draft.totals(key)) is not None
        }
        if taken or booked is not None:
            spans = [*(booked.spans if booked else ()), *taken]
            place = booked.place if booked else 0
            newest = BookedTrace(place, trace.revision, spans, totals)
            draft.put_trace(key, newest, len(taken))
        is_refused = len(taken) < len(fresh)
        return _Booked(_balances(entries, keys, totals), is_refused)

    def _add(self, draft: Draft, key: bytes, entry: Entry) -> bool:
        """Add an entry to its account; False where that would be one too many."""
        totals = draft.totals(key)
        if totals is None:
            if draft.counts.accounts >= self._limits.max_accounts:
                return False
            totals = {}
        _add_up(totals, entry)
        draft.put_totals(key, totals)
        return True

    def _trace_key(self, trace: ScoredTrace, posting: Posting) -> bytes:
        loaded = self._metrics[posting.metric]
        return trace_key(posting.metric, loaded.mode, trace.tenant, trace.trace_id)

    def _account_key(self, trace: ScoredTrace, posting: Posting, entry: Entry) -> bytes:
        loaded = self._metrics[posting.metric]
        return account_key(entry.ends, posting.metric, loaded.mode, trace.tenant, entry.account)


def accounts_in_memory(
    metrics: Sequence[LoadedMetric], limits: AccountsConfig, telemetry: Telemetry | None = None
) -> Accounts:
    """Return accounts that begin with nothing, and end with the run: so it can be repeated."""
    return Accounts(metrics, MemoryStore(), limits, telemetry or Telemetry())


def _balances(
    entries: Mapping[str, Entry],
    keys: Mapping[tuple[str, ...], bytes],
    totals: Mapping[str, dict[str, int]],
) -> list[Balance]:
    """Return the accounts that entries name, as they were booked, in order of name."""
    added: dict[tuple[str, ...], dict[str, int]] = {}
    for entry in entries.values():
        _add_up(added.setdefault(entry.account, {}), entry)
    return [
        Balance(account, found, added[account])
        for account in sorted(added)
        if (found := totals.get(keys[account].hex())) is not None
    ]


def _add_up(totals: dict[str, int], entry: Entry) -> None:
    for name, amount in entry.amounts.items():
        totals[name] = totals.get(name, 0) + amount


def _replaced(
    scores: Sequence[Score], loaded: LoadedMetric, result: Measurement | Unscored
) -> Iterator[Score]:
    """Yield the scores of a trace, with those of one metric made anew."""
    for score in scores:
        if score.metric == loaded.spec.name:
            yield from booked_scores(loaded, score, result)
        else:
            yield score


def _is_breach(score: Score, metric: str) -> bool:
    return score.metric == metric and score.output == "value" and score.label == "fail"
