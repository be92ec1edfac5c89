"""AgentUnit's door: metrics registered and resolved by name, in one process."""

from inspect import signature

import pytest

import metrics.multiagent
from metrics.agentunit import CompositeMetric, MetricResult, case_of
from scorer import registration, registry
from scorer.api import (
    DEFAULT_METRICS,
    AgentTrace,
    Measurement,
    MetricSpec,
    ToolCall,
    Usage,
    register_metric,
    resolve_metrics,
)
from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.scoring.engine import Engine

SECOND = 10**9
VIEW = AgentTrace(
    trace_id="t",
    question="How long is the warranty?",
    answer="Two years.",
    tool_calls=(ToolCall(name="search", status="success"),),
    usage=Usage(input=3, output=4),
    cost_usd=0.5,
    success=True,
    start_ns=SECOND,
    end_ns=11 * SECOND,
)


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch):
    """What a test registers ends with it."""
    monkeypatch.setattr(registration, "_registered", table := {})
    for module in (registration, registry):
        monkeypatch.setattr(module, "registered", table)


class ResponseTime:
    """As a user of AgentUnit would write it: 1 while the run takes at most `threshold_ms`."""

    name = "response_time"

    def __init__(self, threshold_ms=5000):
        self.threshold_ms = threshold_ms

    def evaluate(self, case, trace, outcome):
        times = [event.timestamp for event in trace.events]
        elapsed = (max(times) - min(times)) * 1000
        return MetricResult(self.name, min(1.0, self.threshold_ms / elapsed), {"ms": elapsed})


class AnswerWords:
    """One of Spanscore's own kind."""

    spec = MetricSpec(name="answer_words", kind="quality", description="Words in the answer.")

    def __init__(self, *, mode="beyond"):
        pass

    def score(self, trace):
        return Measurement({"value": min(1.0, len(trace.answer.split()) / 4)})


def test_the_five_default_metrics_are_found_by_name():
    """They evaluate as the original does."""
    assert DEFAULT_METRICS == (
        "faithfulness",
        "answer_correctness",
        "tool_success",
        "cost",
        "token_usage",
    )
    found = resolve_metrics()
    assert [metric.name for metric in found] == list(DEFAULT_METRICS)
    values = [metric.evaluate(*case_of(VIEW)).value for metric in found]
    assert values == [None, None, 1.0, 0.5, 7.0]


def test_names_choose_the_metrics_and_their_order():
    """No names are the default ones, as in the original."""
    assert [metric.name for metric in resolve_metrics(["cost", "faithfulness"])] == [
        "cost",
        "faithfulness",
    ]
    assert [metric.name for metric in resolve_metrics([])] == list(DEFAULT_METRICS)


@pytest.mark.parametrize("metric", [ResponseTime, ResponseTime(), ResponseTime(threshold_ms=2500)])
def test_a_class_or_an_instance_may_be_registered(metric):
    """10 seconds against 5, or 2.5: 0.5, or 0.25."""
    register_metric("response_time", metric)
    (found,) = resolve_metrics(["response_time"])
    threshold = getattr(metric, "threshold_ms", 5000)
    assert found.evaluate(*case_of(VIEW)).value == threshold / 10_000


def test_an_older_metric_computes():
    """Its method is named `compute`; without a name it is named after its class."""

    class AnswerLength:
        def compute(self, case, trace, outcome):
            return MetricResult("answer_length", float(len(outcome.output)))

    register_metric("length", AnswerLength)
    (found,) = resolve_metrics(["length"])
    assert found.name == "answer_length"
    assert found.evaluate(*case_of(VIEW)).value == 10.0


def test_a_composite_takes_what_was_resolved():
    """faithfulness cannot be measured here, tool_success is 1, the answer has no reference."""
    found = resolve_metrics(["faithfulness", "answer_correctness", "tool_success"])
    result = CompositeMetric(found).evaluate(*case_of(VIEW))
    assert result.value == 1.0
    assert set(result.detail) == {"faithfulness", "answer_correctness", "tool_success"}


def test_what_is_registered_wins_over_what_is_installed():
    """AgentUnit has no metric named latency, so its users may have one."""
    register_metric("latency", ResponseTime(7))
    assert resolve_metrics(["latency"])[0].threshold_ms == 7


@pytest.mark.parametrize("name", ["mine", "faithfulness", "retrieval_quality"])
def test_a_name_is_taken_once(name):
    """By another metric, or by those that the original knows; again by the same is no error."""
    register_metric("mine", ResponseTime)
    register_metric("mine", ResponseTime)
    with pytest.raises(ValueError, match=f"a metric named '{name}' already"):
        register_metric(name, AnswerWords)


def test_an_unknown_name_is_an_error_that_names_the_known():
    """Installed ones and registered ones."""
    register_metric("mine", ResponseTime)
    with pytest.raises(ConfigError, match=r"no metric named 'yours'; known: .*cost.*mine"):
        resolve_metrics(["yours"])


