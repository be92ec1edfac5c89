"""The readings that are kept: by tenant and identity, then by metric and series; bounded."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Final, NamedTuple

from scorer.otlp.metric_points import Attributes, MetricPoints, Point
from scorer.scoring.readings.identity import Identity, Shape, shape_of, within
from scorer.scoring.readings.names import WANTED, Wanted, factor
from scorer.scoring.readings.series import Series

# What a series takes beside its readings, in readings.
SERIES_COST: Final = 16
_TIME_OF: Final = attrgetter("time_ns")
_TRIMMED: Final = 8  # a resource that is full gives up this part of its readings

Count = Callable[[str, int], None]


class Limits(NamedTuple):
    """The bounds of a store: resources, readings of each, and seconds without any."""

    max_resources: int
    max_readings: int
    kept_s: float


class Kept:
    """The readings of one resource."""

    def __init__(self, max_readings: int) -> None:
        self._max = max_readings
        self._size = 0
        self._metrics: dict[str, dict[bytes, tuple[bytes, Series]]] = {}
        self._incomplete: set[str] = set()
        self.last_arrival = 0.0

    def series(self, name: str) -> Iterator[tuple[bytes, Series]]:
        """Yield the series of a metric, each with the part that it is of.

        There are none of a metric that has more of them than there was room for.
        """
        if name not in self._incomplete:
            yield from self._metrics.get(name, {}).values()

    def add(
        self, name: str, wanted: Wanted, points: Sequence[Point], scale: float
    ) -> dict[str, int]:
        """Take points of one series; returns what became of them: kept, duplicate or no_room."""
        found = self._series(name, wanted, points[0])
        if found is None:
            self._incomplete.add(name)
            return {"no_room": len(points)}
        # In order of time, they are appended rather than inserted.
        ordered = sorted(points, key=_TIME_OF)
        new = sum([found.add(p.time_ns, p.value * scale, p.start_ns) for p in ordered])
        self._size += new
        return {"kept": new, "duplicate": len(points) - new}

    def trim(self) -> int:
        """Give up the oldest readings where there are too many; returns how many."""
        if self._size <= self._max:
            return 0
        every = [series for group in self._metrics.values() for _, series in group.values()]
        times = sorted([time for series in every for time in series.times])
        cut = times[max(self._size - self._max, len(times) // _TRIMMED)]
        dropped = sum([series.drop_until(cut) for series in every])
        for group in self._metrics.values():
            for key in [key for key, (_, series) in group.items() if not len(series)]:
                del group[key]
                self._size -= SERIES_COST
        self._size -= dropped
        return dropped

    def _series(self, name: str, wanted: Wanted, point: Point) -> Series | None:
        group = self._metrics.setdefault(name, {})
        key = _digest(point.attributes, is_delta=point.is_delta)
        found = group.get(key)
        if found is not None:
            return found[1]
        if (sum(map(len, self._metrics.values())) + 1) * SERIES_COST > self._max // 2:
            return None  # else series alone would leave no room for readings
        self._size += SERIES_COST
        part = tuple([item for item in point.attributes if item[0] in wanted.parts])
        series = Series(counts=wanted.counts, is_delta=point.is_delta, from_start=wanted.from_start)
        group[key] = _digest(part), series
        return series


class ReadingStore:
    """The readings of all resources; `count` is told the fate of points."""

    def __init__(self, limits: Limits, count: Count) -> None:
        self._limits = limits
        self._count = count
        self._kept: OrderedDict[tuple[str, Identity], Kept] = OrderedDict()
        self._shapes: Counter[Shape] = Counter()
        self._tenants: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many resources there are."""
        return len(self._kept)

    def add(self, tenant: str, identity: Identity, metric: MetricPoints, now: float) -> None:
        """Take the points of a wanted metric; `now` is the time of arrival, in seconds."""
        wanted = WANTED.get(metric.name)
        scale = None if wanted is None else factor(wanted, metric.unit)
        if metric.unusable:
            self._count("unusable", metric.unusable)
        if wanted is None or scale is None:
            self._count("unusable", len(metric.points))
        elif not identity:
            self._count("no_identity", len(metric.points))
        elif metric.points:
            kept = self._of(tenant, identity, now)
            by_series: defaultdict[tuple[Attributes, bool], list[Point]] = defaultdict(list)
            for point in metric.points:
                by_series[point.attributes, point.is_delta].append(point)
            for points in by_series.values():
                for outcome, number in _add(kept, metric.name, wanted, points, scale).items():
                    self._count(outcome, number)
            self._count("dropped_old", kept.trim())

    def find(self, tenant: str, identity: Identity) -> list[Kept]:
        """Return the readings that speak for what is named so, of the nearest first."""
        shapes = sorted(self._shapes, key=lambda shape: (-len(shape), shape))
        parts = [within(identity, shape) for shape in shapes]
        found = [self._kept.get((tenant, part)) for part in parts if part is not None]
        return [kept for kept in found if kept is not None]

    def forget(self, now: float) -> None:
        """Forget the resources of which nothing came for long."""
        while self._kept:
            key, kept = next(iter(self._kept.items()))
            if now - kept.last_arrival <= self._limits.kept_s:
                return
            self._drop(key)

    def _of(self, tenant: str, identity: Identity, now: float) -> Kept:
        key = tenant, identity
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = Kept(self._limits.max_readings)
            self._shapes[shape_of(identity)] += 1
            self._tenants[tenant] += 1
        kept.last_arrival = now
        self._kept.move_to_end(key)
        if len(self._kept) > self._limits.max_resources:
            self._drop(self._first_to_go())
            self._count("dropped_resource", 1)
        return kept

    def _first_to_go(self) -> tuple[str, Identity]:
        """Return the longest silent resource of the tenant that has most of them."""
        ((tenant, _),) = self._tenants.most_common(1)
        return next(key for key in self._kept if key[0] == tenant)

    def _drop(self, key: tuple[str, Identity]) -> None:
        tenant, identity = key
        del self._kept[key]
        self._shapes.subtract([shape_of(identity)])
        self._tenants.subtract([tenant])
        self._shapes, self._tenants = +self._shapes, +self._tenants


def _add(
    kept: Kept, name: str, wanted: Wanted, points: Sequence[Point], scale: float
) -> dict[str, int]:
    if points[0].is_delta and not wanted.counts:
        return {"unusable": len(points)}
    if any(value in wanted.skipped for _, value in points[0].attributes):
        return {"skipped": len(points)}
    return kept.add(name, wanted, points, scale)


def _digest(attributes: Attributes, *, is_delta: bool = False) -> bytes:
    """Return what stands for attributes, of which a sender could make any size."""
    digest = blake2b(digest_size=16, person=b"delta" if is_delta else b"")
    for item in attributes:
        for text in item:
            digest.update(text.encode(errors="surrogatepass"))
            digest.update(b"\0")
    return digest.digest()
