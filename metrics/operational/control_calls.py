"""Tool calls by which a model steers the run: they use no tool.

Frameworks hand over to another agent, and end a run, through calls that look like any other.
Handing over shows in the name (`transfer_to_*`, `handoff_*`, "Delegate work to coworker"), but
so may a bank transfer: the call must also name an agent, one to which the trace hands over, or
by a word such as "agent".
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from scorer.api import Handoff, ToolCall

_ENDS = frozenset({"final_answer", "final_result", "finish", "submit_answer"})
_HANDING_OVER = re.compile(
    r"(?:transfer|hand_?off|delegate)(?:[_ ](?:task|work|control))?(?:[_ ]?to)?[_ ]?(.{0,120})",
    re.IGNORECASE,
)
_NAMES_AGENT = re.compile(r"(?:agent|assistant|coworker)s?\Z", re.IGNORECASE)
_MAX_NAME = 200
_MAX_ARGUMENTS = 20
_NO_LETTERS = re.compile(r"[^0-9a-z]+")


def is_control(call: ToolCall, handoffs: Sequence[Handoff]) -> bool:
    """Whether the call hands over to an agent or gives the final answer."""
    if call.name in _ENDS:
        return True
    named = _named(call.name[:_MAX_NAME])
    if named is None:
        return False
    if _NAMES_AGENT.search(named):
        return True
    targets = {_key(handoff.target) for handoff in handoffs if handoff.target}
    return any(_key(name) in targets for name in (named, *_texts(call.arguments)))


@lru_cache(maxsize=1024)
def _named(tool: str) -> str | None:
    """Return what the name of a tool says that the run is handed over to, None if nothing."""
    match = _HANDING_OVER.fullmatch(tool)
    return match.group(1) if match else None


def _texts(arguments: Any) -> Iterator[str]:
    if isinstance(arguments, dict):
        for value in list(arguments.values())[:_MAX_ARGUMENTS]:
            if isinstance(value, str):
                yield value


def _key(name: str) -> str:
    return _NO_LETTERS.sub("_", name[:_MAX_NAME].lower()).strip("_")
