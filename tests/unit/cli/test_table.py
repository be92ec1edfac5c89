from io import StringIO

from rich.console import Console

from scorer.cli.table import metrics_table
from scorer.scoring.statistics import MetricSummary


def text_of(*summaries):
    out = StringIO()
    Console(file=out, width=160).print(metrics_table(summaries))
    return out.getvalue()


def summary(**fields):
    return MetricSummary(
        **{"metric": "cost", "output": "value", "unit": "USD", "direction": "lower"} | fields
    )


def test_a_row_shows_values_and_why_the_rest_is_missing():
    """Statistics and reasons stand in one row."""
    row = text_of(summary(scored=2, mean=0.25, fails=1, unscored={"not_applicable/no_usage": 3}))
    assert "cost" in row
    assert "0.25" in row
    assert "not_applicable/no_usage (3)" in row


def test_no_value_is_a_dash():
    """A metric that scored nothing shows no 0 as its mean."""
    cells = text_of(summary()).splitlines()[-2].split()
    assert cells == ["cost", "USD", "-", "0", "-", "-", "-", "-", "-", "0", "-"]


def test_only_primary_outputs_have_a_row():
    """Further outputs are in the JSON summary, not in the table."""
    assert "cost" not in text_of(summary(output="total"))
