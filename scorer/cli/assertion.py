"""The grammar of `--assert`: `METRIC[.OUTPUT][.STAT] OP NUMBER`, such as `latency.p95<=5`.

STAT is one of `mean` (the default), `p50`, `p95`, `p99`, `min`, `max`, `scored`, `fails`; OP
one of `<=`, `>=`, `<`, `>`, `==`, `!=`. The number stands in the unit of the metric. An assertion
on a statistic of which there is no value fails: nothing was scored, so nothing is shown.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from scorer.cli.output import number
from scorer.errors import ConfigError
from scorer.scoring.statistics import MetricSummary

_STATS = ("mean", "p50", "p95", "p99", "min", "max", "scored", "fails")
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
        value = self._value(summaries)
        if value is None:
            return f"{self.text}: {self.name} has no value"
        if _COMPARE[self.op](value, self.bound):
            return None
        return f"{self.text}: {self.name}.{self.stat} is {number(value)}"

    def _value(self, summaries: Iterable[MetricSummary]) -> float | None:
        for summary in summaries:
            if summary.name == self.name:
                value: float | None = getattr(summary, self.stat)
                return value
        return 0.0 if self.stat in {"scored", "fails"} else None


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
