"""A conversation as plain text, `role: words` for each message, as older OpenLIT writes it."""

import re

from scorer.dialects.messages import Content, read_messages
from scorer.dialects.payload import parse_arguments
from scorer.model.agent_trace import Message

_SPEAKER = re.compile(r"^(system|developer|user|human|assistant|ai|tool): ", re.MULTILINE)
_LIMIT = 1_000  # messages


def read_transcript(text: str, content: Content) -> tuple[Message, ...] | None:
    """Return the messages of a transcript, None for any other text."""
    if _SPEAKER.match(text) is None:
        return None
    pieces = _SPEAKER.split(text, _LIMIT)[1:]
    found: list[Message] = []
    for role, words in zip(pieces[::2], pieces[1::2], strict=True):
        found.extend(_message(role, words.removesuffix("\n"), content))
    return tuple(found)


def _message(role: str, words: str, content: Content) -> tuple[Message, ...]:
    if words.startswith("[{"):  # the history, as the repr of a list
        history = parse_arguments(words).value
        if isinstance(history, list):
            return read_messages(history, content) or ()
    return read_messages([{"role": role, "content": words}], content) or ()
