"""Every registered metric keeps the promises of `scorer.api`."""

import json
from inspect import signature

import pytest

from scorer import registry
from scorer.api import (
    AccountMetric,
    Agent,
    AgentTrace,
    Balance,
    Completeness,
    Conflict,
    Document,
    ErrorInfo,
    Interaction,
    LlmCall,
    Measurement,
    Media,
    Message,
    Reference,
    Resources,
    ScoreMetric,
    Spending,
    ToolCall,
    TraceMetric,
    Unscored,
    Usage,
)
from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.scoring.engine import Engine
from scorer.scoring.results import Subject, scores_of
from scorer.testing import FakeInference

NAMES = registry.names("metrics")
ASKING = [
    name for name in NAMES if "inference" in signature(registry.load("metrics", name)).parameters
]

# An extra that is not installed, a process that does not run: a setting, not the trace.
NEEDED_ELSEWHERE = {"embedder_not_installed", "sidecar_unavailable"}

EMPTY = AgentTrace(trace_id="0" * 31 + "1")
FULL = AgentTrace(
    trace_id="0" * 31 + "2",
    service="shop",
    agent="helper",
    question="How long is the warranty?",
    answer="The warranty is two years. Write to ann@example.org.",
    messages=(
        Message("user", "How long is the warranty?"),
        Message("assistant", "The warranty is two years. Write to ann@example.org."),
    ),
    contexts=(Document("The kettle has two years of warranty.", "d1", 0.9, 0),),
    reference=Reference(
        answer="Two years", caption="A kettle on a table.", transcript="The warranty is two years."
    ),
    tool_calls=(ToolCall(name="look_up", status="success", result="found", arguments={"q": "x"}),),
    llm_calls=(LlmCall(span_id="a", model="gpt-4o-mini", usage=Usage(10, 5, 15)),),
    models=("gpt-4o-mini",),
    usage=Usage(10, 5, 15),
    agents=(Agent("helper", can_delegate=True), Agent("clerk", authority_level=3.0)),
    interactions=(
        Interaction(source="helper", targets=("clerk",), type="delegation", success=True),
        Interaction(source="clerk", targets=("helper",), type="response", response_s=2.0),
    ),
    conflicts=(Conflict(agents=("helper", "clerk"), resolved=False),),
    consent={"email": False, "location": True},
    sensitive={"email": "ann@example.org", "phone": "+1 212 555 0123"},
    resources=Resources(energy_kwh=0.4, cpu_percent=50.0),
    spending=(Spending(span_id="a", epsilon=0.1, delta=1e-9, principal="ann@example.org"),),
    media=(
        Media("image", "kettle.png"),
        Media("audio", "call.wav"),
        Media("video", "kettle.mp4"),
        Media("document", "warranty.pdf"),
    ),
    errors=(ErrorInfo("b", "ValueError", "it broke"),),
    start_ns=1_700_000_000_000_000_000,
    end_ns=1_700_000_003_000_000_000,
    completeness=Completeness(span_count=4, root_present=True),
)


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture(params=["beyond", "documented"])
def loaded(request, name):
    item = {"name": name, "mode": request.param}
    (metric,) = registry.load_metrics(parse_config({"scoring": {"metrics": [item]}}).scoring)
    return metric


@pytest.fixture
def beyond(name):
    (metric,) = registry.load_metrics(parse_config({"scoring": {"metrics": [name]}}).scoring)
    return metric


@pytest.fixture(params=ASKING)
def served(request):
    """A metric that asks for models, with models at hand."""
    inference = FakeInference(
        cosines={"kettle.png": 0.2, "call.wav": 0.1}, films={"kettle.mp4": [0.1, 0.3, 0.2]}
    )
    return registry.load("metrics", request.param)(inference=inference)


def run(loaded, trace):
    if isinstance(loaded.metric, ScoreMetric):
        return loaded.metric.combine(trace, ())
    if isinstance(loaded.metric, AccountMetric):
        found = loaded.metric.entries(trace)
        return found if isinstance(found, Unscored) else measured(loaded.metric, found)
    return loaded.metric.score(trace)


