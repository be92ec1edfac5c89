"""privacy_budget: how much of a privacy budget is left after a trace?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, get_args

from metrics.agentunit import MetricResult, events_of, spec_for
from metrics.privacy.composition import (
    Cost,
    advanced,
    amounts_of,
    basic,
    from_units,
    is_possible,
    units,
)
from metrics.privacy.masking import quoted
from scorer.api import (
    AgentTrace,
    Balance,
    Entries,
    Entry,
    Measurement,
    MetricSpec,
    Mode,
    OutputSpec,
    Spending,
    Threshold,
    Unscored,
)

Composition = Literal["basic", "advanced"]

_MAX_SHOWN = 80
_DAY_NS = 86_400 * 10**9
_MAX_WINDOW_DAYS = 36_525  # a century
_ORIGINAL_ACCOUNT = ("all",)
_MAX_BOOKED = 9e9  # in units of 1e-9 this is what an account can hold


class PrivacyBudget:
    """Share of a privacy budget that is left after a trace, of the account that has least.

    An account is a data set (else the service) and a principal; `per_principal: false` has one
    for all principals. Each span that tells an epsilon or a delta is booked once. What it comes to
    is the sum, or with `composition: advanced` less, for `delta_slack` more delta. With
    `total_delta` delta has a budget too, and the smaller share counts. A new `period` (any text)
    begins new accounts; so does each `window_days`, counted from 1970, by the ends of the spans.
    Impossible epsilon (negative, above 10,000, no number) and what nobody is named for is not
    booked but counted in the detail.
    Documented: AgentUnit's definition, one account for all spans of a tenant.

    Raises:
        ValueError: beyond: a budget, a slack or a window is not positive.
    """

    name = "privacy_budget"
    spec = MetricSpec(
        name="privacy_budget",
        kind="privacy",
        description="Share of the privacy budget (epsilon) of a data set and principal left.",
        system="AgentUnit",
        documented="one account for all; a trace whose sum is negative is not booked",
        inputs="epsilon or delta on spans, and a principal",
        outputs=(
            OutputSpec(),
            OutputSpec(name="epsilon_spent", range=(0.0, None), direction="lower", required=False),
            OutputSpec(name="within_budget", required=False),
        ),
        needs=("spending",),
        default_threshold=Threshold(min=0.2),
        threshold_reason="four fifths of the budget are spent: where AgentUnit warns, too",
        in_default=False,
    )

    def __init__(  # noqa: PLR0913 - options of the configuration, by keyword only
        self,
        *,
        mode: Mode = "beyond",
        total_budget: float = 10.0,
        warn_threshold: float = 0.8,
        total_delta: float | None = None,
        composition: Composition = "basic",
        delta_slack: float = 1e-6,
        per_principal: bool = True,
        period: str = "",
        window_days: float | None = None,
    ) -> None:
        self._documented = mode == "documented"
        self.spec = spec_for(self.spec, mode)
        self._total = total_budget
        self._warns_at = warn_threshold
        self._total_delta = total_delta
        self._is_advanced = composition == "advanced"
        self._slack = delta_slack
        self._per_principal = per_principal
        self._period = period
        self._window_ns = None if window_days is None else _window_ns(window_days)
        self._spent = 0.0
        if not self._documented:
            self._check(composition)

    def entries(self, trace: AgentTrace) -> Entries | Unscored:
        """Find what the trace spends of which account."""
        if self._documented:
            return _original_entries(trace)
        if not trace.spending:
            return Unscored("no_epsilon")
        possible = [(s, *cost) for s in trace.spending if (cost := _cost(s)) is not None]
        owned = [use for use in possible if not self._per_principal or use[0].principal]
        left_out = {
            "implausible": len(trace.spending) - len(possible),
            "without_principal": len(possible) - len(owned),
        }
        detail = {f"{why}_spans": count for why, count in left_out.items() if count} or None
        if not owned:
            return Unscored("no_principal" if possible else "implausible_epsilon", detail=detail)
        entries = [
            Entry(
                self._account(spending, trace),
                spending.span_id,
                amounts_of(epsilon, delta),
                self._end(spending),
            )
            for spending, epsilon, delta in owned
        ]
        return Entries(tuple(entries), detail)

    def measure(
        self, balances: Sequence[Balance], detail: dict[str, Any] | None
    ) -> Measurement | Unscored:
        """Measure what is left of the account that has least."""
        if self._documented:
            return self._original(balances[0], detail or {})
        if not balances:
            return Unscored("booked_for_another", detail=detail)
        costs = {balance.account: self._composed(balance) for balance in balances}
        least = min(balances, key=lambda balance: self._left(costs[balance.account]))
        cost = costs[least.account]
        left = self._left(cost)
        return Measurement(
            {
                "value": max(0.0, left),
                "epsilon_spent": cost.epsilon,
                "within_budget": left >= 0,
            },
            explanation=f"spent {cost.epsilon:.6g} of {self._total:g} epsilon",
            detail={**self._shown(least, cost), "accounts": len(balances), **(detail or {})},
        )

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition, whose state is in this object.

        Raises:
            ZeroDivisionError: the budget is 0.
        """
        used = sum(_epsilons_of(trace))
        if used > 0:
            self._spent += used
        return MetricResult(self.name, *self._judged(used, self._spent))

    def _check(self, composition: str) -> None:
        for name, value in (("total_budget", self._total), ("total_delta", self._total_delta)):
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} must be above 0, not {value!r}")
        if not 0 < self._slack < 1:
            raise ValueError(f"delta_slack must be between 0 and 1, not {self._slack!r}")
        if composition not in get_args(Composition):
            raise ValueError(f"composition must be basic or advanced, not {composition!r}")

    def _account(self, spending: Spending, trace: AgentTrace) -> tuple[str, ...]:
        """Return data set, principal, and what divides the time."""
        dataset = trace.service if spending.dataset is None else spending.dataset
        of_data = "" if spending.dataset is None else "dataset"
        principal = (spending.principal or "") if self._per_principal else ""
        window = "" if self._window_ns is None else str(spending.end_ns // self._window_ns)
        return dataset, principal, of_data, self._period, window

    def _end(self, spending: Spending) -> int:
        """Return when the window of a span is over, Unix seconds; 0 = never."""
        if self._window_ns is None:
            return 0
        return (spending.end_ns // self._window_ns + 1) * self._window_ns // 10**9

    def _composed(self, balance: Balance) -> Cost:
        if self._is_advanced:
            return advanced(balance.totals, self._slack)
        return basic(balance.totals)

    def _left(self, cost: Cost) -> float:
        """Return the share that is left; below 0 when more is spent than there was."""
        left = _share_left(self._total, cost.epsilon)
        if self._total_delta is None:
            return left
        return min(left, _share_left(self._total_delta, cost.delta))

    def _shown(self, balance: Balance, cost: Cost) -> dict[str, Any]:
        dataset, principal, *_ = balance.account
        return {
            "dataset": quoted(dataset, _MAX_SHOWN),
            "principal": quoted(principal, _MAX_SHOWN),
            "epsilon_used": from_units(balance.added["epsilon"]),
            "total_spent": cost.epsilon,
            "remaining": self._total - cost.epsilon,
            "delta_spent": cost.delta,
            "spans": balance.totals["count"],
            "warning": cost.epsilon / self._total >= self._warns_at,
        }

    def _original(self, balance: Balance, told: Mapping[str, Any]) -> Measurement:
        used = told.get("epsilon_used", from_units(balance.added.get("epsilon", 0)))
        value, detail = self._judged(used, from_units(balance.totals.get("epsilon", 0)))
        return Measurement({"value": value}, detail=detail)

    def _judged(self, used: float, spent: float) -> tuple[float, dict[str, Any]]:
        """Return AgentUnit's value and detail."""
        value = max(0.0, (self._total - spent) / self._total)
        utilization = spent / self._total if self._total > 0 else 1.0
        return value, {
            "epsilon_used": used,
            "total_spent": spent,
            "remaining": self._total - spent,
            "utilization": utilization,
            "budget_exceeded": spent > self._total,
            "warning": utilization >= self._warns_at,
        }


def _window_ns(days: float) -> int:
    if not 0 < days <= _MAX_WINDOW_DAYS:
        raise ValueError(f"window_days must be above 0, at most {_MAX_WINDOW_DAYS}, not {days!r}")
    return max(1, int(days * _DAY_NS))


def _share_left(total: float, spent: float) -> float:
    """Return the share that is left, exact where decimals are: 0.2 of 1 when 0.8 are spent."""
    whole = Decimal(repr(total))
    return float((whole - Decimal(repr(spent))) / whole)


def _cost(spending: Spending) -> tuple[float, float] | None:
    """Return (epsilon, delta) with 0 for what is not told, None for what cannot be."""
    epsilon, delta = spending.epsilon or 0.0, spending.delta or 0.0
    return (epsilon, delta) if is_possible(epsilon, delta) else None


def _original_entries(trace: AgentTrace) -> Entries | Unscored:
    """Return what AgentUnit books: the sum over the trace, if it is positive.

    A trace that spends nothing reads the account as well; a negative sum is told, not booked.
    """
    told = [
        (s.span_id, s.epsilon)
        for s in trace.spending
        if s.epsilon is not None and math.isfinite(s.epsilon)
    ]
    if any(abs(epsilon) > _MAX_BOOKED for _, epsilon in told):
        return Unscored("implausible_epsilon", "failed")
    total = math.fsum(epsilon for _, epsilon in told)
    if total <= 0:
        told = [("", 0.0)]
    return Entries(
        tuple(Entry(_ORIGINAL_ACCOUNT, span, {"epsilon": units(used)}) for span, used in told),
        {"epsilon_used": total},
    )


def _epsilons_of(trace: Any) -> Iterator[float]:
    for event in events_of(trace):
        epsilon = dict(event.payload).get("privacy_epsilon")
        if epsilon:
            yield epsilon
