import json

import pytest

from scorer.api import MetricSpec, OutputSpec, Threshold
from scorer.cli.main import main
from scorer.cli.metrics import needed, threshold, value_range
from scorer.testing import TraceBuilder


@pytest.mark.parametrize(
    ("limits", "expected"),
    [((0, 1), "0..1"), ((0, None), "0.."), (None, ".."), ((-1, 0.5), "-1..0.5")],
)
def test_a_range_shows_its_ends(limits, expected):
    """An open end is left out."""
    assert value_range(OutputSpec(range=limits)) == expected


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, "-"), (Threshold(min=0.7), "min 0.7"), (Threshold(min=0, max=2), "min 0, max 2")],
)
def test_a_threshold_shows_its_sides(limit, expected):
    """A bound of 0 is a bound."""
    spec = MetricSpec(name="m", kind="quality", description="", default_threshold=limit)
    assert threshold(spec) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "-"),
        ({"needs": ("answer", "contexts")}, "answer, contexts"),
        ({"needs": ("spending",), "inputs": "epsilon"}, "epsilon"),
    ],
)
def test_what_is_needed_is_said_in_words_where_there_are_some(fields, expected):
    """Else by the names of the facts."""
    assert needed(MetricSpec(name="m", kind="quality", description="", **fields)) == expected


@pytest.fixture
def stored(tmp_path):
    """Two agent traces and another: one of the two spends of a budget, neither has an answer."""
    bodies = []
    for number, told in enumerate(({"spanscore.privacy.epsilon": 1, "user.id": "ann"}, {}), 1):
        builder = TraceBuilder(number)
        builder.span("agent", **{"gen_ai.operation.name": "invoke_agent"}, **told)
        bodies.append(builder.request())
    other = TraceBuilder(9)
    other.span("GET /")
    path = tmp_path / "spans.pb"
    bodies.append(other.request())
    path.write_bytes(b"".join(len(body).to_bytes(4, "big") + body for body in bodies))
    return str(path)


def test_the_catalogue_says_where_a_metric_comes_from(capsys):
    """System, scope, cost, and what the original does otherwise, as in metrics/README.md."""
    assert main(["metrics", "--json"]) == 0
    rows = {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    budget = rows["privacy_budget"]
    assert (budget["system"], budget["scope"], budget["cost_class"]) == (
        "AgentUnit",
        "trace",
        "none",
    )
    assert budget["documented"].startswith("one account for all")
    assert budget["source"] == "metrics.privacy.privacy_budget:PrivacyBudget"
    assert "fed" not in budget


def test_it_lists_what_the_user_s_traces_can_feed(stored, capsys):
    """With the number of agent traces on which each is scored; the rest is left out."""
    assert main(["metrics", "--json", "--fed-by", stored]) == 0
    rows = {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert rows["latency"]["fed"] == {"traces": 2, "scored": 2}
    assert rows["privacy_budget"]["fed"] == {"traces": 2, "scored": 1}
    assert not {"faithfulness", "answer_correctness", "tool_success"} & rows.keys()


def test_the_table_says_how_many_cannot_run(stored, capsys):
    """And which command tells what they lack."""
    assert main(["metrics", "--fed-by", stored]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 2" in said
    assert "other metrics cannot run on any: `spanscore inspect SOURCE --coverage`" in said
    assert "faithfulness" not in said


def test_a_source_that_is_not_there_is_wrong_use(capsys):
    """As for any verb that reads files."""
    assert main(["metrics", "--fed-by", "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err
