"""Takes requests of metrics, and gives each closed trace what its readings say."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from scorer.config import ReadingsConfig
from scorer.model.reading import Measured, ResourceField
from scorer.model.trace import ClosedTrace, Item
from scorer.otlp.metric_points import MetricPoints, Point, cut_metrics, read_points
from scorer.scoring.readings.identity import Identity, Stay, extend, identity_of, runs_of
from scorer.scoring.readings.measure import Figure, measure, together
from scorer.scoring.readings.names import WANTED, WIRE_NAMES
from scorer.scoring.readings.series import NS, Window
from scorer.scoring.readings.store import Kept, Limits, ReadingStore
from scorer.telemetry import Telemetry

_FIELDS: Final[tuple[ResourceField, ...]] = get_args(ResourceField)
_SOURCES: Final = {f: [n for n, w in WANTED.items() if w.field == f] for f in _FIELDS}
# Processes of one trace that are looked up; what the others would say is missing, and told so.
_MAX_PROCESSES: Final = 64
_MAX_CACHED: Final = 512
_MAX_CACHED_SIZE: Final = 16 * 1024

_Key = tuple[str, bytes, int]
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Measured, ...])


class _Found(NamedTuple):
    """A process of a trace: its readings, the nearest first, and when it had spans."""

    kept: list[Kept]
    window: Window


class _Source(NamedTuple):
    """A metric of a resource."""

    name: str
    kept: Kept


class Readings:
    """The readings of one source of spans. `clock` gives the time of arrival, in seconds."""

    def __init__(
        self, config: ReadingsConfig, telemetry: Telemetry, clock: Callable[[], float]
    ) -> None:
        limits = Limits(config.max_resources, config.max_readings, float(config.kept))
        self._store = ReadingStore(limits, self._count)
        self._telemetry = telemetry
        self._clock = clock
        self._max_age_ns = int(config.max_age * NS)
        self._after_ns = int(config.after * NS)
        self._min_share = config.min_share
        self._max_size = int(config.max_request_size)
        self._noted: dict[_Key, tuple[Measured, ...]] = {}
        self._identities: dict[bytes, Identity] = {}

    @property
    def resources(self) -> int:
        """How many resources have readings."""
        return len(self._store)

    def wanted(self, body: bytes) -> list[Item]:
        """Return the metrics of a request that are wanted.

        Raises:
            PermanentError: The body is no protobuf.
        """
        cut = cut_metrics(body, WIRE_NAMES, self._max_size)
        if cut.too_large:
            self._count("too_large", cut.too_large)
        return cut.items

    def take(self, items: Iterable[Item], tenant: str) -> None:
        """Keep the points of wanted metrics."""
        now = self._clock()
        self._store.forget(now)
        for wire, envelope in items:
            identity = self._identity(envelope.resource)
            self._store.add(tenant, identity, read_points(wire), now)

    def observe(self, name: str, identity: Identity, time_ns: int, value: float) -> None:
        """Keep a reading of our own, of the default tenant."""
        point = Point((), is_delta=False, start_ns=0, time_ns=time_ns, value=value)
        self._store.add("", identity, MetricPoints(name, "", [point], 0), self._clock())

    def recall(self, key: _Key, noted: bytes | None) -> None:
        """Remember what was noted of a trace (tenant, trace id, revision) that closes once more."""
        self._noted[key] = _decoder.decode(noted) if noted else ()

    def attach(self, traces: Sequence[ClosedTrace]) -> list[ClosedTrace]:
        """Return closed traces with what readings say of them."""
        return [self._attached(trace) for trace in traces]

    def _attached(self, trace: ClosedTrace) -> ClosedTrace:
        key = trace.tenant, trace.trace_id, trace.revision
        found = self._noted.pop(key, None) if self._noted else None
        if found is None:
            found = self._measured(trace) if len(self._store) else ()
        return replace(trace, readings=found) if found else trace

    def _measured(self, trace: ClosedTrace) -> tuple[Measured, ...]:
        found = self._processes(trace)
        if not found:
            return ()
        every = (self._field(field, found) for field in _FIELDS)
        return tuple([measured for measured in every if measured is not None])

    def _processes(self, trace: ClosedTrace) -> list[_Found]:
        """Return the processes of a trace; empty when there are readings of none of them."""
        wires: defaultdict[Identity, list[list[bytes]]] = defaultdict(list)
        for resource, run in runs_of(trace):
            identity = self._identity(resource)
            is_looked_up = identity in wires or len(wires) < _MAX_PROCESSES
            wires[identity if is_looked_up else ()].append(run)
        kept = {identity: self._store.find(trace.tenant, identity) for identity in wires}
        if not any(kept.values()):
            return []
        found = []
        for identity, runs in wires.items():
            stay = Stay()
            for run in runs:
                extend(stay, run)
            if stay.start_ns < stay.end_ns:
                found.append(_Found(kept[identity], self._window(stay)))
        return found

    def _window(self, stay: Stay) -> Window:
        until = stay.end_ns + self._after_ns
        return Window(stay.start_ns, stay.end_ns, until, self._max_age_ns)

    def _field(self, field: ResourceField, found: Sequence[_Found]) -> Measured | None:
        told: dict[_Source, tuple[Figure | None, Window]] = {}
        whole = 0
        for process in found:
            source, figure = self._source(field, process)
            window = process.window
            if source is None:
                whole += window.length_ns
                continue
            if source in told:
                # What speaks for the whole machine is asked once for all of its processes.
                window = _both(told[source][1], window)
                figure = _measured(source, window)
            told[source] = figure, window
        figures = [(figure, window) for figure, window in told.values() if figure is not None]
        if not figures:
            return None
        names = sorted({name for name, _ in told})
        whole += sum(window.length_ns for _, window in told.values())
        figure = together(WANTED[names[0]].how, figures, whole)
        if figure.coverage.known < self._min_share:
            return None
        return Measured(field, figure.value, " + ".join(names), figure.coverage)

    def _source(
        self, field: ResourceField, process: _Found
    ) -> tuple[_Source | None, Figure | None]:
        """Return the first metric that says enough of a field and what it says, or nothing."""
        for kept in process.kept:
            for name in _SOURCES[field]:
                source = _Source(name, kept)
                figure = _measured(source, process.window)
                if figure is not None and figure.coverage.known >= self._min_share:
                    return source, figure
        return None, None

    def _identity(self, resource: bytes) -> Identity:
        known = self._identities.get(resource)
        if known is None:
            known = identity_of(resource)
            if len(resource) <= _MAX_CACHED_SIZE:
                if len(self._identities) >= _MAX_CACHED:
                    self._identities.clear()
                self._identities[resource] = known
        return known

    def _count(self, outcome: str, number: int) -> None:
        if number:
            self._telemetry.add("spanscore_readings_total", number, outcome=outcome)


class NoReadings:
    """For whom no metric of ours reads any."""

    def wanted(self, _body: bytes) -> Sequence[Item]:
        """Return nothing."""
        return ()

    def take(self, items: Iterable[Item], tenant: str) -> None:
        """Do nothing."""


def _measured(source: _Source, window: Window) -> Figure | None:
    return measure(WANTED[source.name], source.kept.series(source.name), window)


def _both(one: Window, other: Window) -> Window:
    """Return the time from the begin of the first to the end of the last of two windows."""
    return Window(
        min(one.start_ns, other.start_ns),
        max(one.end_ns, other.end_ns),
        max(one.until_ns, other.until_ns),
        other.max_age_ns,
    )


def noted(readings: Iterable[Measured]) -> bytes | None:
    """Return readings as they are noted with the closing of a trace; None = there are none."""
    every = tuple(readings)
    return _encoder.encode(every) if every else None
