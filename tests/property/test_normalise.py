"""Whatever spans hold, and in whatever order they come, there is one view."""

import json
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.dialects.evidence import evidence
from scorer.dialects.inspection import inspection
from scorer.dialects.normalise import normalise
from scorer.dialects.product import Product
from scorer.model.span import Event, LogRecord, Resource, Scope, Span
from scorer.model.trace import Completeness, Trace

POINTS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
BUILT_IN = POINTS["project"]["entry-points"]["spanscore.dialects"].values()
DIALECTS = tuple(EntryPoint("", point, "").load() for point in BUILT_IN)
PRODUCTS = [dialect for dialect in DIALECTS if isinstance(dialect, Product)]
KEYS = [
    "gen_ai.operation.name",
    "gen_ai.agent.name",
    "gen_ai.conversation.id",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt.0.content",
    "gen_ai.prompt.0.tool_calls.0.arguments",
    "gen_ai.prompt.0.tool_calls.0.name",
    "gen_ai.request.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.retrieval.documents",
    "gen_ai.system_instructions",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.result",
    "gen_ai.tool.definitions",
    "gen_ai.tool.name",
    "gen_ai.usage.cost",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "crew_inputs",
    "crew_tasks",
    "crewai.crew.tasks",
    "crewai.task.description",
    "error.type",
    "gen_ai.event.content",
    "gen_ai.prompt",
    "gen_ai.workflow.input",
    "graph.node.id",
    "input.value",
    "llm.input_messages.0.message.contents.0.message_content.image.image.url",
    "llm.input_messages.0.function.0",
    "llm.input_messages.0.message.role",
    "llm.prompts.0.content",
    "llm.output_messages.0.message.content",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name",
    "llm.request.type",
    "llm.token_count.prompt",
    "llm.tools.0.tool.json_schema",
    "metadata",
    "openinference.span.kind",
    "output.value",
    "retrieval.documents.0.document.content",
    "session.id",
    "spanscore.reference.contexts",
    "tool.arguments",
    "tool.name",
    "traceloop.entity.input",
    "traceloop.entity.name",
    "traceloop.entity.output",
    "traceloop.span.kind",
]
RECORDED_KEYS = [
    "ai.operationId",
    "ai.prompt",
    "ai.prompt.messages",
    "ai.prompt.tools",
    "ai.response.msToFirstChunk",
    "ai.response.text",
    "ai.response.toolCalls",
    "ai.telemetry.functionId",
    "ai.toolCall.args",
    "ai.toolCall.result",
    "ai.usage.inputTokens",
    "all_messages_events",
    "events",
    "final_result",
    "from_agent",
    "gcp.vertex.agent.llm_request",
    "gcp.vertex.agent.llm_response",
    "gcp.vertex.agent.tool_call_args",
    "gcp.vertex.agent.tool_response",
    "gen_ai.agent.call.id",
    "gen_ai.conversation.id",
    "group_id",
    "langfuse.observation.cost_details",
    "langfuse.observation.input",
    "langfuse.observation.level",
    "langfuse.observation.metadata.lc_agent_name",
    "langfuse.observation.output",
    "langfuse.observation.type",
    "langfuse.observation.usage_details",
    "llm.openai.choices",
    "llm.openai.messages",
    "llm.openai.usage",
    "logfire.msg_template",
    "metadata",
    "mlflow.chat.tokenUsage",
    "mlflow.chat.tools",
    "mlflow.spanInputs",
    "mlflow.spanOutputs",
    "mlflow.spanType",
    "pydantic_ai.all_messages",
    "raw_input",
    "request_data",
    "response_data",
    "to_agent",
    "tool_arguments",
    "tool_response",
]
RECORDED_WORDS = [
    "generation",
    "retriever",
    "tool",
    '"CHAT_MODEL"',
    '"RETRIEVER"',
    '"CHAIN"',
    "ai.generateText",
    "ai.generateText.doGenerate",
    "ai.toolCall",
    "Agent run: {name!r}",
    "Function: {name}",
    "ERROR",
    '{"from_agent": "a", "to_agent": "b"}',
    '{"input": 5, "output": 2, "total": 7}',
    '[{"event.name": "gen_ai.user.message", "content": ["q", {"kind": "binary"}]}]',
    "01a22b9b-60e1-7706-8b4f-1f26fddd0cb9",
    "[{'role': 'user', 'content': 'q'}]",
]
WORDS = [
    "chat",
    "invoke_agent",
    "execute_tool",
    "invoke_workflow",
    "handoff",
    "retrieval",
    "LLM",
    "AGENT",
    "TOOL",
    "CHAIN",
    "EVALUATOR",
    "agent",
    "tool",
    "workflow",
    "task",
    "__REDACTED__",
    "{}",
    "[]",
    '[{"role": "user", "content": "q"}]',
    '[{"role": "assistant", "parts": [{"type": "tool_call", "name": "f", "id": "1"}]}]',
    '[{"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": {}}]}]',
    '{"messages": [["user", "q"], {"type": "ai", "data": {"content": "a"}}]}',
    '{"args": [], "kwargs": {"a": 1}}',
    '{"error": "no"}',
    '[{"role": "assistant", "content": "cut of',
    "ToolCall(tool_name='f', arguments={'a': 1})",
    "transfer_to_agent",
    "user: q\nassistant: a\ntool: r",
    "content='a' additional_kwargs={} response_metadata={} id='1'",
    "id='1' source='user' content='q' type='TextMessage'",
    "status='failure' result=None error='no'",
    "function_call=FunctionCall(args={}, name='f') text=None",
    '{"tool_name": "f", "raw_output": "r", "raw_input": {"kwargs": {}}}',
    '{"current_agent_name": "a", "input": [{"role": "user", "blocks": []}]}',
    '{"type": "error-text", "value": "no"}',
    "VectorIndexRetriever.task",
]
SCALARS = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=20),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.none(),
    st.binary(max_size=8),
)
PAYLOAD_KEYS = [
    "__class__",
    "additional_kwargs",
    "args",
    "arguments",
    "call_id",
    "content",
    "data",
    "description",
    "documents",
    "error",
    "function",
    "id",
    "image_url",
    "inputs",
    "kwargs",
    "message",
    "messages",
    "name",
    "output",
    "page_content",
    "parts",
    "response",
    "result",
    "role",
    "source",
    "status",
    "text",
    "tool_call_id",
    "tool_calls",
    "toolResult",
    "toolUse",
    "type",
    "url",
]
PAYLOAD_WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "text",
        "tool_call",
        "tool_call_response",
        "image_url",
        "blob",
        "f",
    ]
)
PAYLOADS = st.recursive(
    st.one_of(PAYLOAD_WORDS, st.none(), st.booleans(), st.integers(0, 9), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(PAYLOAD_KEYS), inner, max_size=5),
    ),
    max_leaves=12,
)
VALUES = st.one_of(
    SCALARS,
    PAYLOADS,
    PAYLOADS.map(json.dumps),
    st.tuples(PAYLOADS.map(json.dumps), st.integers(1, 60)).map(lambda cut: cut[0][: cut[1]]),
    st.lists(SCALARS, max_size=3),
    st.dictionaries(
        st.sampled_from(["role", "content", "parts", "type", "id"]), SCALARS, max_size=3
    ),
)
KINDS = ["llm", "tool", "agent", "retriever", "retrieval", "model", "LLM", "TOOL", "record_root"]


