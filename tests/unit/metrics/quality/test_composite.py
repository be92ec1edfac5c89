import pytest

from metrics.agentunit import MetricResult
from metrics.quality.composite import Composite
from scorer.api import AgentTrace, Score, Unscored

TRACE = AgentTrace(trace_id="t")


def score(metric, value, **more):
    fields = {"status": "scored", "range": (0.0, 1.0), "kind": "quality", **more}
    return Score(id=metric, metric=metric, value=value, subject="t", **fields)


def combine(scores, **options):
    return Composite(**options).combine(TRACE, scores)


def test_children_count_by_direction():
    """Mean of 0.8 and of 1 - 0.4 (lower is better) = 0.7."""
    result = combine([score("a", 0.8), score("b", 0.4, direction="lower")])
    assert result.values["value"] == pytest.approx(0.7)
    assert result.detail["children"]["b"] == {"value": pytest.approx(0.6), "weight": 1.0}


def test_children_count_by_weight():
    """(3 * 1.0 + 1 * 0.2) / 4 = 0.8."""
    result = combine([score("a", 1.0), score("b", 0.2)], weights={"a": 3})
    assert result.values["value"] == pytest.approx(0.8)


def test_named_children_are_mapped_by_their_range():
    """4 on a scale of 1 to 5 is 0.75."""
    result = combine([score("a", 4.0, range=(1.0, 5.0)), score("b", 0.0)], children=["a"])
    assert result.values["value"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    "other",
    [
        score("cost", 12.0, range=(0.0, None), kind="operational"),
        score("composite", 0.0),
        score("a", 0.0, output="count"),
        score("x", 0.0, scope="span"),
        score("y", 0.0, kind="multimodal"),
        score("z", None, status="failed", reason="timeout"),
        score("w", None, status="not_applicable", reason="no_contexts"),
    ],
)
def test_what_is_no_child_changes_nothing(other):
    """Unbounded, own, secondary, span-scope, foreign, failed, missing scores are left out."""
    result = combine([score("a", 0.5), other])
    assert result.values["value"] == 0.5
    assert result.detail["failed"] == (["z"] if other.metric == "z" else [])


def test_a_complement_counts_once():
    """Faithfulness .4 and its complement .6 (lower is better, so .4 too) are one child of .4."""
    pair = [
        score("faithfulness", 0.4),
        score("hallucination_rate", 0.6, direction="lower"),
        score("a", 1.0),
    ]
    result = combine(pair)
    assert result.values["value"] == pytest.approx(0.7)
    assert set(result.detail["children"]) == {"faithfulness", "a"}
    assert combine(pair[1:]).values["value"] == pytest.approx(0.7)
    named = combine(pair, children=["faithfulness", "hallucination_rate", "a"])
    assert named.values["value"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("values", "explanation"),
    [
        ([1.0, 1.0], "2 scores, all 1"),
        ([0.5], "1 score, which is 0.5"),
        ([1.0, 0.25], "2 scores; the lowest is b (0.25)"),
        ([1.0, 0.5, 0.5], "3 scores; the lowest are b, c (0.5)"),
    ],
)
def test_the_lowest_are_named_where_there_is_a_lowest(values, explanation):
    """Equal scores have none."""
    scores = [score(name, value) for name, value in zip("abc", values, strict=False)]
    assert combine(scores).explanation == explanation


def test_no_usable_child_is_not_applicable():
    """Without any child there is no value, above all no 0."""
    assert combine([]).reason == "no_usable_child"
    assert combine([score("a", 0.5)], weights={"a": 0}).status == "not_applicable"


def test_require_all_needs_every_named_child():
    """A missing or failed child leaves no value."""
    scores = [score("a", 0.5), score("b", None, status="failed")]
    assert combine(scores, require_all=True).reason == "child_missing"
    assert combine(scores, children=["a", "c"], require_all=True).detail == {"children": ["c"]}
    assert combine(scores, children=["a"], require_all=True).values["value"] == 0.5


def test_an_unbounded_child_is_refused_when_named():
    """An installed metric is refused at once, an unknown one with its first score."""
    with pytest.raises(ValueError, match="cost"):
        Composite(children=["cost"])
    with pytest.raises(ValueError, match="privacy_budget: it is scored after all others"):
        Composite(children=["privacy_budget"])
    result = combine([score("mine", 3.0, range=None)], children=["mine"])
    assert result == Unscored("unbounded_child", status="failed", detail={"children": ["mine"]})


def test_negative_weights_are_refused():
    """A weight is a number of at least 0."""
    with pytest.raises(ValueError, match=r"weights\.a"):
        Composite(weights={"a": -1})


def test_a_weight_is_of_a_child_and_no_composite_is_a_part_of_itself():
    """Else a misspelt name would change nothing, and `[composite]` would mean all."""
    with pytest.raises(ValueError, match=r"weights\.b: it is none of the children"):
        Composite(children=["a"], weights={"b": 2})
    with pytest.raises(ValueError, match="cannot be a part of itself"):
        Composite(children=["composite"])


def test_documented_is_the_plain_mean_and_zero_without_values():
    """Values as they are, whatever their direction; none gives 0; a failed child fails all."""
    scores = [
        score("a", 1.0),
        score("b", 0.5, direction="lower"),
        score("c", None, status="skipped"),
    ]
    assert combine(scores, mode="documented").values == {"value": 0.75}
    assert combine([], mode="documented").values == {"value": 0.0}
    failed = combine([score("a", None, status="failed")], mode="documented")
    assert failed.status == "failed"


def test_evaluate_runs_the_given_metrics():
    """An AgentUnit composite averages what its own metrics return."""

    class Half:
        name = "half"

        def evaluate(self, case, trace, outcome):
            return MetricResult("half", 0.5, {"seen": case})

    result = Composite(mode="documented", metrics=[Half()]).evaluate("case", None, None)
    assert (result.value, result.detail) == (0.5, {"half": {"seen": "case"}})
