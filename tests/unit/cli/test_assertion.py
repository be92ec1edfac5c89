import pytest

from scorer.cli.assertion import parse_assertion
from scorer.errors import ConfigError
from scorer.scoring.statistics import MetricSummary

KNOWN = ("latency", "token_usage", "token_usage.input")
SUMMARIES = (
    MetricSummary(
        metric="latency",
        output="value",
        scored=3,
        fails=1,
        unit="s",
        direction="lower",
        mean=2.0,
        p50=1.5,
        p95=4.5,
        p99=4.9,
        min=0.5,
        max=5.0,
    ),
    MetricSummary(
        metric="token_usage",
        output="value",
        scored=0,
        unit="s",
        direction="lower",
        unscored={"not_applicable/no_usage": 2, "failed/timeout": 1, "failed/metric_raised": 1},
    ),
)


def check(text):
    return parse_assertion(text, KNOWN).check(SUMMARIES)


@pytest.mark.parametrize(
    "text",
    [
        "latency.p95<=5",
        " latency.p95 <= 4.5 ",
        "latency<2.1",
        "latency.mean==2",
        "latency.min>=.5",
        "latency.max>-1e3",
        "latency.p50!=2",
        "latency.p99<5",
        "latency.fails<=1",
        "latency.scored>=3",
        "token_usage.scored==0",
        "token_usage.failed==2",
        "token_usage.not_applicable<3",
        "token_usage.skipped==0",
        "token_usage.missing==0",
        "latency.failed==0",
    ],
)
def test_a_bound_that_holds_passes(text):
    """Every statistic and comparison can be asserted; the mean is the default."""
    assert check(text) is None


def test_a_bound_that_does_not_hold_says_the_value():
    """The failure shows the assertion and what was measured."""
    assert check("latency.p95<=4") == "latency.p95<=4: latency.p95 is 4.5"


@pytest.mark.parametrize("text", ["token_usage<=1", "token_usage.p95>0", "token_usage.fails==0"])
def test_a_statistic_without_a_value_fails(text):
    """Where nothing was scored nothing is shown, so the assertion does not hold; it says why."""
    assert "has no value: not_applicable/no_usage (2), failed/timeout (1)" in check(text)


@pytest.mark.parametrize("stat", ["mean", "fails", "scored", "failed", "not_applicable"])
def test_an_assertion_about_nothing_fails(stat):
    """A metric that no trace came to cannot pass a check, not even one of a count of 0."""
    assert "no trace was scored" in check(f"token_usage.input.{stat}==0")


@pytest.mark.parametrize(
    "text", ["", "latency", "latency<=", "latency=<5", "latency<=5s", "<=5", "latency.p95<=5 6"]
)
def test_what_is_not_of_the_form_is_wrong_use(text):
    """The error shows the form."""
    with pytest.raises(ConfigError, match="METRIC"):
        parse_assertion(text, KNOWN)


@pytest.mark.parametrize("text", ["latancy<=5", "latency.p90<=5", "cost.mean<1"])
def test_an_unknown_metric_or_statistic_is_wrong_use(text):
    """A typing error must not pass as an assertion that holds; the error lists what there is."""
    with pytest.raises(ConfigError, match="latency, token_usage"):
        parse_assertion(text, KNOWN)
