"""What a view lacks, or has by a way that is less sure than it should be; by name."""

from collections.abc import Iterator, Sequence

from scorer.dialects.conversation import told_calls
from scorer.dialects.model_calls import find_calls
from scorer.dialects.tree import Node
from scorer.dialects.values import SENTINELS
from scorer.model.agent_trace import AgentTrace, ToolCall, Usage
from scorer.model.trace import Trace

_NO_USAGE = Usage()


def find_gaps(trace: Trace, view: AgentTrace, nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return the names of the gaps, each once.

    `root_missing`: the root span has not come. `content_in_logs_missing`: model calls hold no
    content and no log record has come, where their instrumentation may put it.
    `content_not_captured`: model calls hold no content. `content_redacted`: a mark stands in its
    place. `content_truncated`: some of it was cut. `usage_missing`: model calls without counts.
    `usage_from_parent`: the counts are sums that a span around the calls reports.
    `document_text_missing`: documents of which only ids are known. `tool_arguments_missing`,
    `tool_result_missing`: a tool call without. `tool_result_by_message`: the result is what the
    model was told. `tool_result_by_order`: and no id ties it to its call.
    """
    return tuple(dict.fromkeys(_gaps(trace, view, nodes)))


def _gaps(trace: Trace, view: AgentTrace, nodes: Sequence[Node]) -> Iterator[str]:
    if not view.completeness.root_present:
        yield "root_missing"
    yield from _content(trace, view, nodes)
    yield from _usage(view)
    if any(document.text is None for document in view.contexts or ()):
        yield "document_text_missing"
    if view.tool_calls:
        yield from _tools(view.tool_calls, nodes)


def _content(trace: Trace, view: AgentTrace, nodes: Sequence[Node]) -> Iterator[str]:
    calls = view.llm_calls
    if any(_is_redacted(node) for node in nodes):
        yield "content_redacted"
    elif calls and all(c.input_messages is None and c.output_messages is None for c in calls):
        in_logs = not trace.logs and any("otel_genai" in node.known for node in nodes)
        in_logs = in_logs or (not trace.logs and "claude_code" in view.dialects)
        yield "content_in_logs_missing" if in_logs else "content_not_captured"
    if view.completeness.truncated_content:
        yield "content_truncated"


def _is_redacted(node: Node) -> bool:
    values = node.span.attributes.values()
    return any(isinstance(v, str) and len(v) < 20 and v in SENTINELS for v in values)


def _usage(view: AgentTrace) -> Iterator[str]:
    if not view.llm_calls:
        return
    if view.usage is None:
        yield "usage_missing"
    elif all(call.usage == _NO_USAGE for call in view.llm_calls):
        yield "usage_from_parent"


def _tools(calls: Sequence[ToolCall], nodes: Sequence[Node]) -> Iterator[str]:
    own = {node.span.span_id: node for node in nodes}
    ids = {i for told in told_calls(find_calls(nodes), nodes) for i in told.ids}
    for call in calls:
        node = own.get(call.span_id or "")
        if call.arguments is None:
            yield "tool_arguments_missing"
        if call.result is None:
            yield "tool_result_missing"
        elif node is None or (node.facts.tool_result is None and call.status != "error"):
            yield "tool_result_by_message"
            if call.id not in ids or (node is not None and node.facts.tool_call_id is None):
                yield "tool_result_by_order"
