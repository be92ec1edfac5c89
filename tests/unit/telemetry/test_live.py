"""The catalogue of series and its exposition."""

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from scorer.telemetry import SERIES, Telemetry, series


def samples(text, parse=parse_text):
    return {
        (sample.name, *sorted(sample.labels.items())): sample
        for family in parse(text)
        for sample in family.samples
    }


def test_every_declared_series_is_exposed_under_its_name_and_type():
    """The exposition has the families of the catalogue and no others."""
    families = parse_text(Telemetry().snapshot().render().body.decode())
    shown = {(f"{f.name}_total" if f.type == "counter" else f.name, f.type) for f in families}
    assert shown == {(declared.name, declared.type) for declared in SERIES}


def test_names_are_unique_and_counters_end_in_total():
    """A name is declared once, and `_total` marks counters only."""
    assert len({declared.name for declared in SERIES}) == len(SERIES)
    for declared in SERIES:
        assert declared.name.startswith("spanscore_")
        assert declared.name.endswith("_total") == (declared.type == "counter")
        assert bool(declared.buckets) == (declared.type == "histogram")


def test_unknown_series_and_wrong_labels_are_refused():
    """Nothing but what is declared can be written."""
    telemetry = Telemetry()
    with pytest.raises(KeyError):
        series("spanscore_nonsense")
    with pytest.raises(ValueError, match="labels"):
        telemetry.add("spanscore_closed_traces_total", service="a")
    with pytest.raises(ValueError, match="labels"):
        telemetry.histogram("spanscore_metric_duration_seconds")


def test_a_histogram_counts_a_value_in_each_bucket_from_its_own_upwards():
    """A bucket bound is inclusive, `+Inf` is the count, and the sum is the sum."""
    telemetry = Telemetry()
    labels = {"metric": "m", "output": "value", "method": "exact", "service": "s", "agent": ""}
    for value in (0.0, 0.5, 0.51, 1.0):
        telemetry.observe("spanscore_score", value, **labels)
    got = {
        sample.labels.get("le", sample.name): sample.value
        for (name, *_), sample in samples(telemetry.snapshot().render().body.decode()).items()
        if name.startswith("spanscore_score_")
    }
    assert got["0.0"] == 1
    assert got["0.4"] == 1
    assert got["0.5"] == 2
    assert got["0.6"] == 3
    assert got["0.99"] == 3
    assert got["1.0"] == got["+Inf"] == got["spanscore_score_count"] == 4
    assert got["spanscore_score_sum"] == pytest.approx(2.01)


def test_openmetrics_shows_the_last_exemplar_of_a_bucket_and_plain_text_none():
    """Exemplars are bounded to one for each bucket and need OpenMetrics."""
    telemetry = Telemetry()
    for trace in ("first", "last"):
        telemetry.observe("spanscore_scoring_delay_seconds", 0.2, {"trace_id": trace})
    openmetrics = telemetry.snapshot().render("application/openmetrics-text; version=1.0.0")
    assert openmetrics.content_type.startswith("application/openmetrics-text; version=1.0.0")
    found = samples(openmetrics.body.decode(), parse_openmetrics)
    assert [s.exemplar.labels for s in found.values() if s.exemplar] == [{"trace_id": "last"}]
    plain = telemetry.snapshot().render("text/plain")
    assert plain.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert b"trace_id" not in plain.body


@pytest.mark.parametrize(
    ("accept", "openmetrics"),
    [
        ("", False),
        ("*/*", False),
        ("text/plain;version=0.0.4;q=0.5", False),
        ("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5", True),
        ("text/plain;q=0.5, Application/OpenMetrics-Text", True),
        ("application/openmetrics-text;version=nonsense", True),
        (",;,=", False),
    ],
)
def test_the_accept_header_chooses_the_format(accept, openmetrics):
    """OpenMetrics is given when it is named, whatever else stands there."""
    content_type = Telemetry().snapshot().render(accept).content_type
    assert content_type.startswith("application/openmetrics-text") == openmetrics


def test_gauges_are_refreshed_before_a_snapshot():
    """A snapshot shows live state as it is, not as it was at the last event."""
    telemetry = Telemetry()
    state = [3]
    telemetry.refresh.append(lambda: telemetry.set("spanscore_open_traces", state[0]))
    telemetry.snapshot()
    assert telemetry.value("spanscore_open_traces") == 3
    state[0] = 5
    assert samples(telemetry.snapshot().render().body.decode())["spanscore_open_traces",].value == 5


def test_a_snapshot_does_not_move_while_it_is_rendered():
    """What is counted after the snapshot is not in it."""
    telemetry = Telemetry()
    snapshot = telemetry.snapshot()
    telemetry.add("spanscore_closed_spans_total", 7)
    found = samples(snapshot.render().body.decode())
    assert found["spanscore_closed_spans_total",].value == 0
    assert telemetry.value("spanscore_closed_spans_total") == 7


def test_value_sums_over_the_labels_that_are_not_given():
    """A counter can be read whole or for some labels."""
    telemetry = Telemetry()
    telemetry.add("spanscore_tokens_total", 2, type="input", service="a")
    telemetry.add("spanscore_tokens_total", 3, type="output", service="a")
    assert telemetry.value("spanscore_tokens_total") == 5
    assert telemetry.value("spanscore_tokens_total", type="output") == 3


def test_a_counter_can_be_read_by_a_label():
    """The values of a label come sorted, each summed over the other labels."""
    telemetry = Telemetry()
    for kind, service in (("output", "a"), ("input", "a"), ("input", "b")):
        telemetry.add("spanscore_tokens_total", 2, type=kind, service=service)
    assert telemetry.by_label("spanscore_tokens_total", "type") == {"input": 4, "output": 2}
