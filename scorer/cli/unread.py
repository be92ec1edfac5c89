"""What of the input was not read: the same block for every command that reads stored spans."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from scorer.cli.output import counted, shorten

_SHOWN = 10


def unread(count: int, problems: Sequence[str], skipped: Sequence[str]) -> Iterator[Text]:
    """Return lines about problems (`count` in all, the first as texts) and skipped files."""
    if count:
        parts = f"{counted(count, 'part')} of the input could not be read:"
        yield Text(parts, style="yellow")
        shown = problems[:_SHOWN]
        yield from (Text(f"  {shorten(problem)}") for problem in shown)
        if count > len(shown):
            yield Text(f"  … and {count - len(shown)} more")
    if skipped:
        names = ", ".join(shorten(name, 120) for name in skipped[:_SHOWN])
        more = f" … and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
        were = "was" if len(skipped) == 1 else "were"
        yield Text(f"{counted(len(skipped), 'file')} without OTLP {were} skipped: {names}{more}")
