"""The grammar of `--assert`: `METRIC[.OUTPUT][.STAT] OP NUMBER`, such as `latency.p95<=5`.

STAT is a statistic of the values, in the unit of the metric: `mean` (the default), `p50`, `p95`,
`p99`, `min`, `max`, or `fails`, the values outside of the threshold; or the count of scores with a
status: `scored`, `failed`, `missing`, `not_applicable`, `skipped`. OP is one of `<=`, `>=`, `<`,
`>`, `==`, `!=`.

An assertion about nothing fails: on values when there is none, on counts when no trace came to
the metric at all. A check that passes because nothing was measured is worse than none.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import get_args

from msgspec import Struct

from scorer.cli.output import number
from scorer.errors import ConfigError
from scorer.model.score import Status
from scorer.scoring.statistics import MetricSummary

_VALUE_STATS = ("mean", "p50", "p95", "p99", "min", "max", "fails")
_STATUSES: tuple[str, ...] = get_args(Status)
_STATS = (*_VALUE_STATS, *_STATUSES)
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}
_FORM = re.compile(
    r"\s*(?P<name>\w[\w-]*(?:\.\w+)*)\s*"
    r"(?P<op><=|>=|==|!=|<|>)\s*"
    r"(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
)


class Assertion(Struct, frozen=True):
    """A bound on one statistic of one metric's output."""

    text: str
    name: str
    stat: str
    op: str
    bound: float

    def check(self, summaries: Iterable[MetricSummary]) -> str | None:
        """Return why the assertion fails, or None."""
        summary = next((found for found in summaries if found.name == self.name), None)
        if summary is None or not summary.scored + sum(summary.unscored.values()):
            return f"{self.text}: {self.name} has no value: no trace was scored with it"
        if self.stat in _VALUE_STATS and not summary.scored:
            reasons = ", ".join(f"{why} ({n})" for why, n in summary.unscored.items())
            return f"{self.text}: {self.name} has no value: {reasons}"
        value = self._value(summary)
        if _COMPARE[self.op](value, self.bound):
            return None
        return f"{self.text}: {self.name}.{self.stat} is {number(value)}"

    def _value(self, summary: MetricSummary) -> float:
        if self.stat in _VALUE_STATS or self.stat == "scored":
            return float(getattr(summary, self.stat))
        prefix = f"{self.stat}/"
        return sum(n for reason, n in summary.unscored.items() if reason.startswith(prefix))


def parse_assertion(text: str, known: Iterable[str]) -> Assertion:
    """Parse an assertion on one of the known metrics (`METRIC` or `METRIC.OUTPUT`).

    Raises:
        ConfigError: it is not of the form, or names something else.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise ConfigError(
            f"--assert {text!r}: write it as METRIC[.STAT] OP NUMBER, such as latency.p95<=5"
        )
    name, stat = _split(match["name"])
    names = sorted(known)
    if name not in names:
        raise ConfigError(
            f"--assert {text!r}: {name} is neither scored here nor a statistic "
            f"({', '.join(_STATS)}); scored: {', '.join(names)}"
        )
    return Assertion(" ".join(text.split()), name, stat, match["op"], float(match["number"]))


def _split(name: str) -> tuple[str, str]:
    head, separator, tail = name.rpartition(".")
    return (head, tail) if separator and tail in _STATS else (name, "mean")
