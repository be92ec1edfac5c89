"""What several uses of differential privacy cost together.

Amounts are kept as whole numbers, so that a total does not depend on the order in which spans
arrive: epsilon and what follows from it in units of 1e-9, delta in units of 1e-18. They are rounded
up: a budget is never understated.
"""

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Final, NamedTuple

# Beyond it nothing is left to protect: e**epsilon is what an observer may learn.
MAX_EPSILON: Final = 1e4

_EPSILON_DIGITS: Final = 9
_DELTA_DIGITS: Final = 18


class Cost(NamedTuple):
    """A privacy loss: (epsilon, delta)."""

    epsilon: float
    delta: float


def is_possible(epsilon: float, delta: float) -> bool:
    """Whether a mechanism can have this (epsilon, delta)."""
    return 0 <= epsilon <= MAX_EPSILON and 0 <= delta <= 1


def amounts_of(epsilon: float, delta: float) -> dict[str, int]:
    """Return what one use adds to an account; `is_possible` holds."""
    return {
        "count": 1,
        "epsilon": units(epsilon),
        "squares": units(epsilon**2),
        # epsilon * (e**epsilon - 1) / (e**epsilon + 1): what is lost on average.
        "mean_loss": units(epsilon * math.tanh(epsilon / 2)),
        "delta": units(delta, _DELTA_DIGITS),
    }


def units(value: float, digits: int = _EPSILON_DIGITS) -> int:
    """Return a number in units of 10**-digits, rounded up."""
    return int(Decimal(repr(value)).scaleb(digits).to_integral_value(ROUND_CEILING))


def from_units(value: int, digits: int = _EPSILON_DIGITS) -> float:
    """Return the number of some units."""
    return float(Decimal(value).scaleb(-digits))


def basic(totals: Mapping[str, int]) -> Cost:
    """Return the sums: true whatever the uses are."""
    return Cost(from_units(totals["epsilon"]), from_units(totals["delta"], _DELTA_DIGITS))


def advanced(totals: Mapping[str, int], slack: float) -> Cost:
    """Return the better of the sums and of advanced composition, which takes `slack` more delta.

    Kairouz, Oh, Viswanath (2015), theorem 3.5: of many small epsilon the square root of the sum
    of squares counts, not the sum.
    """
    summed = basic(totals)
    spread = math.sqrt(2 * math.log(1 / slack) * from_units(totals["squares"]))
    epsilon = from_units(totals["mean_loss"]) + spread
    if epsilon >= summed.epsilon:
        return summed
    return Cost(epsilon, min(1.0, summed.delta + slack))
