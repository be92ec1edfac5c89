import asyncio

import pytest

from scorer.sinks.otlp.pace import Backoff
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.plan import Plan


class RecordingTally:
    """Keeps what it is told."""

    def __init__(self):
        self.arrived = []
        self.gone = []
        self.retries = 0

    def taken(self, batch, sent):
        self.arrived += [entry.parcel.body for entry in batch.entries]

    def lost(self, signal, items, reason, error):
        self.gone.append((items, reason))

    def retried(self, error):
        self.retries += 1


class Line:
    """A plan with a clock, that takes letters as parcels of one item each."""

    def __init__(self, **settings):
        self.tally = RecordingTally()
        self.now = 100.0
        limits = {"concurrency": 1, "max_request_size": 1000} | settings
        backoff = Backoff(1.0, 8.0, uniform=lambda low, high: high)
        self.plan = Plan(self.tally, backoff, **limits)
        self.futures = {}
        self.loop = asyncio.new_event_loop()

    def add(self, letters, signal="traces"):
        for letter in letters:
            parcel = Parcel(signal, letter.encode(), 1)
            self.futures[letter] = self.loop.create_future()
            self.plan.add(parcel, self.futures[letter], self.now)

    def next(self):
        """Return the batch that is to be sent now."""
        return self.plan.next(self.now)

    def wait(self):
        """Let time pass until there is something to do."""
        self.now = max(self.now, self.plan.due())

    @property
    def done(self):
        return "".join(letter for letter, done in self.futures.items() if done.done())

    @property
    def arrived(self):
        return b"".join(self.tally.arrived).decode()


@pytest.fixture
def line():
    lines = []

    def make(**settings):
        lines.append(Line(**settings))
        return lines[-1]

    yield make
    for made in lines:
        made.loop.close()
