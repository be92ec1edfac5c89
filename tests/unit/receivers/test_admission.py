"""What is taken while memory is short or scoring is behind."""

import pytest

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.errors import TooLargeError
from scorer.model.position import Position
from scorer.otlp.split import split_traces
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.scoring.backlog import Backlog
from scorer.testing import TraceBuilder


class Room:
    """An admission with its assembler and a budget of 100,000 bytes, 20,000 in reserve."""

    def __init__(self):
        self.budget = MemoryBudget(100_000, 0.5)
        settings = assembler_settings(parse_config({}).assembly)
        self.assembler = Assembler(settings, self.budget)
        self.backlog, self.waiting = Backlog(1.0), 0
        self.admission = Admission(
            self.assembler,
            self.budget,
            backlog=self.backlog,
            waiting=lambda: self.waiting,
        )

    def open_trace(self, number, size, tenant=""):
        builder = TraceBuilder(number)
        builder.span("chat", padding="x" * size)
        spans = split_traces(builder.request()).spans
        self.assembler.push(spans, Position("test", 0, number), 0, tenant)

    def refusal(self, size=1000, tenant="", now=0.0):
        return self.admission.refusal(size, tenant, now)

    def relieve(self, now, tenant=""):
        refusal = self.refusal(tenant=tenant, now=now)
        return self.admission.relieve(refusal, 1000, tenant, now)


@pytest.fixture
def room():
    return Room()


def test_with_room_everything_is_taken(room):
    """There is no refusal."""
    assert room.refusal() is None


def test_the_reserve_is_for_open_traces(room):
    """Over 80 % of the budget a refusal holds for new traces only; over the whole, for all."""
    room.open_trace(1, 80_000)
    refusal = room.refusal()
    assert (refusal.reason, refusal.is_total) == ("memory", False)
    assert room.refusal(size=30_000).is_total


def test_what_never_fits_is_told_so():
    """Sending it again would not help."""
    with pytest.raises(TooLargeError, match=r"assembly\.memory"):
        Room().admission.check_size(100_001)


def test_a_tenant_may_hold_its_share(room):
    """One that used it up is refused, in words about the share; others are not."""
    room.open_trace(1, 49_000, "acme")
    refusal = room.refusal(tenant="acme")
    assert (refusal.reason, refusal.is_total) == ("tenant_memory", True)
    assert "max_tenant_share" in str(refusal.error)
    assert room.refusal(tenant="zeta") is None
    assert room.refusal() is None


def test_while_scoring_is_behind_open_traces_go_on(room):
    """New ones are told to come again."""
    room.backlog.limit_s = 0.01
    room.backlog.scored(1000, 1.0)
    room.open_trace(1, 40_000)
    room.admission.accepted(1, 40_000, 0)
    refusal = room.refusal(now=0)
    assert (refusal.reason, refusal.is_total) == ("backlog", False)
    assert room.refusal(now=1) is None
    room.waiting = 10
    assert room.refusal(now=1).reason == "backlog"


def test_shortage_that_lasts_closes_traces_early(room):
    """After a second of it, and then once a second."""
    room.open_trace(1, 45_000)
    room.open_trace(2, 45_000)
    assert room.relieve(0) == []
    assert room.relieve(0.9) == []
    assert [trace.reason for trace in room.relieve(1)] == ["memory"]


def test_what_does_not_fit_at_all_goes_at_once(room):
    """As after a restart with a smaller budget; not a tenth of it a second."""
    for number in range(1, 11):
        room.open_trace(number, 40_000)
    assert room.relieve(0) == []
    assert len(room.relieve(1)) == 8
    assert room.assembler.open_bytes < 100_000


def test_a_shortage_that_ended_starts_anew(room):
    """The second is counted from its own beginning."""
    room.open_trace(1, 90_000)
    assert room.relieve(0) == []
    (closed,) = room.assembler.drain(0, "shutdown")
    room.budget.release(closed.size)
    assert room.refusal(now=0.5) is None
    room.open_trace(2, 90_000)
    assert room.relieve(1.2) == []


def test_what_is_on_its_way_out_is_waited_for(room):
    """Closing more traces early would not free memory sooner: their scores are due first."""
    room.open_trace(1, 40_000)
    room.assembler.drain(0, "shutdown")
    room.open_trace(2, 45_000)
    assert room.relieve(0) == []
    assert room.relieve(1) == []


def test_a_tenant_makes_room_for_itself(room):
    """Its own oldest traces are closed, not those of others."""
    room.open_trace(1, 20_000, "zeta")
    room.open_trace(2, 25_000, "acme")
    room.open_trace(3, 24_000, "acme")
    assert room.relieve(0, "acme") == []
    assert {trace.tenant for trace in room.relieve(1, "acme")} == {"acme"}


def test_after_stop_everything_is_refused(room):
    """Another instance may take it."""
    room.admission.stop()
    refusal = room.refusal()
    assert (refusal.reason, refusal.is_total) == ("shutdown", True)
