import math

import pytest

from metrics.agentunit import case_of
from metrics.privacy.privacy_budget import PrivacyBudget
from scorer.api import AgentTrace, Balance, Spending, Unscored

DAY_NS = 86_400 * 10**9


def spend(epsilon=1.0, span="a", principal="ann", **fields):
    return Spending(span_id=span, epsilon=epsilon, principal=principal, **fields)


def trace(*spending):
    return AgentTrace(trace_id="t", service="shop", spending=spending)


def booked(entries, before=None):
    """The balances that entries lead to, of accounts that held `before`."""
    totals, added = {}, {}
    for entry in entries.entries:
        for sums, start in ((totals, before or {}), (added, {})):
            account = sums.setdefault(entry.account, dict(start))
            for name, amount in entry.amounts.items():
                account[name] = account.get(name, 0) + amount
    return [Balance(name, totals[name], added[name]) for name in sorted(totals)]


def measure(metric, *spending):
    entries = metric.entries(trace(*spending))
    return metric.measure(booked(entries), entries.detail)


class TestBeyond:
    """Our definition."""

    def test_the_value_is_the_share_that_is_left(self):
        """2 + 1.5 of 10 are spent."""
        result = measure(PrivacyBudget(), spend(2.0, "a"), spend(1.5, "b"))
        assert result.values == {"value": 0.65, "epsilon_spent": 3.5, "within_budget": True}
        assert result.detail == {
            "dataset": "shop",
            "principal": "ann",
            "epsilon_used": 3.5,
            "total_spent": 3.5,
            "remaining": 6.5,
            "delta_spent": 0.0,
            "spans": 2,
            "warning": False,
            "accounts": 1,
        }

    @pytest.mark.parametrize(
        ("epsilon", "value", "within", "warning"),
        [(0.0, 1.0, True, False), (0.8, 0.2, True, True), (1.0, 0.0, True, True)],
    )
    def test_the_limits_belong_to_the_budget(self, epsilon, value, within, warning):
        """All spent is not overspent; at the warning threshold it warns."""
        result = measure(PrivacyBudget(total_budget=1.0), spend(epsilon))
        assert result.values["value"] == value
        assert result.values["within_budget"] is within
        assert result.detail["warning"] is warning

    def test_what_is_overspent_is_told_though_the_value_ends_at_0(self):
        """The second output and the detail say by how much."""
        result = measure(PrivacyBudget(total_budget=1.0), spend(1.5))
        assert result.values == {"value": 0.0, "epsilon_spent": 1.5, "within_budget": False}
        assert result.detail["remaining"] == -0.5

    def test_the_account_that_has_least_counts(self):
        """A trace may spend of several."""
        spending = spend(1.0, "a", "ann"), spend(4.0, "b", "bob")
        result = measure(PrivacyBudget(), *spending)
        assert result.values["value"] == 0.6
        assert (result.detail["principal"], result.detail["accounts"]) == ("bob", 2)

    def test_delta_has_a_budget_when_it_is_given_one(self):
        """The smaller share counts."""
        uses = spend(1.0, delta=5e-6)
        assert measure(PrivacyBudget(), uses).values["value"] == 0.9
        assert measure(PrivacyBudget(total_delta=1e-5), uses).values["value"] == 0.5

    def test_advanced_composition_leaves_more(self):
        """Of 400 small uses the sum is all of the budget."""
        uses = [spend(0.025, f"{n}") for n in range(400)]
        assert measure(PrivacyBudget(), *uses).values["value"] == 0.0
        better = measure(PrivacyBudget(composition="advanced"), *uses)
        assert better.values["value"] > 0.7
        assert better.detail["delta_spent"] == 1e-6

    def test_a_data_set_is_the_service_unless_named(self):
        """And one named like a service is another."""
        metric = PrivacyBudget()
        spending = spend(), spend(span="b", dataset="visits"), spend(span="c", dataset="shop")
        accounts = {entry.account for entry in metric.entries(trace(*spending)).entries}
        assert [account[0] for account in sorted(accounts)] == ["shop", "shop", "visits"]

    def test_one_account_for_all_principals_when_asked_for(self):
        """Then none need be named."""
        metric = PrivacyBudget(per_principal=False)
        entries = metric.entries(trace(spend(principal=None), spend(span="b")))
        assert {entry.account[:2] for entry in entries.entries} == {("shop", "")}

    def test_a_new_period_begins_new_accounts(self):
        """The name of it is part of theirs."""
        names = [
            PrivacyBudget(period=period).entries(trace(spend())).entries[0].account
            for period in ("2026-Q3", "2026-Q4")
        ]
        assert names[0] != names[1]

    def test_a_window_is_that_in_which_the_span_ended(self):
        """Its last moment belongs to it."""
        metric = PrivacyBudget(window_days=7)
        ends = (7 * DAY_NS - 1, 7 * DAY_NS, 14 * DAY_NS - 1)
        spending = [spend(span=f"{end}", end_ns=end) for end in ends]
        entries = metric.entries(trace(*spending)).entries
        assert [entry.account[-1] for entry in entries] == ["0", "1", "1"]
        assert [entry.ends // 86_400 for entry in entries] == [7, 14, 14]
        assert PrivacyBudget().entries(trace(*spending)).entries[0].ends == 0

    def test_personal_data_in_a_name_is_masked(self):
        """An account may be named by an e-mail address; telemetry must not hold it."""
        result = measure(PrivacyBudget(), spend(principal="ann@example.com"))
        assert result.detail["principal"] == "[email]"

    @pytest.mark.parametrize(
        ("spending", "reason", "detail"),
        [
            ((), "no_epsilon", None),
            ((spend(principal=None),), "no_principal", {"without_principal_spans": 1}),
            ((spend(-1.0),), "implausible_epsilon", {"implausible_spans": 1}),
            ((spend(math.nan),), "implausible_epsilon", {"implausible_spans": 1}),
            ((spend(delta=2.0),), "implausible_epsilon", {"implausible_spans": 1}),
        ],
    )
    def test_without_inputs_there_is_a_reason(self, spending, reason, detail):
        """Never 0, and never a full budget."""
        assert PrivacyBudget().entries(trace(*spending)) == Unscored(reason, detail=detail)

    def test_what_cannot_be_booked_does_not_keep_the_rest_from_it(self):
        """The rest is spent, whatever else the trace says."""
        result = measure(PrivacyBudget(), spend(2.0), spend(-5.0, "b"), spend(1.0, "c", None))
        assert result.values["value"] == 0.8
        assert result.detail["implausible_spans"] == result.detail["without_principal_spans"] == 1

    def test_spans_that_were_booked_for_another_have_no_account(self):
        """Nothing is booked twice, so there is nothing to show."""
        assert PrivacyBudget().measure([], None) == Unscored("booked_for_another")

    @pytest.mark.parametrize(
        "options",
        [
            {"total_budget": 0.0},
            {"total_budget": -1.0},
            {"total_budget": math.inf},
            {"total_delta": 0.0},
            {"delta_slack": 0.0},
            {"delta_slack": 1.0},
            {"window_days": 0.0},
            {"window_days": 1e308},
            {"composition": "renyi"},
        ],
    )
    def test_an_option_that_makes_no_sense_is_refused(self, options):
        """At the start, not with the first trace."""
        with pytest.raises(ValueError, match=next(iter(options))):
            PrivacyBudget(**options)


class TestDocumented:
    """AgentUnit's definition."""

    def test_one_object_keeps_the_total(self):
        """1, 1, 2, nothing, 0.5 twice of 5: the sequence of the golden vectors."""
        metric = PrivacyBudget(mode="documented", total_budget=5.0)
        calls = [(1.0,), (1.0,), (2.0,), (), (0.5, 0.5)]
        values = [metric.evaluate(*case_of(trace(*map(spend, call)))).value for call in calls]
        assert values == pytest.approx([0.8, 0.6, 0.2, 0.2, 0.0])

    def test_live_it_reads_one_account_for_all(self):
        """A trace that spends nothing reads it, too."""
        metric = PrivacyBudget(mode="documented", total_budget=5.0)
        entries = metric.entries(trace())
        (balance,) = booked(entries, before={"epsilon": 4 * 10**9})
        result = metric.measure([balance], entries.detail)
        assert result.values == {"value": pytest.approx(0.2)}
        assert result.detail["warning"] is True

    def test_a_negative_sum_is_not_booked(self):
        """As in the original; a negative part of a positive sum is."""
        metric = PrivacyBudget(mode="documented")
        entries = metric.entries(trace(spend(-1.0)))
        assert [entry.amounts for entry in entries.entries] == [{"epsilon": 0}]
        result = metric.measure(booked(entries), entries.detail)
        assert (result.detail["epsilon_used"], result.detail["total_spent"]) == (-1.0, 0.0)
        spending = spend(3.0), spend(-1.0, "b")
        (balance,) = booked(metric.entries(trace(*spending)))
        assert balance.totals == {"epsilon": 2 * 10**9}

    def test_what_no_account_can_hold_fails_and_is_not_booked(self):
        """The original adds it up; the account that is kept over a restart ends at 9e9."""
        metric = PrivacyBudget(mode="documented")
        spent = trace(spend(1.0), spend(1e10, "b"))
        assert metric.entries(spent) == Unscored("implausible_epsilon", "failed")

    def test_no_budget_raises(self):
        """The engine makes a failed score of it."""
        metric = PrivacyBudget(mode="documented", total_budget=0.0)
        with pytest.raises(ZeroDivisionError):
            metric.measure(booked(metric.entries(trace(spend()))), None)
