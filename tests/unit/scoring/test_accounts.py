"""Accounts: booked once, in close order, the same after a crash, and bounded."""

import pytest

from scorer.api import Entries, Entry, Measurement, MetricSpec, OutputSpec, Threshold, Unscored
from scorer.config import AccountsConfig
from scorer.errors import RetryableError
from scorer.model.account import Posting
from scorer.registry import LoadedMetric
from scorer.scoring.account_store import MemoryStore
from scorer.scoring.accounts import Accounts
from scorer.telemetry import Telemetry
from scorer.testing import score, scored_trace

DAY = 86_400


class Sum:
    """Measures the total of the first account."""

    spec = MetricSpec(
        name="sum", kind="privacy", description="A test.", outputs=(OutputSpec(range=(0.0, None)),)
    )

    def __init__(self):
        self.raises = None

    def measure(self, balances, detail):
        if self.raises:
            raise self.raises
        totals = {balance.account[0]: balance.totals["n"] for balance in balances}
        added = {balance.account[0]: balance.added["n"] for balance in balances}
        value = next(iter(totals.values()), 0)
        return Measurement({"value": value}, detail={"totals": totals, "added": added})


class Shop:
    """Accounts over a store that may be handed to the next one, as over a restart."""

    def __init__(self, store=None, mode="beyond", now_s=0, **limits):
        self.store = store or MemoryStore()
        self.metric, self.telemetry = Sum(), Telemetry()
        loaded = LoadedMetric(
            metric=self.metric,
            spec=Sum.spec,
            combines=False,
            books=True,
            mode=mode,
            threshold=Threshold(max=10),
            timeout_s=1,
            config_hash="h",
        )
        config = AccountsConfig(**limits)
        self.accounts = Accounts(
            [loaded], self.store, config, self.telemetry, lambda: now_s * 10**9
        )

    async def settle(self, *traces):
        return await self.accounts.settle(traces)

    async def totals(self, trace):
        (settled,) = await self.settle(trace)
        return settled.scores[0].detail["totals"]


def adding(number, *entries, ends=0, **fields):
    """A trace that adds (account, span, amount)s, to accounts that end then."""
    found = Entries(tuple([Entry((name,), span, {"n": n}, ends) for name, span, n in entries]))
    waiting = score("sum", None, status="failed", reason="not_booked", range=(0.0, None))
    return scored_trace(number, scores=(waiting,), postings=(Posting("sum", found),), **fields)


async def test_what_traces_add_is_summed_by_account():
    """Of two accounts each has its own; the score is made from the total after the trace."""
    shop = Shop()
    first, second = await shop.settle(
        adding(1, ("ann", "a", 3), ("ann", "b", 4)), adding(2, ("ann", "a", 1), ("bob", "b", 5))
    )
    assert first.scores[0].value == 7
    assert second.scores[0].detail == {
        "totals": {"ann": 8, "bob": 5},
        "added": {"ann": 1, "bob": 5},
    }
    assert first.scores[0].status == "scored"
    assert first.scores[0].reason is None
    assert first.postings == ()


async def test_traces_without_entries_pass_unchanged():
    """Nothing is read or written for them."""
    plain = scored_trace(1, scores=(score(),))
    assert await Shop(store=object()).settle(plain) == [plain]


async def test_a_label_and_a_breach_come_with_the_score():
    """The threshold is 10; other breaches stay, in the order of the metrics."""
    shop = Shop()
    within, beyond = await shop.settle(
        adding(1, ("ann", "a", 10)), adding(2, ("ann", "a", 1), breaches=("latency",))
    )
    assert (within.scores[0].label, within.breaches) == ("pass", ())
    assert (beyond.scores[0].label, "sum" in beyond.breaches) == ("fail", True)


