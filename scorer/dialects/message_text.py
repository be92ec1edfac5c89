"""A message object as the text that `str()` makes of it: `content='words' ... id='1'`.

LangChain's messages do not name their role there; it shows in the fields that a role has.
AutoGen's name who speaks.
"""

from collections.abc import Mapping
from typing import Any

from scorer.dialects.python_repr import fields_in

_MARKS = ("additional_kwargs=", "tool_call_id=", "source=")


def message_fields(value: str) -> dict[str, Any] | None:
    """Return the fields of the message, with its role; None when the text is no message."""
    if "content=" not in value or not any(mark in value for mark in _MARKS):
        return None
    fields = fields_in(value)
    if fields is None or "content" not in fields:
        return None
    return {"role": _role(fields), **fields}


def _role(fields: Mapping[str, Any]) -> str:
    if "source" in fields:
        return "user" if fields["source"] == "user" else "assistant"
    if fields.get("tool_call_id"):
        return "tool"
    answers = fields.get("response_metadata") or fields.get("usage_metadata")
    return "assistant" if answers or "tool_calls" in fields else "user"
