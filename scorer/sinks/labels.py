"""The bounds of series whose labels come from spans.

Anybody who can send a span can name a service, an agent or a tool, so these names are
hostile input: they are cut and cleaned, each label takes a limited number of values, and all
their combinations together make a limited number of time series. What comes first stays for
the life of the process; what comes later is counted under `other`. The number of series is
therefore at most `max_series` plus one `other` for each combination of the remaining labels,
which are fixed by the configuration.
"""

from collections.abc import Callable
from typing import TypeVar

OTHER = "other"
MAX_LENGTH = 128

Child = TypeVar("Child")


def clean(text: str) -> str:
    """Cut to 128 characters and replace each character that is not printable by `_`.

    Not printable are control and format characters, line separators and lone surrogates.
    """
    text = text[:MAX_LENGTH]
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "_" for char in text)


class LabelValues:
    """The values that one label may take: the first `limit` that come, then `other`.

    `overflowed` is called whenever a value falls into `other`. The empty value (nothing was
    captured, which Prometheus shows as no label at all) always passes and takes no place.
    """

    def __init__(self, limit: int, overflowed: Callable[[], None]) -> None:
        self._limit = limit
        self._overflowed = overflowed
        self._known: set[str] = set()

    def bound(self, value: str | None) -> str:
        """Return the value to show for `value`."""
        if not value:
            return ""
        if value in self._known:
            return value
        value = clean(value)
        if value in self._known:
            return value
        if len(self._known) >= self._limit:
            self._overflowed()
            return OTHER
        self._known.add(value)
        return value


class SeriesBudget:
    """How many time series the combinations of labels from spans may make, all together."""

    def __init__(self, limit: int, overflowed: Callable[[], None]) -> None:
        self._left = limit
        self.overflowed = overflowed

    def take(self, count: int) -> bool:
        """Take `count` series; when so many are not left take none and return False."""
        if count > self._left:
            return False
        self._left -= count
        return True


class Children(dict[tuple[str, ...], Child]):
    """The labelled children of one series, by their label values: `children[values]`.

    A child is made when it is first asked for, or the one of `other` is given when it would
    be one too many. `make` builds a child, which is `cost` time series; `open_labels` are the
    places of the labels that come from spans. A dict, for it is read for each score.
    """

    def __init__(
        self,
        make: Callable[..., Child],
        budget: SeriesBudget,
        *,
        cost: int,
        open_labels: frozenset[int],
    ) -> None:
        super().__init__()
        self._make = make
        self._budget = budget
        self._cost = cost
        self._open = open_labels

    def __missing__(self, values: tuple[str, ...]) -> Child:
        fallback = tuple(
            OTHER if place in self._open and value else value for place, value in enumerate(values)
        )
        if values != fallback and not self._budget.take(self._cost):
            self._budget.overflowed()
            return self[fallback]
        child = self[values] = self._make(*values)
        return child
