"""LiteLLM: the raw call to a provider (`raw_gen_ai_request`), in keys named after the provider.

The values are Python reprs. Where a call runs inside a span of the application, LiteLLM writes
its standard keys onto that span, so that only one call survives there; the raw spans below it
keep them all.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scorer.dialects.messages import Content
from scorer.dialects.observation import recorded_messages
from scorer.dialects.payload import parse_arguments
from scorer.dialects.recorded_usage import usage_in
from scorer.dialects.tool_definitions import read_definitions
from scorer.dialects.values import identifier, text
from scorer.model.agent_trace import Usage
from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts

_PREFIX = "llm."
# Providers that count cached tokens beside the input, not in it.
_EXCLUSIVE = frozenset({"anthropic", "bedrock"})
_RAW = re.compile(r"llm\.[\w-]{1,60}\.(?:messages|choices|contents|candidates)")
_KEY = re.compile(r"llm\.([\w-]{1,60})\.(\w{1,60})")
_INPUTS = ("messages", "contents", "input", "prompt")
_OUTPUTS = ("choices", "output", "candidates", "content")


class LiteLlm:
    """Reads the raw request spans of LiteLLM."""

    name = "litellm"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span holds a raw request or response."""
        return any(_RAW.fullmatch(key) for key in span.attributes if key.startswith(_PREFIX))

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what the raw request and response say."""
        provider, fields = _fields(span)
        if not fields:
            return SpanFacts()
        content = Content()
        tools = parse_arguments(fields.get("tools")).value
        return SpanFacts(
            role="llm",
            provider=provider,
            input_messages=_messages(fields, _INPUTS, content, asked=True),
            output_messages=_messages(fields, _OUTPUTS, content, asked=False),
            response_model=text(fields.get("model")),
            response_id=identifier(fields.get("id")),
            usage=_usage(provider, fields),
            tool_definitions=read_definitions(tools) if isinstance(tools, list) else None,
            media=tuple(content.media) or None,
        )


def _fields(span: Span) -> tuple[str | None, Mapping[str, Any]]:
    """Return the provider, and the values by the names that its API gives them."""
    provider: str | None = None
    found: dict[str, Any] = {}
    for key, value in span.attributes.items():
        match = _KEY.fullmatch(key)
        if match is not None:
            provider, name = match.groups()
            found[name] = value
    return provider, found


def _usage(provider: str | None, fields: Mapping[str, Any]) -> Usage | None:
    usage = usage_in(parse_arguments(fields.get("usage")).value)
    if usage is None or usage.input is None or provider not in _EXCLUSIVE:
        return usage
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    return replace(usage, input=usage.input + cached)


def _messages(
    fields: Mapping[str, Any], keys: tuple[str, ...], content: Content, *, asked: bool
) -> Any:
    """Read a whole request or response, rebuilt from its parts."""
    body = {key: parse_arguments(fields[key]).value for key in keys if key in fields}
    return recorded_messages(body, "user" if asked else "assistant", content)


DIALECT = LiteLlm()