def product_attributes(product):
    """Return attributes of one product: any of its keys with any value, and a known kind."""
    keys = sorted({*product.keys, *product.read_keys})
    some = st.dictionaries(st.sampled_from(keys), VALUES, min_size=1, max_size=8)
    kinds = st.dictionaries(
        st.sampled_from(sorted(product.keys)), st.sampled_from(KINDS), max_size=1
    )
    return st.builds(lambda first, second: {**first, **second}, some, kinds)


SESSION_NAMES = [
    "codex.user_prompt",
    "codex.sse_event",
    "codex.tool_result",
    "claude_code.user_prompt",
    "claude_code.api_request",
    "claude_code.tool_result",
    "claude_code.assistant_response",
]
SESSION_KEYS = [
    "conversation.id",
    "session.id",
    "prompt",
    "response",
    "duration_ms",
    "tool_name",
    "tool_use_id",
    "call_id",
    "request_id",
    "event.kind",
    "input_tokens",
    "input_token_count",
    "cost_usd",
    "success",
    "arguments",
]
SESSION_FIELDS = st.dictionaries(st.sampled_from(SESSION_KEYS), VALUES, max_size=6)
ATTRIBUTES = st.one_of(
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8),
    SESSION_FIELDS,
    *map(product_attributes, PRODUCTS),
    st.dictionaries(
        st.sampled_from(RECORDED_KEYS), VALUES | st.sampled_from(RECORDED_WORDS), max_size=8
    ),
)
IDS = [f"{number:016x}" for number in range(1, 7)]
EVENTS = st.builds(
    Event,
    st.sampled_from(["gen_ai.user.message", "gen_ai.choice", "exception", "db.query.result", "x"]),
    st.just(0),
    st.dictionaries(
        st.sampled_from(["content", "message", "tool_calls", "exception.type", "id"]),
        VALUES,
        max_size=3,
    ),
)


