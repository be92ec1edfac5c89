"""The documented mode against vectors that were made by running AgentUnit itself.

The vectors lie in the folder that SPANSCORE_GOLDEN names, else in `../shared/golden`. Their
format: {"$float": ...} encodes non-finite numbers, {"raises": T} an exception, a text
`code:...` stands for a free text of the original, and `_plain`, `_dict`, `_kind` say what kind
of object the original got.
"""

import builtins
import json
import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from metrics.agentunit import MetricResult, TraceLog
from metrics.multiagent import MultiAgentMetricsCalculator, NetworkAnalyzer
from scorer.api import Embeddings, EmbedFrames

FOLDER = Path(
    os.environ.get("SPANSCORE_GOLDEN", Path(__file__).parents[2].parent / "shared" / "golden")
)
CATALOGUE = {point.name: point for point in entry_points(group="spanscore.metrics")}
TEST_KEYS = ("ragas", "label", "stateful", "call_index", "children", "child_names", "total_frames")


def vectors():
    """Every AgentUnit vector of the folder, with a readable id."""
    found = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            vector = json.loads(line, object_hook=_decode_float)
            if vector.get("system") == "agentunit":
                name = f"{path.stem}-{number}-{vector['metric']}"
                found.append(pytest.param(vector, id=name))
    return found or [pytest.param(None, id="none")]


def _decode_float(value):
    return float(value["$float"]) if "$float" in value else value


@pytest.mark.parametrize("vector", vectors())
def test_documented_mode_computes_what_the_original_computed(vector):
    """In documented mode `evaluate` gives the value and the detail that AgentUnit gave."""
    if vector is None:
        pytest.skip(f"no AgentUnit vectors in {FOLDER}")
    if vector["metric"] in CLASSES:
        value, detail = CLASSES[vector["metric"]](vector["input"])
        assert_same(value, vector["expected"]["value"], "value")
        assert_same(detail, vector["expected"]["detail"], "detail")
        return
    name = vector["metric"]
    assert name in CATALOGUE, f"no metric is named {name}: its vectors cannot be checked"
    inference = injected(vector["config"])
    metric = build(vector["metric"], vector["config"], inference)
    arguments = inputs(vector["input"])
    if vector["config"].get("stateful"):
        metric.evaluate(*earlier_calls(vector))
    expected = vector["expected"]["value"]
    if isinstance(expected, Mapping):
        with pytest.raises(getattr(builtins, expected["raises"])):
            metric.evaluate(*arguments)
        return
    result = metric.evaluate(*arguments)
    assert_same(result.value, expected, "value")
    detail = result.detail | ({"_frame_indices_requested": inference.frames} if inference else {})
    assert_same(detail, vector["expected"]["detail"], "detail")


def test_every_metric_of_agentunit_has_vectors():
    """Of each metric that AgentUnit has, a vector is there; how many is told after the run."""
    if "SPANSCORE_GOLDEN" in os.environ:
        pytest.skip("vectors of somebody else may be of any metrics")
    counts = Counter(case.values[0]["metric"] for case in vectors() if case.values[0] is not None)
    if not counts:
        pytest.skip(f"no AgentUnit vectors in {FOLDER}")
    points = CATALOGUE.values()
    shared = {p.name for p in points if hasattr(p.load(), "evaluate") and is_own(p)}
    assert shared <= counts.keys()


def is_own(point):
    return point.dist is not None and point.dist.name == "spanscore"


def earlier_calls(vector):
    """Inputs that spend what the calls before this one on the same object spent.

    Not all of them are in the file; together they spent the total without this call's share.
    """
    detail = vector["expected"]["detail"]
    spent = detail["total_spent"] - max(0.0, detail["epsilon_used"])
    event = {"type": "privacy_usage", "payload": {"privacy_epsilon": spent}}
    return inputs({"trace": {"_plain": True, "events": [event]}})


def calculated(given):
    """The value and the detail that the calculator gives."""
    log = given["trace"]
    result = MultiAgentMetricsCalculator(
        log["interactions"], log["handoffs"], log["conflicts"], log["agent_roles"]
    ).calculate_all()
    return result["fault_tolerance"], result


def analyzed(given):
    """The value and the detail that the analyzer of networks gives."""
    network = NetworkAnalyzer(given["adjacency"], given["agents"])
    detail = {
        "density": network.calculate_density(),
        "centralization": network.calculate_centralization(),
        "clustering": network.calculate_clustering(),
        "hub_agents": network.find_hub_agents(),
        "hub_agents_at_0.5": network.find_hub_agents(threshold=0.5),
        "bottleneck_agents": network.find_bottleneck_agents(),
        "fault_tolerance": network.calculate_fault_tolerance(),
    }
    return network.calculate_fault_tolerance(), detail


