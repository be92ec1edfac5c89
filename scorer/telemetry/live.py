"""The live series of one service, and their exposition."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Metric,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar, Sample

from scorer.telemetry.catalogue import SERIES, Series, series

_PLAIN_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class Observations:
    """What one labelled child of a histogram has seen."""

    __slots__ = ("_bounds", "counts", "exemplars", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.exemplars: list[Exemplar | None] = [None] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float, exemplar: dict[str, str] | None = None) -> None:
        """Take one finite value; its bucket keeps the last exemplar."""
        place = bisect_left(self._bounds, value)
        self.counts[place] += 1
        self.total += value
        if exemplar:
            self.exemplars[place] = Exemplar(exemplar, value)


class Histogram(Collector):
    """A histogram with labels, written and collected by one thread.

    prometheus_client's own takes a lock for each bucket and checks each exemplar anew, which
    for a dozen scores a trace is most of what the Prometheus sink would do.
    """

    def __init__(self, declared: Series) -> None:
        self._declared = declared
        self._le = (*(str(float(bound)) for bound in declared.buckets), "+Inf")
        self._children: dict[tuple[str, ...], Observations] = {}
        if not declared.labels:
            self.labels()

    def labels(self, *values: str) -> Observations:
        """Return the child with these label values, in the order of the declaration."""
        child = self._children.get(values)
        if child is None:
            if len(values) != len(self._declared.labels):
                raise ValueError(f"{self._declared.name} has labels {self._declared.labels}")
            child = self._children[values] = Observations(self._declared.buckets)
        return child

    def collect(self) -> Iterator[Metric]:
        """Return the family with cumulative buckets."""
        family = Metric(self._declared.name, self._declared.help, "histogram")
        for values, child in self._children.items():
            labels = dict(zip(self._declared.labels, values, strict=True))
            family.samples += self._samples(labels, child)
        yield family

    def _samples(self, labels: dict[str, str], child: Observations) -> Iterator[Sample]:
        name = self._declared.name
        counts = list(accumulate(child.counts))
        for le, count, exemplar in zip(self._le, counts, child.exemplars, strict=True):
            yield Sample(f"{name}_bucket", {**labels, "le": le}, count, None, exemplar)
        yield Sample(f"{name}_count", labels, counts[-1])
        yield Sample(f"{name}_sum", labels, child.total)


class Exposition(NamedTuple):
    """A rendered scrape."""

    body: bytes
    content_type: str


class Snapshot(Collector):
    """All series at one moment; rendering it touches no live series."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = tuple(families)

    def collect(self) -> Iterable[Metric]:
        """Return the families."""
        return self._families

    def render(self, accept: str = "") -> Exposition:
        """Render as OpenMetrics (with exemplars) if `accept` names it, else as Prometheus text."""
        wanted = {part.split(";")[0].strip().lower() for part in accept.split(",")}
        if "application/openmetrics-text" in wanted:
            body: bytes = openmetrics.generate_latest(self)  # type: ignore[no-untyped-call] # it has no annotations
            return Exposition(body, openmetrics.CONTENT_TYPE_LATEST)
        return Exposition(generate_latest(self), _PLAIN_TEXT)


Family = Counter | Gauge | Histogram


class Telemetry:
    """The live series of one service, in a registry of their own.

    `refresh` holds functions that set gauges of live state; they run before each snapshot.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        # A `_created` series beside each counter would not be in the catalogue.
        disable_created_metrics()  # type: ignore[no-untyped-call] # it has no annotations
        self.registry = registry or CollectorRegistry()
        self.refresh: list[Callable[[], None]] = []
        self._families = {series.name: _build(series, self.registry) for series in SERIES}

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter; an amount of 0 makes the labelled series appear."""
        self.counter(name, *_values(name, labels)).inc(amount)

    def set(self, name: str, value: float, **labels: str) -> None:
        """Set a gauge."""
        family = self._families[name]
        assert isinstance(family, Gauge)
        gauge = family.labels(*_values(name, labels)) if labels else family
        gauge.set(value)

    def observe(
        self, name: str, value: float, exemplar: dict[str, str] | None = None, **labels: str
    ) -> None:
        """Observe a value in a histogram, with a trace id as exemplar where there is one."""
        self.histogram(name, *_values(name, labels)).observe(value, exemplar)

    def counter(self, name: str, *values: str) -> Counter:
        """Return the counter with these label values, in the order of the declaration."""
        family = self._families[name]
        assert isinstance(family, Counter)
        return family.labels(*values) if values else family

    def histogram(self, name: str, *values: str) -> Observations:
        """Return the histogram with these label values, in the order of the declaration."""
        family = self._families[name]
        assert isinstance(family, Histogram)
        return family.labels(*values)

    def value(self, name: str, **labels: str) -> float:
        """Return what a counter or gauge shows now, summed over the labels not given."""
        total = 0.0
        for family in self._families[name].collect():
            for sample in family.samples:
                matches = all(sample.labels.get(k) == v for k, v in labels.items())
                if sample.name == name and matches:
                    total += sample.value
        return total

    def by_label(self, name: str, label: str) -> dict[str, int]:
        """Return what a counter shows now for each value of a label, sorted by the value."""
        totals: dict[str, int] = {}
        for family in self._families[name].collect():
            for sample in family.samples:
                value = sample.labels[label]
                totals[value] = totals.get(value, 0) + int(sample.value)
        return dict(sorted(totals.items()))

    def snapshot(self) -> Snapshot:
        """Refresh the gauges and return all series as they are now."""
        for function in self.refresh:
            function()
        return Snapshot(self.registry.collect())


def _values(name: str, labels: Mapping[str, str]) -> tuple[str, ...]:
    declared = series(name).labels
    if set(declared) != set(labels):
        raise ValueError(f"{name} has labels {declared}, not {tuple(labels)}")
    return tuple(labels[label] for label in declared)


def _build(series: Series, registry: CollectorRegistry) -> Family:
    name, text, labels = series.name, series.help, series.labels
    if series.type == "histogram":
        histogram = Histogram(series)
        registry.register(histogram)
        return histogram
    if series.type == "gauge":
        return Gauge(name, text, labels, registry=registry)
    return Counter(name, text, labels, registry=registry)
