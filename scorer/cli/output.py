"""How commands print: consoles, numbers, and text that came from outside."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_PIPED_WIDTH = 160


def make_console(*, stderr: bool = False) -> "Console":
    """Return a console; what goes to a pipe or file is plain text of a fixed width.

    Markup is off: what is printed may come from spans.
    """
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    return console


def print_all(parts: "Iterable[RenderableType]", *, stderr: bool = False) -> None:
    """Print parts on stdout (or stderr), one below the other."""
    console = make_console(stderr=stderr)
    for part in parts:
        console.print(part)


def number(value: float | None, digits: int = 4) -> str:
    """Return a value with about `digits` significant digits; "-" for None."""
    if value is None:
        return "-"
    if abs(value) >= 1e15:
        return f"{value:.{digits}g}"
    rounded = float(f"{value:.{digits}g}")
    is_whole = abs(rounded) >= 10**digits or rounded == int(rounded)
    return f"{value:,.0f}" if is_whole else f"{value:.{digits}g}"


def shorten(text: str, limit: int = 300) -> str:
    """Return the text on one line, cut at `limit` characters.

    Characters that do not print are replaced: a span must not be able to drive the terminal.
    """
    safe = printable(text[: 4 * limit])
    return safe if len(safe) <= limit else f"{safe[: limit - 1]}…"


def printable(text: str) -> str:
    """Return the text on one line, with characters that do not print replaced."""
    return "".join(char if char.isprintable() else "�" for char in " ".join(text.split()))


def say(text: str) -> None:
    """Print one line on stderr."""
    print(f"spanscore: {printable(text)}", file=sys.stderr, flush=True)


def output_name(metric: str, output: str) -> str:
    """Return the metric's name, followed by the output's when it is not the primary one."""
    return metric if output == "value" else f"{metric}.{output}"


def counted(count: int, noun: str) -> str:
    """Return `1 span`, `2 spans`."""
    return f"{number(count)} {noun}" + ("" if count == 1 else "s")
