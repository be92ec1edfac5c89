import json

import pytest

from scorer.api import Threshold
from scorer.cli.calibration import collect as collecting
from scorer.cli.calibration.collect import Judge, collect
from scorer.cli.calibration.figures import Settings, metric_figures
from scorer.cli.calibration.report import metric_report, snippet, span_report
from scorer.cli.calibration.span_figures import SpanSettings, span_figures
from scorer.cli.output import print_all
from scorer.config import parse_config
from scorer.errors import ConfigError

CONFIG = parse_config({})
CONTEXTS = ["The tower is 330 m high and stands in Paris."]
GOOD, BAD = "The tower is 330 m high.", "Zebras play chess on Mars."


def sample(number, *, wrong, **more):
    return {"id": str(number), "answer": BAD if wrong else GOOD, "contexts": CONTEXTS} | more


def collected(rows, metrics=("faithfulness",), label="wrong", slice_by=None, told=None):
    judges = [Judge(CONFIG, name) for name in metrics]
    lines = [json.dumps(row).encode() for row in rows]
    tell = (lambda _: None) if told is None else told.append
    return collect(lines, judges, label, slice_by, tell), judges


ROWS = [sample(n, wrong=n % 2 == 0) | {"wrong": n % 2 == 0} for n in range(10)]
FAST = Settings(resamples=50)


@pytest.mark.parametrize("metric", ["faithfulness", "hallucination_rate"])
def test_the_direction_of_the_metric_is_respected(metric):
    """A label says what is bad, whichever way the metric points."""
    figures = metric_figures(*collected(ROWS, (metric,)), FAST)
    assert figures.auroc.value == 1.0
    assert figures.at_precision.confusion.caught_bad == 5
    assert figures.at_precision.confusion.caught_good == 0
    threshold = figures.at_precision.threshold
    assert (threshold.min is None) == (metric == "hallucination_rate")


def test_wrong_labels_rank_the_wrong_way_round():
    """Labels that mean the opposite show as an AUROC of 0; `--bad` turns them."""
    rows = [row | {"wrong": not row["wrong"]} for row in ROWS]
    assert metric_figures(*collected(rows), FAST).auroc.value == 0.0
    turned = Settings(resamples=50, bad_values=frozenset({"false"}))
    assert metric_figures(*collected(rows), turned).auroc.value == 1.0


def test_a_precision_that_no_threshold_reaches_is_told(capsys):
    """Then there is nothing to paste."""
    rows = [sample(n, wrong=n < 4) | {"wrong": n % 2} for n in range(8)]
    figures = metric_figures(*collected(rows), FAST)
    assert figures.at_precision is None
    print_all(metric_report(figures))
    assert "no threshold reaches a precision of 0.9" in capsys.readouterr().out


def test_samples_without_label_or_value_are_counted():
    """They are in no figure."""
    more = [sample(20, wrong=True), {"id": "21", "question": "?", "wrong": 1}]
    figures = metric_figures(*collected([*ROWS, *more]), FAST)
    assert (figures.samples, figures.bad, figures.unlabelled) == (10, 5, 1)
    assert figures.unscored == {"not_applicable/no_answer": 1}


def test_slices_and_agreement_are_shown(capsys):
    """Per value of a field; two metrics on the same samples."""
    rows = [row | {"lang": "en" if n < 5 else "de"} for n, row in enumerate(ROWS)]
    samples, judges = collected(rows, ("faithfulness", "hallucination_rate"), slice_by="lang")
    figures = metric_figures(samples, judges, FAST)
    assert {name: item.samples for name, item in figures.slices.items()} == {"de": 5, "en": 5}
    assert figures.against.kappa == 1.0
    assert figures.against.auroc_gain.value == 0.0
    print_all(metric_report(figures))
    out = capsys.readouterr().out
    assert "faithfulness against hallucination_rate" in out
    assert snippet("faithfulness", figures.at_precision.threshold) in out.replace(" \n", "\n")