class TestOnce:
    """A span is booked once, however often it comes."""

    async def test_the_same_revision_again_gets_the_same_score(self):
        """After a crash it is scored again, though others have spent meanwhile."""
        shop = Shop()
        trace = adding(1, ("ann", "a", 3))
        before = await shop.settle(trace)
        await shop.settle(adding(2, ("ann", "a", 5)))
        assert await Shop(shop.store).settle(trace) == before
        assert await shop.totals(adding(3, ("ann", "a", 0))) == {"ann": 8}

    async def test_a_revision_books_what_is_new_in_it(self):
        """And is scored from the total of now."""
        shop = Shop()
        await shop.settle(adding(1, ("ann", "a", 3)))
        await shop.settle(adding(2, ("ann", "a", 10)))
        again = adding(1, ("ann", "a", 3), ("ann", "b", 4), revision=2)
        assert await shop.totals(again) == {"ann": 17}
        assert await shop.totals(again) == {"ann": 17}

    async def test_a_revision_without_news_books_nothing(self):
        """Late spans need not spend."""
        shop = Shop()
        await shop.settle(adding(1, ("ann", "a", 3)))
        assert await shop.totals(adding(1, ("ann", "a", 3), revision=2)) == {"ann": 3}

    async def test_the_first_of_a_span_counts(self):
        """In one trace, and in a trace that comes again with something else."""
        shop = Shop()
        assert await shop.totals(adding(1, ("ann", "a", 3), ("ann", "a", 9))) == {"ann": 3}
        assert await shop.totals(adding(1, ("bob", "a", 9))) == {}
        assert await shop.totals(adding(2, ("bob", "a", 1))) == {"bob": 1}

    async def test_span_ids_of_two_traces_are_two(self):
        """They are unique in a trace only; so are trace ids in a tenant."""
        shop = Shop()
        await shop.settle(adding(1, ("ann", "a", 1)))
        assert await shop.totals(adding(2, ("ann", "a", 1))) == {"ann": 2}

    async def test_tenants_and_modes_do_not_share_accounts(self):
        """Nor do they share what is remembered of a trace."""
        shop = Shop()
        await shop.settle(adding(1, ("ann", "a", 1)))
        assert await shop.totals(adding(1, ("ann", "a", 2), tenant="t")) == {"ann": 2}
        other = Shop(shop.store, mode="documented")
        assert await other.totals(adding(1, ("ann", "a", 4))) == {"ann": 4}

    async def test_a_disk_that_fails_books_nothing(self):
        """The batch is tried again, and counted once."""
        shop = Shop(max_accounts=1)
        change, shop.store.change = shop.store.change, refuse
        batch = adding(1, ("ann", "a", 1)), adding(2, ("bob", "a", 1))
        with pytest.raises(RetryableError):
            await shop.settle(*batch)
        shop.store.change = change
        ann, bob = await shop.settle(*batch)
        assert ann.scores[0].detail["totals"] == {"ann": 1}
        assert bob.scores[0].status == "skipped"
        assert shop.telemetry.value("spanscore_account_refusals_total", metric="sum") == 1


async def refuse(*_):
    raise RetryableError("the disk is full")


