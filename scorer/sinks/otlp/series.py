"""The series of /metrics as metrics of the OpenTelemetry SDK, which its exporters send.

Names, labels, values and buckets are those of /metrics. Sums and histograms are cumulative since
`start_ns`. An exemplar is sent once: what a series holds is its latest, not a new one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import prometheus_client
from opentelemetry.sdk.metrics import Exemplar
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client.samples import Exemplar as SeenExemplar
from prometheus_client.samples import Sample

from scorer.model.evaluation import OWN_NAME

_CUMULATIVE = AggregationTemporality.CUMULATIVE
Point = NumberDataPoint | HistogramDataPoint


class _Moment(NamedTuple):
    start_ns: int
    now_ns: int


class SeriesConverter:
    """Turns snapshots of series into metrics; `instance` tells this process from others."""

    def __init__(self, version: str, instance: str, start_ns: int) -> None:
        self._resource = Resource(
            {
                "service.name": OWN_NAME,
                "service.version": version,
                "service.instance.id": instance,
            }
        )
        self._scope = InstrumentationScope(OWN_NAME, version)
        self._start_ns = start_ns
        # By identity, and held, so that no other object can take their place.
        self._sent: dict[int, SeenExemplar] = {}

    def convert(self, families: Iterable[prometheus_client.Metric], now_ns: int) -> MetricsData:
        """Return all series as they are in `families`."""
        moment, seen = _Moment(self._start_ns, now_ns), dict[int, SeenExemplar]()
        metrics = [
            metric
            for family in families
            if (metric := self._metric(family, moment, seen)) is not None
        ]
        self._sent = seen
        scope = ScopeMetrics(self._scope, metrics, "")
        return MetricsData([ResourceMetrics(self._resource, [scope], "")])

    def _metric(
        self, family: prometheus_client.Metric, moment: _Moment, seen: dict[int, SeenExemplar]
    ) -> Metric | None:
        samples = family.samples
        if not samples:
            return None
        data: Sum | Gauge | Histogram
        if family.type == "histogram":
            points = [self._histogram(part, moment, seen) for part in _histograms(samples)]
            return Metric(family.name, family.documentation, "", Histogram(points, _CUMULATIVE))
        numbers = [self._number(sample, moment, seen) for sample in samples]
        if family.type == "counter":
            data = Sum(numbers, _CUMULATIVE, is_monotonic=True)
        else:
            data = Gauge(numbers)
        return Metric(samples[0].name, family.documentation, "", data)

    def _number(
        self, sample: Sample, moment: _Moment, seen: dict[int, SeenExemplar]
    ) -> NumberDataPoint:
        exemplars = self._exemplars([sample], moment, seen)
        return NumberDataPoint(dict(sample.labels), *moment, float(sample.value), exemplars)

    def _histogram(
        self, part: "_Histogram", moment: _Moment, seen: dict[int, SeenExemplar]
    ) -> HistogramDataPoint:
        counts = [int(bucket.value) for bucket in part.buckets]
        own = [count - before for count, before in zip(counts, [0, *counts], strict=False)]
        return HistogramDataPoint(
            part.labels,
            *moment,
            count=counts[-1],
            sum=float(part.total),
            bucket_counts=own,
            explicit_bounds=[float(bucket.labels["le"]) for bucket in part.buckets[:-1]],
            min=None,  # type: ignore[arg-type] # as the SDK itself says that it is not known
            max=None,  # type: ignore[arg-type] # the same
            exemplars=self._exemplars(part.buckets, moment, seen),
        )

    def _exemplars(
        self, samples: Sequence[Sample], moment: _Moment, seen: dict[int, SeenExemplar]
    ) -> list[Exemplar]:
        found = []
        for sample in samples:
            exemplar = sample.exemplar
            if exemplar is None:
                continue
            seen[id(exemplar)] = exemplar
            if id(exemplar) not in self._sent:
                found.append(_exemplar(exemplar, moment.now_ns))
        return found


def _exemplar(seen: SeenExemplar, now_ns: int) -> Exemplar:
    time_ns = int(float(seen.timestamp) * 1e9) if seen.timestamp else now_ns
    # The encoder drops a trace id without a span id; all zero means none.
    return Exemplar({}, float(seen.value), time_ns, 0, int(seen.labels["trace_id"], 16))


class _Histogram(NamedTuple):
    labels: dict[str, str]
    buckets: list[Sample]
    total: float


def _histograms(samples: Iterable[Sample]) -> Iterator[_Histogram]:
    """Group the samples of a family: buckets up to `+Inf`, then count and sum, for each child."""
    buckets: list[Sample] = []
    for sample in samples:
        if "le" in sample.labels:
            buckets.append(sample)
        elif sample.name.endswith("_sum"):
            yield _Histogram(dict(sample.labels), buckets, sample.value)
            buckets = []
