"""The readings that are kept: by tenant and identity, then by metric and series; bounded."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
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

    def add(self, name: str, wanted: Wanted, point: Point, scale: float) -> str:
        """Take a point; returns what became of it: kept, duplicate or no_room."""
        found = self._series(name, wanted, point)
        if found is None:
            self._incomplete.add(name)
            return "no_room"
        is_new = found.add(point.time_ns, point.value * scale, point.start_ns)
        self._size += is_new
        return "kept" if is_new else "duplicate"

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
            # In order of time, they are appended rather than inserted.
            points = sorted(metric.points, key=_TIME_OF)
            fates = [_add(kept, metric.name, wanted, point, scale) for point in points]
            for outcome, number in Counter(fates).items():
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
        kept.last_arrival = now
        self._kept.move_to_end(key)
        if len(self._kept) > self._limits.max_resources:
            self._drop(self._first_to_go())
            self._count("dropped_resource", 1)
        return kept

    def _first_to_go(self) -> tuple[str, Identity]:
        """Return the longest silent resource of the tenant that has most of them."""
        ((tenant, _),) = Counter(tenant for tenant, _ in self._kept).most_common(1)
        return next(key for key in self._kept if key[0] == tenant)

    def _drop(self, key: tuple[str, Identity]) -> None:
        shape = shape_of(key[1])
        del self._kept[key]
        self._shapes[shape] -= 1
        if not self._shapes[shape]:
            del self._shapes[shape]


def _add(kept: Kept, name: str, wanted: Wanted, point: Point, scale: float) -> str:
    if point.is_delta and not wanted.counts:
        return "unusable"
    if wanted.skipped and any(value in wanted.skipped for _, value in point.attributes):
        return "skipped"
    return kept.add(name, wanted, point, scale)


def _digest(attributes: Attributes, *, is_delta: bool = False) -> bytes:
    """Return what stands for attributes, of which a sender could make any size."""
    digest = blake2b(digest_size=16, person=b"delta" if is_delta else b"")
    for item in attributes:
        for text in item:
            digest.update(text.encode(errors="surrogatepass"))
            digest.update(b"\0")
    return digest.digest()