class TestBounds:
    """Both have a key, a series, and an end."""

    async def test_one_account_too_many_has_no_score(self):
        """None is dropped for it: a budget that is spent would be whole again."""
        shop = Shop(max_accounts=1)
        await shop.settle(adding(1, ("ann", "a", 1)))
        refused, known = await shop.settle(
            adding(2, ("bob", "a", 1), ("ann", "b", 2)), adding(3, ("ann", "a", 4))
        )
        assert (refused.scores[0].status, refused.scores[0].reason) == (
            "skipped",
            "too_many_accounts",
        )
        assert refused.scores[0].value is None
        assert known.scores[0].value == 7
        assert shop.telemetry.value("spanscore_account_refusals_total", metric="sum") == 1
        assert shop.telemetry.value("spanscore_accounts") == 1

    async def test_accounts_whose_time_is_over_make_room(self):
        """A day later, by our clock; those that go on and those for good are never dropped."""
        shop = Shop(max_accounts=3, now_s=10 * DAY)
        await shop.settle(
            adding(1, ("ann", "a", 1), ends=9 * DAY - 1),
            adding(2, ("ann", "a", 2), ends=9 * DAY),
            adding(3, ("ann", "a", 3)),
        )
        assert shop.telemetry.value("spanscore_dropped_accounts_total") == 0
        await shop.settle(adding(4, ("ann", "a", 4), ends=20 * DAY))
        assert shop.telemetry.value("spanscore_dropped_accounts_total") == 1
        assert shop.telemetry.value("spanscore_accounts") == 3
        (refused,) = await shop.settle(adding(5, ("bob", "a", 1), ends=30 * DAY))
        assert refused.scores[0].reason == "too_many_accounts"
        assert await shop.totals(adding(6, ("ann", "a", 1), ends=9 * DAY)) == {"ann": 3}
        assert await shop.totals(adding(7, ("ann", "a", 1))) == {"ann": 4}
        assert await shop.totals(adding(8, ("ann", "a", 1), ends=20 * DAY)) == {"ann": 5}

    async def test_an_account_that_is_dropped_while_it_is_asked_for_begins_anew(self):
        """In one batch; a late trace must not break what the others book."""
        shop = Shop(max_accounts=1, now_s=10 * DAY)
        await shop.settle(adding(1, ("ann", "a", 1), ends=DAY))
        late, new = await shop.settle(
            adding(2, ("ann", "a", 5), ends=DAY), adding(3, ("bob", "a", 1))
        )
        assert late.scores[0].value == 5
        assert new.scores[0].reason == "too_many_accounts"
        assert shop.telemetry.value("spanscore_accounts") == 1

    async def test_the_oldest_spans_are_forgotten(self):
        """With their whole trace; they would be booked again, which is counted here."""
        shop = Shop(max_spans=3)
        await shop.settle(adding(1, ("ann", "a", 1), ("ann", "b", 1)))
        await shop.settle(adding(2, ("ann", "a", 1)))
        assert shop.telemetry.value("spanscore_account_forgotten_spans_total") == 0
        await shop.settle(adding(3, ("ann", "a", 1)))
        assert shop.telemetry.value("spanscore_account_forgotten_spans_total") == 2
        assert shop.telemetry.value("spanscore_account_spans") == 2
        assert await shop.totals(adding(2, ("ann", "a", 1), revision=2)) == {"ann": 4}
        assert await shop.totals(adding(1, ("ann", "a", 1))) == {"ann": 5}

    async def test_nothing_is_left_of_what_is_forgotten(self):
        """What is kept does not grow with the number of traces."""
        shop = Shop(max_spans=10)
        for number in range(1, 200):
            await shop.settle(adding(number, ("ann", "a", 1)))
        kept = len(shop.store._values)
        assert kept == 2 * 10 + 2  # traces and their places; the account and the counts
        assert await shop.totals(adding(500, ("ann", "a", 0))) == {"ann": 199}

    async def test_counts_go_on_after_a_restart(self):
        """Bounds and series know what is there from before."""
        shop = Shop()
        await shop.settle(adding(1, ("ann", "a", 1), ("bob", "b", 1)))
        again = Shop(shop.store, max_accounts=2, max_spans=2)
        await again.accounts.start()
        assert again.telemetry.value("spanscore_accounts") == 2
        assert again.telemetry.value("spanscore_account_spans") == 2
        (refused,) = await again.settle(adding(2, ("cat", "a", 1)))
        assert refused.scores[0].reason == "too_many_accounts"


class TestFaults:
    """A metric that fails here costs its own score; what it read is booked."""

    async def test_what_it_raises_is_a_failed_score(self):
        """The reason is that of any metric."""
        shop = Shop()
        shop.metric.raises = ZeroDivisionError()
        (trace,) = await shop.settle(adding(1, ("ann", "a", 1)))
        assert (trace.scores[0].status, trace.scores[0].reason) == ("failed", "metric_raised")
        shop.metric.raises = None
        assert await shop.totals(adding(2, ("ann", "a", 1))) == {"ann": 2}

    @pytest.mark.parametrize("result", [None, 0.5, Entries(()), Measurement({"value": object()})])
    async def test_nonsense_is_a_failed_score(self, result):
        """It must be a measurement, or say why there is none."""
        shop = Shop()
        shop.metric.measure = lambda *_: result
        (trace,) = await shop.settle(adding(1, ("ann", "a", 1)))
        assert trace.scores[0].status == "failed"
        assert trace.scores[0].value is None

    async def test_it_may_say_that_there_is_no_value(self):
        """With its reason."""
        shop = Shop()
        shop.metric.measure = lambda *_: Unscored("closed")
        (trace,) = await shop.settle(adding(1, ("ann", "a", 1)))
        assert (trace.scores[0].status, trace.scores[0].reason) == ("not_applicable", "closed")
