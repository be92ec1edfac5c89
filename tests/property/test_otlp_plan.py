"""Whatever a target answers, each parcel has arrived, is counted as lost, or is still queued."""

from asyncio import new_event_loop

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.sinks.otlp.pace import Backoff
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.plan import Plan
from scorer.sinks.otlp.target import OverloadedError, RefusedError, Sent

NOT_NOW = st.builds(
    lambda kind, delay_s: kind("later", retry_after_s=delay_s),
    st.sampled_from([RetryableError, OverloadedError]),
    st.sampled_from([0.0, 7.0]),
)
NEVER = st.sampled_from(
    [
        PermanentError("bad"),
        TooLargeError("big"),
        RefusedError("no", reason="no_access", is_about_data=False),
    ]
)


class Target(RuleBasedStateMachine):
    """One plan, and a target that may say anything at any time.

    A parcel's number is its count of items, so that the tally tells which one it was.
    """

    def __init__(self):
        super().__init__()
        self.loop = new_event_loop()
        self.now = 0.0
        self.sizes = {}
        self.futures = {}
        self.arrived, self.gone = [], []
        self.under_way = []

    @initialize(
        concurrency=st.integers(1, 4),
        size=st.integers(1, 12),
        elapsed=st.sampled_from([None, 20.0]),
    )
    def begin(self, concurrency, size, elapsed):
        self.concurrency, self.size = concurrency, size
        backoff = Backoff(1.0, 30.0, uniform=lambda low, high: high)
        limits = {"max_request_size": size, "max_elapsed_s": elapsed}
        self.plan = Plan(self, backoff, concurrency=concurrency, **limits)

    def taken(self, batch, sent):
        """Be the tally."""
        self.arrived += [entry.parcel.items for entry in batch.entries]

    def lost(self, signal, items, reason, error):
        """Be the tally."""
        self.gone.append(items)

    def retried(self, error):
        """Be the tally."""

    @rule(
        signal=st.sampled_from(["traces", "logs", "metrics"]),
        sizes=st.lists(st.integers(0, 5), min_size=1, max_size=6),
    )
    def submit(self, signal, sizes):
        for size in sizes:
            number = len(self.futures) + 1
            self.futures[number] = self.loop.create_future()
            self.sizes[number] = size
            self.plan.add(Parcel(signal, b"x" * size, number), self.futures[number], self.now)

    @rule()
    def send(self):
        batch = self.plan.next(self.now)
        if batch is not None:
            assert len(batch.body) <= self.size or len(batch.entries) == 1
            assert {entry.parcel.signal for entry in batch.entries} == {batch.signal}
            self.under_way.append(batch)
            assert len(self.under_way) <= self.concurrency

    @rule()
    def wait(self):
        due = self.plan.due()
        if due != float("inf"):
            self.now = max(self.now, due)
            assert self.plan.next is not None
            batch = self.plan.next(self.now)
            assert batch is not None, "it was due"
            self.under_way.append(batch)

    @precondition(lambda self: self.under_way)
    @rule(place=st.integers(0, 3))
    def take(self, place):
        self.plan.taken(self._answered(place), Sent())

    @precondition(lambda self: self.under_way)
    @rule(place=st.integers(0, 3))
    def stop(self, place):
        self.plan.put_back(self._answered(place))

    @precondition(lambda self: self.under_way)
    @rule(place=st.integers(0, 3), error=NOT_NOW)
    def not_now(self, place, error):
        self.plan.not_now(self._answered(place), error, self.now)

    @precondition(lambda self: self.under_way)
    @rule(place=st.integers(0, 3), error=NEVER)
    def never(self, place, error):
        self.plan.never(self._answered(place), error)

    @invariant()
    def each_parcel_has_one_end_or_is_queued(self):
        ended = self.arrived + self.gone
        assert len(ended) == len(set(ended))
        assert {number for number, done in self.futures.items() if done.done()} == set(ended)

    @invariant()
    def the_bytes_are_those_of_what_is_queued(self):
        if self.futures:
            queued = [size for n, size in self.sizes.items() if not self.futures[n].done()]
            assert self.plan.queued_bytes == sum(queued)
            assert self.plan.is_empty == (not queued)

    def teardown(self):
        """Have everything taken: what is queued can always be delivered, in a few requests."""
        for batch in self.under_way if self.futures else ():
            self.plan.put_back(batch)
        for _ in self.futures:
            if not self.plan.is_empty:
                self.now = max(self.now, self.plan.due())
                self.plan.taken(self.plan.next(self.now), Sent())
        assert sorted(self.arrived + self.gone) == sorted(self.futures)
        self.loop.close()

    def _answered(self, place):
        return self.under_way.pop(place % len(self.under_way))


TestTarget = Target.TestCase
TestTarget.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
