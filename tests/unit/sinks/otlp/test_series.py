"""The series of /metrics as OpenTelemetry metrics."""

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.metrics.v1 import metrics_pb2
from prometheus_client.parser import text_string_to_metric_families

from scorer.sinks.otlp.series import SeriesConverter
from scorer.telemetry import SERIES, Telemetry

LABELS = {"metric": "cost", "output": "value", "method": "exact", "service": "shop", "agent": ""}
CUMULATIVE = metrics_pb2.AGGREGATION_TEMPORALITY_CUMULATIVE


def encoded(telemetry, converter=None, now_ns=2_000):
    """Return the metrics by name, as they stand on the wire."""
    converter = converter or SeriesConverter("1", "i-1", 1_000)
    request = encode_metrics(converter.convert(telemetry.snapshot().collect(), now_ns))
    (group,) = request.resource_metrics
    (scoped,) = group.scope_metrics
    assert scoped.scope.name == "spanscore"
    return {metric.name: metric for metric in scoped.metrics}


def flat(telemetry):
    """Return what a scrape shows of the same moment: samples by name and labels."""
    body = telemetry.snapshot().render().body.decode()
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }


def flattened(metrics):
    """Return pushed metrics in the form of `flat`."""
    found = {}
    for name, metric in metrics.items():
        kind = metric.WhichOneof("data")
        for point in getattr(metric, kind).data_points:
            labels = {a.key: a.value.string_value for a in point.attributes}
            if kind != "histogram":
                found[(name, *sorted(labels.items()))] = point.as_double
                continue
            bounds = [*(str(bound) for bound in point.explicit_bounds), "+Inf"]
            total = 0
            for bound, count in zip(bounds, point.bucket_counts, strict=True):
                total += count
                found[(f"{name}_bucket", *sorted({**labels, "le": bound}.items()))] = total
            found[(f"{name}_count", *sorted(labels.items()))] = point.count
            found[(f"{name}_sum", *sorted(labels.items()))] = point.sum
    return found


@given(
    st.lists(st.floats(0, 1), max_size=20),
    st.lists(st.tuples(st.text(max_size=8), st.integers(0, 9)), max_size=5),
    st.floats(0, 1e9),
)
def test_a_push_says_what_a_scrape_says(values, tokens, gauge):
    """Names, labels, buckets and values."""
    telemetry = Telemetry()
    for value in values:
        telemetry.observe("spanscore_score", value, **LABELS)
    for service, count in tokens:
        service = service.replace("\r", "").replace("\n", "")  # noqa: PLW2901 - the parser's own bounds
        telemetry.add("spanscore_tokens_total", count, type="input", service=service)
    telemetry.set("spanscore_open_bytes", gauge)
    assert flattened(encoded(telemetry)) == flat(telemetry)


def test_counters_are_monotonic_sums_and_all_is_cumulative():
    """So that a push that is lost is none."""
    telemetry = Telemetry()
    telemetry.observe("spanscore_score", 0.5, **LABELS)
    metrics = encoded(telemetry)
    total = metrics["spanscore_offered_spans_total"].sum
    assert (total.is_monotonic, total.aggregation_temporality) == (True, CUMULATIVE)
    histogram = metrics["spanscore_score"].histogram
    assert histogram.aggregation_temporality == CUMULATIVE
    (point,) = histogram.data_points
    assert (point.start_time_unix_nano, point.time_unix_nano) == (1_000, 2_000)
    assert not point.HasField("min")


def test_every_series_that_has_a_value_is_pushed():
    """The catalogue is closed: nothing else, and nothing less."""
    telemetry = Telemetry()
    for series in SERIES:
        labels = dict.fromkeys(series.labels, "x")
        if series.type == "histogram":
            telemetry.observe(series.name, 0.5, **labels)
        elif series.type == "gauge":
            telemetry.set(series.name, 1, **labels)
        else:
            telemetry.add(series.name, **labels)
    assert set(encoded(telemetry)) == {series.name for series in SERIES}


def test_an_exemplar_is_pushed_once():
    """What a series holds at the next push is no new one."""
    telemetry, converter = Telemetry(), SeriesConverter("1", "i", 1)
    exemplar = {"trace_id": f"{7:032x}"}
    telemetry.observe("spanscore_score", 0.5, exemplar, **LABELS)
    telemetry.counter("spanscore_pii_findings_total", "card", "shop", "").inc(1, exemplar)
    first, again = (encoded(telemetry, converter) for _ in range(2))
    (point,) = first["spanscore_score"].histogram.data_points
    assert [(e.trace_id[-1], e.as_double, e.time_unix_nano) for e in point.exemplars] == [
        (7, 0.5, 2_000)
    ]
    assert first["spanscore_pii_findings_total"].sum.data_points[0].exemplars
    assert not again["spanscore_score"].histogram.data_points[0].exemplars
    telemetry.observe("spanscore_score", 0.5, {"trace_id": f"{8:032x}"}, **LABELS)
    third = encoded(telemetry, converter)
    assert third["spanscore_score"].histogram.data_points[0].exemplars[0].trace_id[-1] == 8
