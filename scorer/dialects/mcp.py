"""The Model Context Protocol: `mcp.*` of the conventions (client and server), and of OpenLLMetry.

Only a tool call is something that an agent did; a handshake, a list of tools or a ping is not.
The session of the protocol is a connection, not a conversation.
"""

from typing import Any

from scorer.dialects.product import Product, present
from scorer.dialects.values import decoded, first_id, first_text, mapping, text
from scorer.model.span import Span
from scorer.model.span_facts import SpanRole

_METHOD = "mcp.method.name"
_CALL = "tools/call"
_ARGUMENTS = ("gen_ai.tool.call.arguments", "mcp.request.argument", "mcp.request.arguments")
_RESULT = ("gen_ai.tool.call.result", "mcp.response.value")


def _role(span: Span) -> SpanRole | None:
    method = span.attributes.get(_METHOD)
    is_call = method == _CALL or (method is None and span.name.startswith(_CALL))
    return "tool" if is_call else None


def _more(span: Span, role: SpanRole | None) -> dict[str, Any]:
    if role != "tool":
        return {}
    attributes = span.attributes
    request = mapping(decoded(present(attributes, _ARGUMENTS)))
    called = mapping(request.get("params")) or request  # OpenLLMetry records the whole request
    is_call = isinstance(called.get("name"), str) and isinstance(called.get("arguments"), dict)
    found: dict[str, Any] = {
        "tool_name": first_text(attributes, "gen_ai.tool.name", "mcp.tool.name")
        or (text(called["name"]) if is_call else None)
        or text(span.name.removeprefix(_CALL).strip())
        or _CALL,
        "tool_call_id": first_id(attributes, "gen_ai.tool.call.id"),
        "error_type": first_text(attributes, "error.type"),
    }
    if is_call:
        found["tool_arguments"] = called["arguments"]
    return found


DIALECT = Product(
    "mcp",
    keys=(_METHOD, "mcp.request.argument", "mcp.response.value", "mcp.tool.name"),
    role=_role,
    inputs=_ARGUMENTS,
    outputs=_RESULT,
    more=_more,
)
