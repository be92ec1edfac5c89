"""What the README says is what the code does."""

import argparse
import importlib.util
import re
import textwrap
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from scorer.api import AgentTrace, TraceMetric
from scorer.cli.main import build_parser
from scorer.dialects.about import ABOUT
from scorer.scoring.readings.identity import ATTRIBUTES
from scorer.scoring.readings.names import HOST_CPU, WANTED

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def load_tables():
    spec = importlib.util.spec_from_file_location("tables", Path(__file__).with_name("tables.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["README.md", "metrics/README.md"])
def test_the_tables_are_fresh(page):
    """Keys, series and metrics on a page are those of the code."""
    expected = load_tables().generated(ROOT / page)
    assert expected == (ROOT / page).read_text(), "run: python tests/meta/tables.py --write"


def test_every_metric_says_what_its_modes_are():
    """One that reproduces another system says which, and what that does otherwise."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    for name, value in points["spanscore.metrics"].items():
        metric = EntryPoint(name, value, "").load()
        assert (
            bool(metric.spec.documented) == bool(metric.spec.system) == hasattr(metric, "evaluate")
        ), name


def test_every_otlp_metric_that_is_read_is_told():
    """What nobody knows of is exported by nobody."""
    told = (ROOT / "metrics" / "README.md").read_text()
    sent = [name for name in WANTED if name != HOST_CPU]
    assert [name for name in sent if f"`{name}`" not in told] == []
    assert [name for name in ATTRIBUTES if f"`{name}`" not in told] == []


def test_every_dialect_is_in_the_table():
    """One that is registered but not described would be found by nobody."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    registered = set(points["spanscore.dialects"])
    assert set(ABOUT) == registered, "describe it in scorer/dialects/about.py"
    assert f" {len(registered)} dialects " in README


def test_the_drawing_counts_the_metrics():
    """As it counts the dialects."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert f" {len(points['spanscore.metrics'])} metrics " in README


@pytest.mark.parametrize("folder", ["scorer", "metrics"])
def test_every_part_of_a_folder_stands_in_the_house(folder):
    """Who opens the folder finds each name in the drawing."""
    house = re.search(r"## The house\n\n```\n(.*?)```", README, re.DOTALL)[1]
    parts = [
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / folder).iterdir()
        if path.is_dir() or path.suffix == ".py"
    ]
    told = {word.rstrip(":") for word in house.split()}
    left_out = {"__init__.py", "__main__.py", "__pycache__/", "agentunit.py"}
    assert sorted({*parts} - told - left_out) == []


def test_the_first_screen_has_the_two_commands():
    """Run and test, each one line that does all the set-up."""
    first_screen = README[: README.index("## ")]
    assert "pip install . && spanscore serve --demo" in first_screen
    assert "pip install '.[test]' && pytest" in first_screen


def test_ci_calls_the_test_command_of_the_readme():
    """CI and README cannot drift apart."""
    script = (ROOT / ".ci" / "run").read_text()
    assert "pip install --quiet '.[test]'" in script
    assert "\npytest\n" in script


def test_every_verb_is_in_the_table_and_every_row_is_a_verb():
    """The command table lists exactly what the parser knows."""
    documented = set(re.findall(r"^\| `spanscore ([a-z-]+)", README, re.MULTILINE))
    (verbs,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    assert documented == set(verbs.choices)


@pytest.mark.parametrize("page", ["README.md", "metrics/README.md"])
def test_links_lead_somewhere(page):
    """Relative links name files that exist."""
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target


def test_the_example_metric_works():
    """The class in metrics/README.md is a metric, as it stands there."""
    (block,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "metrics/README.md").read_text(), re.DOTALL
    )
    names = {}
    exec(textwrap.dedent(block), names)
    metric = names["AnswerLength"](mode="beyond")
    assert isinstance(metric, TraceMetric)
    assert metric.score(AgentTrace(trace_id="t", answer="one two")).values == {"value": 2.0}
    assert metric.score(AgentTrace(trace_id="t")).reason == "no_answer"
