"""The spans of the Claude API: of its SDKs (client) and of the platform (server).

They carry `gen_ai.*`, which the OpenTelemetry dialect reads; their scope and name tell what they
are.
"""

from collections.abc import Sequence

from scorer.model.span import LogRecord, Span
from scorer.model.span_facts import SpanFacts

_SCOPES = ("com.anthropic.sdk.", "com.anthropic.claude-platform")
_TOOL = "anthropic.tool_use "
_CALLS = frozenset({"anthropic.messages.create", "anthropic.messages.stream"})


class ClaudeApi:
    """Reads the scope and the name of a span."""

    name = "claude_api"
    matches_by_keys = True

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span is of the scope of an SDK or of the platform."""
        return span.scope.name.startswith(_SCOPES)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return the role of the span, and the name of a tool."""
        if span.name.startswith(_TOOL):
            return SpanFacts(role="tool", tool_name=span.name.removeprefix(_TOOL) or None)
        return SpanFacts(role="llm" if span.name in _CALLS else None)


DIALECT = ClaudeApi()
