from io import StringIO

from rich.console import Console

from scorer.cli.table import metrics_report
from scorer.scoring.statistics import MetricSummary


def text_of(*summaries, width=160):
    out = StringIO()
    console = Console(file=out, width=width)
    for part in metrics_report(summaries):
        console.print(part)
    return out.getvalue()


def summary(**fields):
    return MetricSummary(
        **{"metric": "cost", "output": "value", "unit": "USD", "direction": "lower"} | fields
    )


def test_values_and_reasons_are_shown():
    """Statistics stand in a row; why the rest has no value stands below."""
    text = text_of(summary(scored=2, mean=0.25, fails=1, unscored={"not_applicable/no_usage": 3}))
    assert "cost, USD" in text
    assert "0.25" in text
    assert "not_applicable/no_usage (3)" in text


def test_no_value_is_a_dash():
    """A metric that scored nothing shows no 0 as its mean."""
    cells = text_of(summary(unit="1")).splitlines()[2].split()
    assert cells == ["cost", "-", "0", "-", "-", "-", "-", "-", "0"]


def test_only_primary_outputs_have_a_row():
    """Further outputs are in the JSON summary, not in the table."""
    assert text_of(summary(output="total")) == "nothing was scored\n"


def test_numbers_are_whole_on_a_narrow_terminal():
    """Eighty columns are enough for the widest numbers."""
    wide = summary(
        metric="answer_correctness",
        methods=("lexical",),
        unit="1",
        scored=123_456,
        mean=0.123456,
        p50=0.123456,
        p95=0.123456,
        min=0.123456,
        max=0.123456,
        fails=12_345,
    )
    text = text_of(wide, width=80)
    assert "…" not in text
    assert text.count("0.123") == 5