# What is no metric, but a class of the original that users call themselves.
CLASSES = {"multi_agent_calculator": calculated, "network_analyzer": analyzed}


def build(name, config, inference=None):
    """The metric in documented mode, with the options and the injections of the vector."""
    if name == "composite":
        return composite(config)
    options = {
        key: value
        for key, value in config.items()
        if key not in TEST_KEYS and not key.startswith("injected_")
    }
    if config.get("ragas"):
        options["ragas"] = ragas(config)
    if inference is not None:
        options["inference"] = inference
    return CATALOGUE[name].load()(mode="documented", **options)


class Injected:
    """An inference for which what is embedded last has the given cosines with what is before it."""

    def __init__(self, cosines, total_frames):
        self.frames = []
        self._cosines = cosines
        self._total = total_frames

    def embed(self, requests):
        *said, shown = requests
        if isinstance(shown, EmbedFrames):
            self.frames = list(shown.indexes(self._total))
            assert len(self.frames) >= len(self._cosines)
        # A frame without a cosine (None, or none at all) is one that cannot be decoded.
        read = [cosine for cosine in self._cosines if cosine is not None]
        vectors = tuple([(cosine, math.sqrt(1 - cosine**2)) for cosine in read])
        return [*[Embeddings(((1.0, 0.0),))] * len(said), Embeddings(vectors, tuple(self.frames))]

    def describe(self, requests):
        raise AssertionError("no metric of AgentUnit asks for words")


def injected(config):
    """What a vector gives in the place of an embedding model, None where it gives nothing."""
    for key in ("injected_similarity", "injected_cosine"):
        if key in config:
            return Injected([config[key]], 0)
    if "injected_similarities" in config:
        return Injected(config["injected_similarities"], config["total_frames"])
    return None


def composite(config):
    names = config.get("child_names") or [f"m{i}" for i in range(len(config["children"]))]
    children = [
        build(child, {}) if isinstance(child, str) else Constant(name, child)
        for name, child in zip(names, config["children"], strict=True)
    ]
    return CATALOGUE["composite"].load()(mode="documented", metrics=children)


class Constant:
    """A child metric with a given value."""

    def __init__(self, name, value):
        self.name = name
        self.value = value

    def evaluate(self, case, trace, outcome):
        return MetricResult(self.name, self.value, {"v": self.value})


def ragas(config):
    def call(answer, references):
        if config.get("injected_scorer_raises"):
            raise RuntimeError("injected")
        return config["injected_scorer_returns"]

    return call


def inputs(given):
    """The (case, trace, outcome) objects that a vector describes."""
    return case(given.get("case", {})), trace(given.get("trace", {})), outcome(given.get("outcome"))


def case(given):
    defaults = {"id": "c", "query": None, "expected_output": None, "tools": [], "context": None}
    return SimpleNamespace(**{"metadata": {}, **defaults, **given})


def trace(given):
    attributes = {key: value for key, value in given.items() if not key.startswith("_")}
    if isinstance(given.get("_dict"), Mapping):
        return dict(given["_dict"])
    if given.get("_dict"):
        return attributes
    if "events" in attributes:
        attributes["events"] = [SimpleNamespace(**event) for event in attributes["events"]]
    if given.get("_plain"):
        # The stock trace object holds events only.
        return SimpleNamespace(
            events=attributes.get("events", []),
            last_response=lambda: TraceLog(attributes.get("events", [])).last_response(),
        )
    return SimpleNamespace(**attributes)


def outcome(given):
    if not isinstance(given, Mapping) or "_kind" not in given:
        return given
    attributes = {
        key: outcome(value) if isinstance(value, Mapping) and "_kind" in value else value
        for key, value in given.items()
        if key != "_kind"
    }
    if given["_kind"] == "adapter":
        return AdapterOutcome(**attributes)
    return SimpleNamespace(**attributes)


@dataclass
class AdapterOutcome:
    """The stock outcome: its string form, which the multimodal metrics read, lists its fields."""

    success: bool
    output: Any
    tool_calls: list[Any] = field(default_factory=list)
    metrics: Any = None
    error: Any = None


def assert_same(actual, expected, where):
    """Floats agree to 1e-9; of a map the expected keys count; `code:` asserts presence."""
    if isinstance(expected, Mapping):
        for key, item in expected.items():
            assert key in actual, f"{where}.{key} is missing"
            assert_same(actual[key], item, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), where
        for index, item in enumerate(expected):
            assert_same(actual[index], item, f"{where}[{index}]")
    elif isinstance(expected, str) and expected.startswith("code:"):
        assert actual, where
    elif isinstance(expected, float) and math.isnan(expected):
        assert math.isnan(actual), where
    elif isinstance(expected, bool) or not isinstance(expected, int | float):
        assert actual == expected, where
    else:
        assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12), where
