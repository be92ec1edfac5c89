import pytest

from scorer.cli.output import counted, number, output_name, say, shorten


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "-"),
        (0.0, "0"),
        (3, "3"),
        (12345, "12,345"),
        (12345.6, "12,346"),
        (9999.6, "10,000"),
        (0.123456, "0.1235"),
        (1.5e-7, "1.5e-07"),
        (1e300, "1e+300"),
    ],
)
def test_numbers_are_short_and_none_is_a_dash(value, expected):
    """About four significant digits; no value is never shown as 0."""
    assert number(value) == expected


def test_text_is_one_line_of_bounded_length():
    """White space is folded, the cut is marked."""
    assert shorten("a\n  b\tc") == "a b c"
    assert shorten("x" * 400, 10) == "x" * 9 + "…"


def test_control_characters_do_not_reach_the_terminal():
    """A span must not be able to drive the terminal of whoever looks at it."""
    assert shorten("a\x1b[31mb\x07c\u202ed") == "a�[31mb�c�d"


def test_counts_agree_with_their_noun():
    """One span, two spans."""
    assert [counted(n, "span") for n in (0, 1, 2000)] == ["0 spans", "1 span", "2,000 spans"]


def test_only_further_outputs_are_named():
    """The primary output goes by the metric's name."""
    assert output_name("cost", "value") == "cost"
    assert output_name("token_usage", "input") == "token_usage.input"


def test_a_line_on_stderr_cannot_drive_the_terminal(capsys):
    """Whatever it quotes, it stays one line of characters that print."""
    say("bad\x1b[31m\nfile")
    assert capsys.readouterr().err == "spanscore: bad�[31m file\n"
