"""From what a metric returned to scores."""

import math

import pytest

from scorer.api import AgentTrace, Measurement, MetricSpec, OutputSpec, Threshold, Unscored
from scorer.registry import LoadedMetric
from scorer.scoring.results import Subject, scores_of

SUBJECT = Subject(
    id="t1",
    trace=AgentTrace(trace_id="t1", service="shop", agent="helper", tenant="acme"),
    event_time="2023-11-14T22:13:20.000000000Z",
    close_reason="root",
)


def metric(*outputs, mode="beyond", threshold=None):
    spec = MetricSpec(
        name="m",
        kind="quality",
        description="A test.",
        outputs=outputs or (OutputSpec(),),
        methods=("lexical",),
    )
    return LoadedMetric(
        metric=None,
        spec=spec,
        combines=False,
        mode=mode,
        threshold=threshold,
        timeout_s=1,
        config_hash="h",
    )


def one(loaded, result):
    (score,) = scores_of(loaded, SUBJECT, result)
    return score


def test_a_measurement_becomes_a_score_with_its_context():
    """Who, what, when and how come from the subject and the spec."""
    score = one(metric(), Measurement({"value": 0.5}, "lexical", "why", {"a": 1}))
    assert (score.status, score.value, score.method) == ("scored", 0.5, "lexical")
    assert (score.explanation, score.detail) == ("why", {"a": 1})
    assert (score.subject, score.trace_id, score.service) == ("t1", "t1", "shop")
    assert (score.tenant, score.agent, score.close_reason) == ("acme", "helper", "root")
    assert score.event_time == SUBJECT.event_time


@pytest.mark.parametrize("status", ["not_applicable", "failed", "skipped"])
def test_unscored_has_a_reason_and_no_value(status):
    """Never 0, never NaN."""
    score = one(metric(), Unscored("no_answer", status))
    assert (score.status, score.reason, score.value) == (status, "no_answer", None)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "0.9", None])
def test_a_value_that_is_no_finite_number_fails(value):
    """The metric's mistake is a `failed` score."""
    score = one(metric(), Measurement({"value": value}))
    assert (score.status, score.reason, score.value) == ("failed", "non_finite", None)


def test_a_missing_required_output_fails_all():
    """Also when another output is there."""
    loaded = metric(OutputSpec(), OutputSpec(name="count", range=(0, None)))
    score = one(loaded, Measurement({"count": 3}))
    assert (score.status, score.reason) == ("failed", "missing_output")


def test_an_undeclared_output_fails_all():
    """What is not declared has no unit, range or direction."""
    assert one(metric(), Measurement({"value": 1, "extra": 2})).reason == "undeclared_output"


def test_an_optional_output_that_is_left_out_is_missing():
    """`missing`, not 0."""
    loaded = metric(OutputSpec(), OutputSpec(name="extra", required=False))
    value, extra = scores_of(loaded, SUBJECT, Measurement({"value": 1}))
    assert value.status == "scored"
    assert (extra.status, extra.reason, extra.value) == ("missing", "output_omitted", None)


def test_beyond_clamps_to_the_range_and_keeps_the_raw_value():
    """The raw value stands in the detail."""
    score = one(metric(), Measurement({"value": 1.5}))
    assert (score.value, score.detail) == (1, {"raw": 1.5})


def test_documented_keeps_what_the_original_gave():
    """The original does not clamp."""
    score = one(metric(mode="documented"), Measurement({"value": 1.5}))
    assert (score.value, score.detail) == (1.5, None)


@pytest.mark.parametrize(
    ("threshold", "label"),
    [
        (None, None),
        (Threshold(max=0.3), "fail"),
        (Threshold(min=0.3), "pass"),
        (Threshold(), "pass"),
    ],
)
def test_the_label_follows_the_threshold(threshold, label):
    """0.5 against a maximum or a minimum of 0.3."""
    assert one(metric(threshold=threshold), Measurement({"value": 0.5})).label == label


def test_without_a_threshold_the_metric_s_own_label_stays():
    """A label metric says it itself."""
    assert one(metric(), Measurement({"value": 1}, label="formal")).label == "formal"


def test_a_boolean_is_a_value_and_a_label():
    """True is 1 and "pass"."""
    score = one(metric(), Measurement({"value": False}))
    assert (score.value, score.label) == (0, "fail")


def test_only_the_primary_output_has_detail_and_threshold():
    """The others would repeat it."""
    loaded = metric(OutputSpec(), OutputSpec(name="b"), threshold=Threshold(max=0.1))
    first, second = scores_of(loaded, SUBJECT, Measurement({"value": 1, "b": 1}, detail={"a": 1}))
    assert (first.label, first.detail) == ("fail", {"a": 1})
    assert (second.label, second.detail) == (None, None)


def test_each_output_has_its_own_id():
    """And the same each time."""
    loaded = metric(OutputSpec(), OutputSpec(name="b"))
    ids = [s.id for s in scores_of(loaded, SUBJECT, Measurement({"value": 1, "b": 1}))]
    again = [s.id for s in scores_of(loaded, SUBJECT, Measurement({"value": 0, "b": 0}))]
    assert len(set(ids)) == 2
    assert ids == again


def test_a_long_explanation_is_cut():
    """It is text for a person, and bounded."""
    assert len(one(metric(), Measurement({"value": 1}, explanation="x" * 9999)).explanation) == 2000


def test_a_sample_has_no_trace_id():
    """Its subject is its own id."""
    sample = Subject(
        id="row-1", trace=AgentTrace(trace_id="row-1"), event_time=None, is_trace=False
    )
    (score,) = scores_of(metric(), sample, Measurement({"value": 1}))
    assert (score.subject, score.trace_id, score.completeness) == ("row-1", None, None)
