"""The closed catalogue: what dashboards and alerts rely on is in it, and nothing is unbounded."""

import re
from pathlib import Path

import pytest

import scorer
from scorer.model.score import Verdict
from scorer.telemetry import SERIES
from scorer.telemetry.catalogue import series

# Names, types and labels that users have in their dashboards: a change here breaks them.
RELIED_ON = {
    "spanscore_score": ("histogram", "metric output method service agent"),
    "spanscore_scores_total": ("counter", "metric status reason"),
    "spanscore_threshold_breaches_total": ("counter", "metric service agent"),
    "spanscore_revised_scores_total": ("counter", "metric"),
    "spanscore_traces_total": ("counter", "service"),
    "spanscore_pii_findings_total": ("counter", "type service agent"),
    "spanscore_cost_usd_total": ("counter", "service"),
    "spanscore_tokens_total": ("counter", "type service"),
    "spanscore_tool_calls_total": ("counter", "status tool service"),
    "spanscore_trace_duration_seconds": ("histogram", "service"),
    "spanscore_offered_spans_total": ("counter", ""),
    "spanscore_accepted_spans_total": ("counter", ""),
    "spanscore_refused_spans_total": ("counter", "reason"),
    "spanscore_duplicate_spans_total": ("counter", ""),
    "spanscore_reread_spans_total": ("counter", ""),
    "spanscore_late_spans_total": ("counter", ""),
    "spanscore_late_unjoined_spans_total": ("counter", ""),
    "spanscore_open_traces": ("gauge", ""),
    "spanscore_open_spans": ("gauge", ""),
    "spanscore_open_bytes": ("gauge", ""),
    "spanscore_oldest_open_trace_seconds": ("gauge", ""),
    "spanscore_closed_traces_total": ("counter", "reason"),
    "spanscore_closed_spans_total": ("counter", ""),
    "spanscore_not_agent_traces_total": ("counter", ""),
    "spanscore_quarantined_traces_total": ("counter", "reason"),
    "spanscore_scoring_delay_seconds": ("histogram", ""),
    "spanscore_metric_duration_seconds": ("histogram", "metric"),
    "spanscore_journal_bytes": ("gauge", ""),
}
# Labels whose values come from spans; the Prometheus sink bounds each and all together.
FROM_SPANS = {"service", "agent", "tool"}
# Labels whose values are words of ours or names of the configuration. A metric may give any
# reason or type of finding, so the sink bounds these two as well.
OF_OURS = {
    "code",
    "label",
    "method",
    "metric",
    "outcome",
    "output",
    "reason",
    "receiver",
    "signal",
    "sink",
    "status",
    "target",
    "type",
}
SOURCES = {
    path: path.read_text()
    for path in Path(scorer.__file__).parent.rglob("*.py")
    if path.name != "catalogue.py"
}


@pytest.mark.parametrize("name", RELIED_ON)
def test_what_others_rely_on_is_there(name):
    """Under its name, with its type and its labels in their order."""
    declared = series(name)
    assert (declared.type, " ".join(declared.labels)) == RELIED_ON[name]


def test_each_label_has_a_bound():
    """A label with values of another origin would grow without end."""
    assert {label for one in SERIES for label in one.labels} <= FROM_SPANS | OF_OURS


def test_labels_from_spans_are_on_series_of_the_bounded_sink_only():
    """Nothing but the Prometheus sink may mint a value from a span."""
    sink = next(text for path, text in SOURCES.items() if path.name == "prometheus.py")
    for one in SERIES:
        if FROM_SPANS & set(one.labels):
            writers = [path.name for path, text in SOURCES.items() if f'"{one.name}"' in text]
            assert writers == ["prometheus.py"], one.name
            assert re.search(rf'make\.(counter|histogram)\("{one.name}"\)', sink), one.name


def test_each_series_is_written_by_somebody():
    """A series that stays at 0 for ever says that all is well."""
    by_verdict = {f"spanscore_{verdict}_spans_total" for verdict in Verdict.__args__}
    text = "".join(SOURCES.values())
    silent = [s.name for s in SERIES if f'"{s.name}"' not in text and s.name not in by_verdict]
    assert silent == []


def test_names_are_those_of_prometheus():
    """Counters end in _total, and nothing else does; each has a help text of one sentence."""
    for one in SERIES:
        assert re.fullmatch(r"spanscore_[a-z_]+", one.name)
        assert one.name.endswith("_total") == (one.type == "counter"), one.name
        assert one.help.endswith("."), one.name
        assert bool(one.buckets) == (one.type == "histogram"), one.name