SCOPES = ["app", "spanscore", "com.anthropic.sdk.x", "pydantic-ai", "langfuse-sdk", "logfire.x"]
SPAN_NAMES = [
    "invoke_agent x",
    "handoff to b",
    "f.run",
    "",
    "agent run",
    "call_llm",
    "tools/call f",
    "llm_node",
    "haystack.agent.step.llm",
    "claude_code.interaction",
    "claude_code.llm_request",
    "claude_code.tool",
    "anthropic.tool_use f",
]


@st.composite
def traces(draw):
    spans = [
        Span(
            trace_id="aa",
            span_id=span_id,
            parent_span_id=draw(st.sampled_from(["", "ff", *IDS])),
            name=draw(st.sampled_from(SPAN_NAMES)),
            kind=1,
            start_ns=draw(st.integers(0, 3)),
            end_ns=draw(st.integers(0, 9)),
            attributes=draw(ATTRIBUTES),
            events=tuple(draw(st.lists(EVENTS, max_size=2))),
            links=(),
            status_code=draw(st.integers(0, 3)),
            status_message="",
            flags=0,
            dropped_attributes=draw(st.integers(0, 1)),
            dropped_events=0,
            dropped_links=0,
            resource=Resource({}, "s"),
            scope=Scope(draw(st.sampled_from(SCOPES))),
        )
        for span_id in draw(st.lists(st.sampled_from(IDS), unique=True, max_size=6))
    ]
    logs = [
        LogRecord(
            "aa", span_id, 1, "gen_ai.user.message", draw(VALUES), {}, Resource({}, ""), Scope()
        )
        for span_id in draw(st.lists(st.sampled_from(IDS), max_size=2))
    ]
    logs += [
        LogRecord(
            "aa",
            draw(st.sampled_from(["", *IDS])),
            draw(st.integers(0, 3)),
            draw(st.sampled_from(SESSION_NAMES)),
            draw(VALUES),
            draw(SESSION_FIELDS),
            Resource({}, ""),
            Scope(),
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    return Trace(
        tenant="",
        trace_id="aa",
        spans=tuple(spans),
        logs=tuple(logs),
        reason="root",
        completeness=Completeness(span_count=len(spans), root_present=False),
    )


@settings(max_examples=300, deadline=None)
@given(traces())
def test_no_attribute_value_can_make_it_raise(trace):
    """Instrumentations, users and attackers write anything into a span."""
    view = normalise(trace, DIALECTS)
    assert view.trace_id == "aa"
    assert inspection(view)["span_count"] == len(trace.spans)


@settings(max_examples=60, deadline=None)
@given(traces())
def test_no_attribute_value_can_make_the_evidence_raise(trace):
    """It is JSON, whatever the spans hold."""
    assert json.dumps(evidence(trace, normalise(trace, DIALECTS), DIALECTS))


@settings(max_examples=150, deadline=None)
@given(traces(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_change_the_view(trace, random):
    """Batches interleave and retries reorder."""
    spans = list(trace.spans)
    random.shuffle(spans)
    logs = list(trace.logs)
    if not any(record.event_name == "gen_ai.user.message" for record in logs):
        random.shuffle(logs)  # messages that name no time of their own have no other order
    shuffled = msgspec.structs.replace(trace, spans=tuple(spans), logs=tuple(logs))
    assert repr(normalise(shuffled, DIALECTS)) == repr(normalise(trace, DIALECTS))


@settings(max_examples=100, deadline=None)
@given(traces())
def test_a_trace_that_no_dialect_reads_is_no_agent(trace):
    """Without a dialect there is nothing but times, errors and structure."""
    view = normalise(trace, ())
    assert not view.is_agent
    assert view.dialects == ()
    assert (view.question, view.answer, view.usage, view.tool_calls) == (None, None, None, None)


@settings(max_examples=100, deadline=None)
@given(traces())
def test_a_span_of_an_unknown_dialect_adds_nothing(trace):
    """A plain span at the end of the trace leaves every fact as it was."""
    plain = Span(
        trace_id="aa",
        span_id="0" * 15 + "f",
        parent_span_id="fe",
        name="GET",
        kind=3,
        start_ns=5,
        end_ns=5,
        attributes={"http.request.method": "GET"},
        events=(),
        links=(),
        status_code=0,
        status_message="",
        flags=0,
        dropped_attributes=0,
        dropped_events=0,
        dropped_links=0,
        resource=Resource({}, "s"),
        scope=Scope("http"),
    )
    longer = msgspec.structs.replace(trace, spans=(*trace.spans, plain))
    before, after = normalise(trace, DIALECTS), normalise(longer, DIALECTS)
    for field in ("question", "answer", "usage", "tool_calls", "agents", "handoffs", "contexts"):
        assert repr(getattr(after, field)) == repr(getattr(before, field))
