"""The closed catalogue of Spanscore's series.

The README's table is checked against it. Names are written as Prometheus shows them
(counters end in `_total`).
"""

from typing import Literal

from msgspec import Struct

SeriesType = Literal["counter", "gauge", "histogram"]

_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_TRACE_SECONDS = (0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
_SCORE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


class Series(Struct, frozen=True):
    """One declared series."""

    name: str
    type: SeriesType
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


SERIES: tuple[Series, ...] = (
    # Scores
    Series(
        "spanscore_score",
        "histogram",
        "Values of scores between 0 and 1.",
        ("metric", "output", "method", "service", "agent"),
        _SCORE,
    ),
    Series(
        "spanscore_scores_total",
        "counter",
        "Scores by status; reason says why there is no value.",
        ("metric", "status", "reason"),
    ),
    Series(
        "spanscore_threshold_breaches_total",
        "counter",
        "Traces whose score is outside the metric's threshold.",
        ("metric", "service", "agent"),
    ),
    Series(
        "spanscore_revised_scores_total",
        "counter",
        "Scores made again, for late spans; no other series of scores has them.",
        ("metric",),
    ),
    # Facts
    Series("spanscore_traces_total", "counter", "Scored traces.", ("service",)),
    Series(
        "spanscore_pii_findings_total",
        "counter",
        "Personal data found in outputs, by type.",
        ("type", "service", "agent"),
    ),
    Series("spanscore_cost_usd_total", "counter", "Cost in US dollars.", ("service",)),
    Series("spanscore_tokens_total", "counter", "Tokens used, by type.", ("type", "service")),
    Series(
        "spanscore_tool_calls_total",
        "counter",
        "Tool calls by outcome.",
        ("status", "tool", "service"),
    ),
    Series(
        "spanscore_trace_duration_seconds",
        "histogram",
        "Duration of scored traces.",
        ("service",),
        _TRACE_SECONDS,
    ),
    # Health
    Series("spanscore_offered_spans_total", "counter", "Spans that arrived."),
    Series("spanscore_accepted_spans_total", "counter", "Spans that were taken."),
    Series("spanscore_refused_spans_total", "counter", "Spans that were refused.", ("reason",)),
    Series("spanscore_duplicate_spans_total", "counter", "Accepted spans seen before."),
    Series(
        "spanscore_conflicting_spans_total",
        "counter",
        "Duplicate spans that differ from the one that was kept.",
    ),
    Series("spanscore_reread_spans_total", "counter", "Accepted spans read again from a log."),
    Series("spanscore_late_spans_total", "counter", "Accepted spans of closed traces."),
    Series(
        "spanscore_late_unjoined_spans_total",
        "counter",
        "Late spans whose trace is no longer held.",
    ),
    Series("spanscore_open_traces", "gauge", "Traces being assembled."),
    Series("spanscore_open_spans", "gauge", "Spans of open traces."),
    Series("spanscore_open_bytes", "gauge", "Bytes charged for open traces."),
    Series("spanscore_kept_bytes", "gauge", "Bytes of closed traces that are kept for late spans."),
    Series("spanscore_oldest_open_trace_seconds", "gauge", "Age of the oldest open trace."),
    Series("spanscore_closed_traces_total", "counter", "Closed traces by reason.", ("reason",)),
    Series("spanscore_closed_spans_total", "counter", "Spans of closed traces."),
    Series(
        "spanscore_undecodable_total",
        "counter",
        "Spans, log records and resources whose bytes do not decode; the rest of them is scored.",
    ),
    Series("spanscore_scored_spans_total", "counter", "Spans of scored traces."),
    Series("spanscore_not_agent_traces_total", "counter", "Traces without any agent operation."),
    Series("spanscore_not_agent_spans_total", "counter", "Spans of traces that are not agents'."),
    Series(
        "spanscore_quarantined_traces_total",
        "counter",
        "Traces that could not be scored at all.",
        ("reason",),
    ),
    Series("spanscore_quarantined_spans_total", "counter", "Spans of quarantined traces."),
    Series(
        "spanscore_scoring_delay_seconds",
        "histogram",
        "Time from the close of a trace to its scores.",
        (),
        _SECONDS,
    ),
    Series(
        "spanscore_metric_duration_seconds",
        "histogram",
        "Time spent in one metric for one trace.",
        ("metric",),
        _SECONDS,
    ),
    Series(
        "spanscore_worker_restarts_total",
        "counter",
        "Scoring workers replaced after a hang or a crash.",
    ),
    Series("spanscore_accounts", "gauge", "Accounts, such as privacy budgets, that are kept."),
    Series("spanscore_account_spans", "gauge", "Booked spans that are remembered."),
    Series(
        "spanscore_account_refusals_total",
        "counter",
        "Scores that were not made because max_accounts was reached.",
        ("metric",),
    ),
    Series(
        "spanscore_dropped_accounts_total",
        "counter",
        "Accounts of a time that is over, dropped because max_accounts was reached.",
    ),
    Series(
        "spanscore_account_forgotten_spans_total",
        "counter",
        "Booked spans that are no longer remembered: they would be booked again.",
    ),
    Series("spanscore_journal_bytes", "gauge", "Bytes of the journal in use."),
    Series("spanscore_journal_segments", "gauge", "Files of the journal."),
    Series(
        "spanscore_journal_pinned_records",
        "gauge",
        "Records of the journal that traces without scores may still need.",
    ),
    Series("spanscore_pending_traces", "gauge", "Closed traces waiting for their scores."),
    Series(
        "spanscore_unforwarded_traces",
        "gauge",
        "Traces with a verdict that a target of `forward` has not accepted yet.",
    ),
    Series(
        "spanscore_hold_expired_traces_total",
        "counter",
        "Traces passed on without scores after hold_timeout, for each target.",
    ),
    Series(
        "spanscore_passed_on_total",
        "counter",
        "Spans, log records and metric points of no open trace that were taken to be passed on.",
        ("signal",),
    ),
    Series(
        "spanscore_dropped_traces_total",
        "counter",
        "Traces that tail sampling did not pass on, for each target.",
        ("reason",),
    ),
    Series(
        "spanscore_dropped_spans_total",
        "counter",
        "Spans of such traces, late ones too.",
        ("reason",),
    ),
    Series("spanscore_log_records_total", "counter", "Log records by fate.", ("outcome",)),
    Series(
        "spanscore_metric_points_total",
        "counter",
        "Points of OTLP metrics; they are passed on where a target is to forward.",
    ),
    Series(
        "spanscore_readings_total",
        "counter",
        "Points of OTLP metrics that are read, by fate; whole metrics that are `too_large`, whole "
        "resources as `dropped_resource`.",
        ("outcome",),
    ),
    Series("spanscore_reading_resources", "gauge", "Processes and hosts that have readings."),
    Series(
        "spanscore_requests_total",
        "counter",
        "OTLP requests by receiver, signal and answer.",
        ("receiver", "signal", "code"),
    ),
    Series(
        "spanscore_refused_connections_total",
        "counter",
        "HTTP connections closed because of max_connections; gRPC closes its own uncounted.",
        ("receiver",),
    ),
    Series(
        "spanscore_receiver_faults_total",
        "counter",
        "Requests refused as retryable because of an unexpected fault of ours.",
        ("receiver",),
    ),
    Series(
        "spanscore_sink_errors_total",
        "counter",
        "Writes that a sink failed.",
        ("sink",),
    ),
    Series(
        "spanscore_otlp_sent_items_total",
        "counter",
        "Spans, log records and points that an OTLP target has taken.",
        ("target", "signal"),
    ),
    Series(
        "spanscore_otlp_rejected_items_total",
        "counter",
        "Items that an OTLP target left out of a request that it took (partial success).",
        ("target", "signal"),
    ),
    Series(
        "spanscore_otlp_lost_items_total",
        "counter",
        "Items that an OTLP target refused for good, or that were given up.",
        ("target", "signal", "reason"),
    ),
    Series(
        "spanscore_otlp_retries_total",
        "counter",
        "Requests that an OTLP target did not take yet, so that they are sent again.",
        ("target",),
    ),
    Series(
        "spanscore_otlp_queue_bytes",
        "gauge",
        "Bytes that an OTLP target has not answered for.",
        ("target",),
    ),
    Series(
        "spanscore_label_overflow_total",
        "counter",
        "Label values that fell into `other`; label `series` = max_series was reached.",
        ("label",),
    ),
)

_BY_NAME = {series.name: series for series in SERIES}


def series(name: str) -> Series:
    """Return the declaration of a series; raises KeyError for one that is not declared."""
    return _BY_NAME[name]
