"""Ids that a framework made up for one run, which tie no runs to a session.

Pydantic AI gives every run a conversation id of its own unless it is told one; it makes it
together with the id of the agent's call. Both are version 7 UUIDs, which begin with the time at
which they were made.
"""

from typing import Any

_TOGETHER_MS = 20


def made_with_call(conversation: Any, call: Any) -> bool:
    """Tell whether a conversation id was made at the same moment as the id of a call."""
    made, called = _made_ms(conversation), _made_ms(call)
    return made is not None and called is not None and abs(made - called) <= _TOGETHER_MS


def _made_ms(value: Any) -> int | None:
    """Return when a version 7 UUID was made, in Unix milliseconds; None for any other value."""
    if not isinstance(value, str) or len(value) != 36 or value[14] != "7":
        return None
    try:
        return int(value[:8] + value[9:13], 16)
    except ValueError:
        return None