def measured(metric, found):
    """Measure as if nothing had been booked before."""
    added = {entry.account: entry.amounts for entry in found.entries}
    balances = [Balance(account, amounts, amounts) for account, amounts in added.items()]
    return metric.measure(balances, found.detail)


def test_it_is_registered_under_its_own_name(name, loaded):
    """Entry point, spec and scores use one name."""
    assert loaded.spec.name == name


def test_it_is_one_of_the_protocols(loaded):
    """It measures a trace, combines scores, or books what a trace adds to accounts."""
    protocols = TraceMetric, ScoreMetric, AccountMetric
    assert sum(isinstance(loaded.metric, protocol) for protocol in protocols) == 1


def test_its_declaration_is_complete(loaded):
    """A description, a version, a method; the first output is the primary one."""
    spec = loaded.spec
    assert spec.description.endswith(".")
    assert spec.version
    assert spec.methods
    assert spec.outputs[0].name == "value"
    assert len({output.name for output in spec.outputs}) == len(spec.outputs)


def test_a_default_threshold_has_a_reason_and_fits_the_direction(loaded):
    """Lower-is-better fails above a maximum, higher-is-better below a minimum."""
    spec = loaded.spec
    if spec.default_threshold is not None:
        assert spec.threshold_reason
        bound = {"higher": "min", "lower": "max"}[spec.outputs[0].direction]
        assert getattr(spec.default_threshold, bound) is not None


def test_its_result_is_a_valid_score_or_a_reason(loaded):
    """On a full trace: finite, declared, in range, JSON-ready, the same twice."""
    result, again = run(loaded, FULL), run(loaded, FULL)
    assert isinstance(result, Measurement | Unscored)
    assert result == again
    subject = Subject(id="s", trace=FULL, event_time=None)
    for score in scores_of(loaded, subject, result):
        lacks = score.status == "skipped" and score.reason in NEEDED_ELSEWHERE
        assert lacks or score.status in {"scored", "missing", "not_applicable"}, score
        json.dumps(score.detail)
        low, high = score.range or (None, None)
        if score.value is not None and loaded.mode == "beyond":
            assert low is None or score.value >= low
            assert high is None or score.value <= high
        assert score.method in loaded.spec.methods


def test_with_models_it_measures_a_full_trace(served):
    """What waits for the sidecar gives valid scores once that is served."""
    result = served.score(FULL)
    assert isinstance(result, Measurement)
    assert result.method in served.spec.methods
    for output in served.spec.outputs:
        low, high = output.range or (None, None)
        assert low is None or result.values.get(output.name, low) >= low
        assert high is None or result.values.get(output.name, high) <= high
    json.dumps(result.detail)


@pytest.mark.parametrize("name", ASKING)
def test_an_inference_is_no_option(name):
    """A configuration cannot put something else in its place."""
    item = {"name": name, "options": {"inference": "localhost:50061"}}
    with pytest.raises(ConfigError, match="unknown option 'inference'"):
        registry.load_metrics(parse_config({"scoring": {"metrics": [item]}}).scoring)


def test_an_empty_trace_is_never_scored_as_good_or_bad(beyond):
    """With nothing captured there is no value, only a reason."""
    scored = Engine([beyond], []).score_view(EMPTY, "s")
    assert [score.value for score in scored.scores] == [None]
    assert scored.scores[0].status == "not_applicable"
    assert scored.scores[0].reason


@pytest.mark.parametrize("kind", ["privacy"])
@pytest.mark.parametrize("mode", ["beyond", "documented"])
def test_a_personal_value_never_leaves_through_a_privacy_score(kind, mode):
    """What such a metric explains must not quote what it found."""
    metrics = registry.load_metrics(parse_config({"scoring": {"metrics": [kind]}}).scoring)
    names = [metric.spec.name for metric in metrics]
    chosen = [{"name": name, "mode": mode} for name in names]
    for loaded in registry.load_metrics(parse_config({"scoring": {"metrics": chosen}}).scoring):
        assert "ann@example.org" not in repr(run(loaded, FULL))
