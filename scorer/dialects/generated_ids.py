"""Ids that a framework made up for one run, which tie no runs to a session.

Pydantic AI gives every run a conversation id of its own unless it is told one; it makes it
together with the id of the run. Both are version 7 UUIDs, which begin with the time at
which they were made.
"""

_TOGETHER_MS = 20


def made_together(session: str | None, run: str | None) -> bool:
    """Tell whether a session id was made at the same moment as the id of the run."""
    if session is None or run is None:
        return False
    made, started = _made_ms(session), _made_ms(run)
    return made is not None and started is not None and abs(made - started) <= _TOGETHER_MS


def _made_ms(value: str) -> int | None:
    """Return when a version 7 UUID was made, in Unix milliseconds; None for any other value."""
    if len(value) != 36 or value[14] != "7":
        return None
    try:
        return int(value[:8] + value[9:13], 16)
    except ValueError:
        return None
