import math

import pytest

from metrics.privacy.composition import (
    Cost,
    advanced,
    amounts_of,
    basic,
    from_units,
    is_possible,
    units,
)


def total(*costs):
    sums = {}
    for cost in costs:
        for name, amount in amounts_of(*cost).items():
            sums[name] = sums.get(name, 0) + amount
    return sums


def test_amounts_are_rounded_up():
    """A budget is never understated; decimals stay what they are."""
    assert (units(0.1), units(0.7), units(1e-12), units(0.0)) == (10**8, 7 * 10**8, 1, 0)
    assert from_units(units(0.3)) == 0.3


def test_the_sum_of_decimals_is_the_decimal_sum():
    """Ten times 0.1 is 1, which floats do not give."""
    assert sum([0.1] * 10) != 1.0
    assert basic(total(*[(0.1, 1e-6)] * 10)) == Cost(1.0, 1e-5)


def test_a_nine_s_worth_of_delta_is_kept():
    """Delta is small: 1e-15 is not lost."""
    assert basic(total((1.0, 1e-15), (1.0, 2e-15))).delta == 3e-15


def test_many_small_uses_cost_less_than_their_sum():
    """100 x 0.1 at slack 1e-6: 100 * 0.1 * tanh(0.05) + sqrt(2 ln(1e6) * 100 * 0.01)."""
    cost = advanced(total(*[(0.1, 0.0)] * 100), 1e-6)
    expected = 10 * math.tanh(0.05) + math.sqrt(2 * math.log(1e6))
    assert cost.epsilon == pytest.approx(expected, rel=1e-6)
    assert cost.epsilon < 10
    assert cost.delta == 1e-6


def test_where_the_sum_is_less_it_counts():
    """One use costs itself, and no slack is paid."""
    assert advanced(total((0.5, 1e-7)), 1e-6) == Cost(0.5, 1e-7)


def test_delta_never_exceeds_one():
    """It is a probability."""
    assert advanced(total(*[(0.01, 0.5)] * 1000), 0.5).delta == 1.0


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ((0, 0), True),
        ((1e4, 1), True),
        ((1e4 + 1, 0), False),
        ((-0.1, 0), False),
        ((1, -1e-9), False),
        ((1, 1.1), False),
        ((math.nan, 0), False),
        ((1, math.nan), False),
    ],
)
def test_what_no_mechanism_has_is_impossible(cost, expected):
    """Negative, not a number, more than certain."""
    assert is_possible(*cost) is expected