def test_a_field_with_a_value_of_its_own_for_each_sample_makes_no_slices(monkeypatch):
    """There may be a hundred."""
    monkeypatch.setattr(collecting, "_MAX_SLICES", 9)
    with pytest.raises(ConfigError, match="--slice id: it has 10 values"):
        collected(ROWS, slice_by="id")


def test_the_snippet_is_configuration():
    """What is printed can be pasted."""
    import yaml

    document = yaml.safe_load(snippet("faithfulness", Threshold(min=0.25)))
    assert parse_config(document).scoring.thresholds == {"faithfulness": Threshold(min=0.25)}


def test_one_kind_of_label_is_an_error():
    """There is nothing to tell apart."""
    rows = [row | {"wrong": 1} for row in ROWS]
    with pytest.raises(ConfigError, match="all 10 labelled samples are bad"):
        metric_figures(*collected(rows), FAST)


def test_a_label_that_is_nowhere_is_an_error_with_the_fields_that_are():
    """A misspelt name."""
    with pytest.raises(ConfigError, match=r"'wronk'.*'wrong'"):
        collected(ROWS, label="wronk")


def test_a_metric_without_direction_cannot_be_calibrated(monkeypatch):
    """Neither high nor low values are bad."""
    judge = Judge(CONFIG, "latency")
    output = judge.loaded.spec.outputs[0]
    monkeypatch.setattr(type(output), "direction", "none", raising=False)
    with pytest.raises(ConfigError, match="nothing to calibrate"):
        _ = judge.lower_is_better


def test_options_make_another_method():
    """NAME:option=value; a wrong one is an error."""
    assert Judge(CONFIG, "faithfulness:mode=documented").loaded.mode == "documented"
    for wrong in (
        "faithfulness:mode=x",
        "faithfulness:mode",
        "pii_leakage:detector=[email]",
        "x:y=[",
    ):
        with pytest.raises(ConfigError):
            Judge(CONFIG, wrong)


def test_a_metric_of_scores_gets_the_scores_of_the_others():
    """Composite alone would have nothing to combine."""
    judge = Judge(CONFIG, "composite")
    samples = collect([json.dumps(ROWS[1]).encode()], [judge], "wrong", None, lambda _: None)
    assert samples.samples[0].scores[0].status == "scored"


SPANS = [
    {"answer": "a@b.co or c@d.co", "spans": [{"type": "EMAIL_ADDRESS", "start": 0, "end": 6}]},
    {"answer": "nobody", "spans": [{"type": "EMAIL_ADDRESS", "start": 0, "end": 6}]},
    {"answer": "a@b.co a@b.co", "spans": [
        {"type": "EMAIL_ADDRESS", "start": 0, "end": 6},
        {"type": "EMAIL_ADDRESS", "start": 7, "end": 13},
    ]},
    {"answer": "Jane", "spans": [{"type": "PERSON", "start": 0, "end": 4}]},
    {"answer": "clean", "spans": []},
]  # fmt: skip


def test_labelled_spans_are_compared_by_type(capsys):
    """2 right, 1 invented, 1 missed; a value that stands twice counts once."""
    samples, judges = collected(SPANS, ("pii_leakage",), "spans")
    figures = span_figures(samples, judges[0], SpanSettings(resamples=50))
    counts = figures.types["email"].counts
    assert (counts.right, counts.invented, counts.missed, counts.exact) == (2, 1, 1, 2)
    assert figures.pooled.f1.value == pytest.approx(4 / 6)
    assert figures.not_compared == {"person": 1}
    print_all(span_report(figures))
    assert "not compared, on one side only: person (1)" in capsys.readouterr().out


def test_types_may_be_renamed_and_left_out():
    """What the labels call PERSON, a finding may call email."""
    samples, judges = collected(SPANS, ("pii_leakage",), "spans")
    settings = SpanSettings(types={"PERSON": "name"}, resamples=10)
    assert span_figures(samples, judges[0], settings).types["name"].counts.missed == 1
    with pytest.raises(ConfigError, match="--types"):
        span_figures(samples, judges[0], SpanSettings(only=frozenset({"ssn"}), resamples=10))