def test_what_is_no_metric_is_refused():
    """When it is registered, not when it is called."""
    with pytest.raises(TypeError, match="'mine' has none of the methods score, "):
        register_metric("mine", object())
    with pytest.raises(ValueError, match="under a name"):
        register_metric("", ResponseTime)


@pytest.mark.parametrize("metric", [AnswerWords, AnswerWords()])
def test_a_registered_metric_of_our_own_kind_runs_in_this_process(metric):
    """Named in the configuration like an installed one."""
    register_metric("answer_words", metric)
    scoring = parse_config({"scoring": {"metrics": ["answer_words"]}}).scoring
    assert "answer_words" in registry.names("metrics")
    (score,) = Engine(registry.load_metrics(scoring), []).score_view(VIEW, "s").scores
    assert score.value == 0.5


@pytest.mark.parametrize("metric", [ResponseTime, ResponseTime()])
def test_a_metric_with_agentunit_s_method_alone_is_refused_by_the_service(metric):
    """It names the methods that are missing."""
    register_metric("response_time", metric)
    scoring = parse_config({"scoring": {"metrics": ["response_time"]}}).scoring
    with pytest.raises(ConfigError, match="response_time has none of `score`, `combine`"):
        registry.load_metrics(scoring)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("AnswerLength", "answer_length"), ("HTTPLatency", "http_latency"), ("Top5Hits", "top5_hits")],
)
def test_a_class_name_becomes_the_name_of_a_metric(name, expected):
    """Words apart, in lower case."""
    assert registration.snake_case(name) == expected


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("pii_leakage", {"check_input": False, "check_output": True, "severity_weights": None}),
        ("privacy_budget", {"total_budget": 10.0, "warn_threshold": 0.8}),
        ("data_minimization", {"context_keys": None}),
        ("energy_consumption", {"threshold_kwh": 0.1, "sample_interval": 1.0}),
        ("carbon_emissions", {"threshold_kg": 0.05, "grid_intensity": 0.475}),
        (
            "resource_utilization",
            {"target_cpu_percent": 80, "target_memory_gb": 4, "target_gpu_percent": 80},
        ),
    ],
)
def test_options_have_the_names_and_the_defaults_of_agentunit(metric, options):
    """Configurations move over as they are."""
    parameters = signature(registry.load("metrics", metric)).parameters
    assert {name: parameters[name].default for name in options} == options


@pytest.mark.parametrize(
    ("name", "arguments", "methods"),
    [
        (
            "InteractionAnalyzer",
            ["interactions", "handoffs", "conflicts"],
            [
                "calculate_handoff_metrics",
                "calculate_conflict_metrics",
                "calculate_communication_efficiency",
                "calculate_load_balance",
            ],
        ),
        (
            "NetworkAnalyzer",
            ["adjacency", "agents"],
            [
                "calculate_density",
                "calculate_centralization",
                "find_hub_agents",
                "find_bottleneck_agents",
            ],
        ),
        (
            "EmergentBehaviorDetector",
            ["interactions", "agent_roles"],
            [
                "detect_self_organization",
                "detect_specialization",
                "detect_collective_decision_making",
                "detect_adaptation_rate",
                "calculate_swarm_intelligence",
            ],
        ),
        (
            "MultiAgentMetricsCalculator",
            ["interactions", "handoffs", "conflicts", "agent_roles"],
            [
                "calculate_coordination_metrics",
                "calculate_network_metrics",
                "calculate_emergent_behavior_metrics",
                "calculate_all",
            ],
        ),
    ],
)
def test_agentunit_s_classes_have_their_names(name, arguments, methods):
    """Importable from metrics.multiagent, with the same arguments and methods."""
    found = getattr(metrics.multiagent, name)
    assert list(signature(found).parameters) == arguments
    assert all(callable(getattr(found, method)) for method in methods)


def test_a_hub_has_seven_tenths_of_the_most_links_unless_told_otherwise():
    """The threshold is an argument with the original's default."""
    method = metrics.multiagent.NetworkAnalyzer.find_hub_agents
    assert signature(method).parameters["threshold"].default == 0.7


RESULTS = {
    "CoordinationMetrics": """
        handoff_success_rate avg_handoff_time conflict_rate conflict_resolution_rate
        avg_resolution_time communication_efficiency role_adherence load_balance_score
    """,
    "NetworkMetrics": """
        density centralization avg_path_length clustering_coefficient hub_agents
        bottleneck_agents
    """,
    "EmergentBehaviorMetrics": """
        self_organization_score specialization_emergence collective_decision_score
        adaptation_rate swarm_intelligence_score
    """,
}


@pytest.mark.parametrize(("name", "fields"), RESULTS.items())
def test_results_have_the_fields_of_agentunit(name, fields):
    """In the original's order."""
    assert list(signature(getattr(metrics.multiagent, name)).parameters) == fields.split()
