"""Metrics from the configuration."""

import math
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from scorer import registration, registry
from scorer.api import MetricSpec, Threshold, Unscored
from scorer.config import parse_config
from scorer.errors import ConfigError


def loaded(**scoring):
    return registry.load_metrics(parse_config({"scoring": scoring}).scoring)


def names(metrics):
    return [metric.spec.name for metric in metrics]


def test_the_default_is_the_whole_catalogue_but_for_what_opts_out():
    """Without configuration every metric that Spanscore ships runs, unless it rarely applies."""
    every = {name: registry.load("metrics", name).spec for name in registry.names("metrics")}
    assert set(names(loaded())) == {name for name, spec in every.items() if spec.in_default}
    assert not every["energy_consumption"].in_default
    assert not every["swarm_intelligence"].in_default


@pytest.mark.parametrize(
    ("group", "name"),
    [("sustainability", "energy_consumption"), ("multiagent", "swarm_intelligence")],
)
def test_a_metric_outside_the_default_is_in_the_group_of_its_kind(group, name):
    """`sustainability` runs what `default` leaves out."""
    assert name in names(loaded(metrics=["default", group]))


def test_a_kind_is_a_group():
    """`privacy` stands for the metrics of that kind."""
    assert names(loaded(metrics=["privacy"])) == [
        "consent_compliance",
        "data_minimization",
        "pii_leakage",
        "privacy_budget",
    ]


def test_metrics_of_scores_run_last():
    """Whatever the order in the configuration."""
    assert names(loaded(metrics=["composite", "latency"])) == ["latency", "composite"]


def test_a_metric_named_twice_runs_once_as_configured():
    """The configured form wins over the group's."""
    metrics = loaded(metrics=["default", {"name": "faithfulness", "mode": "documented"}])
    (found,) = [metric for metric in metrics if metric.spec.name == "faithfulness"]
    assert found.mode == "documented"


@pytest.mark.parametrize(
    ("scoring", "said"),
    [
        ({"metrics": ["faithfull"]}, "no metric named 'faithfull'; known: .*faithfulness"),
        (
            {"metrics": [{"name": "latency", "options": {"colour": 1}}]},
            r"scoring.metrics: latency: unknown option 'colour' \(known: none\)",
        ),
        (
            {"metrics": [{"name": "composite", "options": {"weigths": {}}}]},
            "unknown option 'weigths' .known: children, weights",
        ),
        ({"metrics": [{"name": "composite", "options": {"mode": "x"}}]}, "unknown option 'mode'"),
        (
            {"metrics": [{"name": "image_caption_accuracy", "options": {"use_semantic": "no"}}]},
            "image_caption_accuracy: option use_semantic: Expected `bool`, got `str`",
        ),
        (
            {"metrics": [{"name": "privacy_budget", "options": {"composition": "best"}}]},
            "privacy_budget: option composition: 'best' is not one of: 'basic', 'advanced'",
        ),
        (
            {"metrics": [{"name": "pii_leakage", "options": {"detectors": "email"}}]},
            "pii_leakage: option detectors: Expected `array.*, got `str`",
        ),
        (
            {"metrics": [{"name": "composite", "options": {"weights": {"cost": "x"}}}]},
            r"composite: option weights: Expected `float`, got `str` - at `weights\[...\]`",
        ),
        (
            {"metrics": ["niceness"]},
            "groups: default, multiagent, multimodal, operational",
        ),
        ({"metrics": ["safety"]}, "no metric is of kind safety; groups: default"),
        ({"thresholds": {"speed": {"max": 1}}}, r"scoring\.thresholds\.speed: there is no metric"),
    ],
)
def test_what_does_not_exist_is_a_configuration_error(scoring, said):
    """Names, options and thresholds are checked at the start."""
    with pytest.raises(ConfigError, match=said):
        loaded(**scoring)


