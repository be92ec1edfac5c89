"""Messages in an attribute that holds a list of events, as Logfire and Pydantic AI write them.

Each entry names its event (`event.name`), as a log record of the older OpenTelemetry
conventions would. The reply is the choice; where none is named so, it is what the assistant
said last.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scorer.dialects.messages import Content, read_message
from scorer.dialects.values import mapping
from scorer.model.agent_trace import Message, Role

_ROLES: dict[str, Role] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE = "gen_ai.choice"


class Exchange(NamedTuple):
    """What was said before a reply, and the reply."""

    inputs: tuple[Message, ...]
    outputs: tuple[Message, ...]


def read_event_list(value: Any, content: Content) -> Exchange:
    """Return the messages of a list of events, or of its JSON text."""
    items = content.load(value)
    inputs: list[Message] = []
    outputs: list[Message] = []
    for item in items if isinstance(items, list) else ():
        fields = mapping(item)
        name = fields.get("event.name")
        if name == _CHOICE:
            outputs.extend(read_message(fields, content, "assistant"))
        elif isinstance(name, str) and name in _ROLES:
            inputs.extend(_message(fields, _ROLES[name], content))
    return Exchange(tuple(inputs), tuple(outputs)) if outputs else split_reply(inputs)


def split_reply(messages: list[Message] | tuple[Message, ...]) -> Exchange:
    """Return the conversation before the last word of the assistant, and that word."""
    end = len(messages)
    while end and messages[end - 1].role == "assistant":
        end -= 1
    return Exchange(tuple(messages[:end]), tuple(messages[end:]))


def split_run(messages: tuple[Message, ...]) -> Exchange:
    """Return the conversation up to the last word of the user, and the run that followed."""
    spoken = [index for index, message in enumerate(messages) if message.role == "user"]
    end = spoken[-1] + 1 if spoken else 0
    return Exchange(messages[:end], messages[end:])


def _message(fields: Mapping[str, Any], role: Role, content: Content) -> tuple[Message, ...]:
    return read_message({"role": role, **fields}, content, role)