@pytest.mark.parametrize(
    ("metric", "option", "value", "said"),
    [
        ("pii_leakage", "check_output", "false", "Expected `bool`, got `str`"),
        ("data_minimization", "context_keys", "email", "Expected `array . null`, got `str`"),
        ("energy_consumption", "threshold_kwh", True, "Expected `float`, got `bool`"),
        ("privacy_budget", "window_days", "7", "got `str`"),
        ("privacy_budget", "warn_threshold", math.nan, "a number must be finite, not nan"),
        ("energy_consumption", "kwh_per_1000_tokens", {"*": math.inf}, "a number must be finite"),
        ("faithfulness", "ragas", 1, r"unknown option 'ragas' \(known: method\)"),
    ],
)
@pytest.mark.parametrize("mode", ["beyond", "documented"])
def test_an_option_has_the_type_that_the_metric_declares(metric, option, value, said, mode):
    """What Python would take for something else is a mistake that is told at the start."""
    with pytest.raises(ConfigError, match=said) as refused:
        loaded(metrics=[{"name": metric, "mode": mode, "options": {option: value}}])
    assert f"{metric}: " in str(refused.value)
    assert option in str(refused.value)


class OfOwnTypes:
    """A metric whose options have types that no configuration holds."""

    spec = MetricSpec(name="mine", kind="quality", description="A test.")

    def __init__(
        self, *, mode: str, path: Path, of: dict[str, Decimal], either: list[str] | tuple[int, ...]
    ) -> None:
        self.made = (mode, Path(path), {key: Decimal(value) for key, value in of.items()}, either)

    def score(self, _trace):
        raise AssertionError("only made")


def test_options_of_other_types_are_the_metric_s_own_matter(monkeypatch):
    """It gets what the configuration says, and makes a path of a text."""
    monkeypatch.setitem(registration._registered, "mine", OfOwnTypes)
    options = {"path": "x/y", "of": {"a": "0.5"}, "either": [1]}
    (found,) = loaded(metrics=[{"name": "mine", "options": options}])
    assert found.metric.made == ("beyond", Path("x/y"), {"a": Decimal("0.5")}, [1])


def test_a_configured_threshold_replaces_the_metric_s_own():
    """Default thresholds come with each metric."""
    (own,) = loaded(metrics=["hallucination_rate"])
    (set_,) = loaded(
        metrics=["hallucination_rate"], thresholds={"hallucination_rate": {"max": 0.1}}
    )
    assert own.threshold == own.spec.default_threshold
    assert set_.threshold == Threshold(max=0.1)


def test_the_config_hash_tells_configurations_apart():
    """Mode, options and threshold change it; nothing else does."""
    (plain,) = loaded(metrics=["faithfulness"])
    (same,) = loaded(metrics=["faithfulness"], workers=0)
    (mode,) = loaded(metrics=[{"name": "faithfulness", "mode": "documented"}])
    (bound,) = loaded(metrics=["faithfulness"], thresholds={"faithfulness": {"min": 0.1}})
    assert plain.config_hash == same.config_hash
    assert len({plain.config_hash, mode.config_hash, bound.config_hash}) == 3


def test_a_rule_may_name_groups_and_must_name_what_exists():
    """A typo would switch scoring off without a word."""
    rules = parse_config({"scoring": {"rules": [{"metrics": ["privacy", "cost"]}]}}).scoring.rules
    assert registry.load_rules(rules)[0].metrics == (
        "consent_compliance",
        "data_minimization",
        "pii_leakage",
        "privacy_budget",
        "cost",
    )
    rules = parse_config({"scoring": {"rules": [{"metrics": ["nope"]}]}}).scoring.rules
    with pytest.raises(ConfigError, match=r"scoring\.rules\[0\]\.metrics: no metric named 'nope'"):
        registry.load_rules(rules)


def test_every_registered_part_loads():
    """Nothing in the entry points is broken."""
    for group in ("metrics", "dialects", "receivers", "sinks"):
        for name in registry.names(group):
            assert registry.load(group, name) is not None


def test_an_option_of_a_type_that_nobody_can_check_is_left_to_the_metric(monkeypatch):
    """A declared type that is no plain data, or that is not there at run time."""

    class Odd:
        spec = msgspec.structs.replace(registry.load("metrics", "latency").spec, name="odd")

        def __init__(self, *, mode="beyond", rule: object = None, late: "Missing" = None):  # noqa: F821 - on purpose
            self.rule, self.late = rule, late

        def score(self, trace):
            return Unscored("no_answer")

    monkeypatch.setitem(registration._registered, "odd", Odd)
    (found,) = loaded(metrics=[{"name": "odd", "options": {"rule": 1, "late": "x"}}])
    assert (found.metric.rule, found.metric.late) == (1, "x")
