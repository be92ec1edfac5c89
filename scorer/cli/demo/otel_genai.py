"""Sample traces in the OTel GenAI conventions: the new attributes, and the old events."""

import json
from typing import Any

from scorer.cli.demo.scene import Scene, SceneLog, SceneSpan

_SCOPE = "opentelemetry.instrumentation.openai_v2"
_POLICY = (
    "Unopened items can be returned within 30 days of delivery for a full refund.",
    "Refunds are paid to the original payment method within 5 business days.",
)


def _messages(*turns: tuple[str, str]) -> str:
    parts = [{"role": r, "parts": [{"type": "text", "content": text}]} for r, text in turns]
    return json.dumps(parts)


def _agent(name: str, end: float, question: str, answer: str) -> SceneSpan:
    return SceneSpan(
        key="agent",
        name=f"invoke_agent {name}",
        start=0,
        end=end,
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": name,
            "gen_ai.provider.name": "openai",
            "gen_ai.conversation.id": f"conv-demo-{name}",
            "gen_ai.input.messages": _messages(("user", question)),
            "gen_ai.output.messages": _messages(("assistant", answer)),
        },
    )


def _chat(
    key: str, times: tuple[float, float], tokens: tuple[int, int], **content: str
) -> SceneSpan:
    return SceneSpan(
        key=key,
        parent="agent",
        name="chat gpt-4o-mini",
        start=times[0],
        end=times[1],
        kind="CLIENT",
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
            "gen_ai.usage.input_tokens": tokens[0],
            "gen_ai.usage.output_tokens": tokens[1],
            "gen_ai.response.finish_reasons": ["stop"],
        }
        | {f"gen_ai.{name}.messages": text for name, text in content.items()},
    )


def _retrieval(query: str, texts: tuple[str, ...]) -> SceneSpan:
    documents = [
        {"id": f"policy-{i}", "score": round(0.92 - 0.07 * i, 2), "content": text}
        for i, text in enumerate(texts)
    ]
    return SceneSpan(
        key="retrieval",
        parent="agent",
        name="retrieval policies",
        start=0.05,
        end=0.3,
        kind="CLIENT",
        attributes={
            "gen_ai.operation.name": "retrieval",
            "gen_ai.data_source.id": "policies",
            "gen_ai.retrieval.query.text": query,
            "gen_ai.retrieval.documents": json.dumps(documents),
        },
    )


def _rag(title: str, question: str, answer: str, *, pieces: int = 1) -> Scene:
    context = "\n".join(_POLICY)
    chat = _chat(
        "chat",
        (0.35, 1.6),
        (412, 58),
        input=_messages(("system", f"Answer from: {context}"), ("user", question)),
        output=_messages(("assistant", answer)),
    )
    spans = (_agent("returns", 1.7, question, answer), _retrieval(question, _POLICY), chat)
    return Scene(title=title, service="support-bot", scope=_SCOPE, spans=spans, pieces=pieces)


def _failing_tool() -> Scene:
    question = "Where is my order 81723?"
    answer = "I could not look up your order right now. Please try again in a few minutes."
    call = {"type": "tool_call", "id": "call_1", "name": "lookup_order"}
    request = json.dumps(
        [{"role": "assistant", "parts": [{**call, "arguments": {"order_id": "81723"}}]}]
    )
    tool = SceneSpan(
        key="tool",
        parent="agent",
        name="execute_tool lookup_order",
        start=0.9,
        end=3.9,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "lookup_order",
            "gen_ai.tool.call.id": "call_1",
            "gen_ai.tool.call.arguments": json.dumps({"order_id": "81723"}),
            "error.type": "TimeoutError",
        },
        error="order service did not answer within 3 s",
    )
    first = _chat("chat-1", (0.1, 0.8), (230, 19), output=request)
    second = _chat("chat-2", (4.0, 4.8), (281, 22), output=_messages(("assistant", answer)))
    spans = (_agent("orders", 4.9, question, answer), first, tool, second)
    title = "a tool that fails"
    return Scene(title=title, service="support-bot", scope=_SCOPE, spans=spans, pieces=2)


def _old_events() -> Scene:
    question = "Summarise the incident of 3 March in one sentence."
    answer = "A wrong DNS record made the shop unreachable for 12 minutes on 3 March."
    chat = SceneSpan(
        key="chat",
        name="chat gpt-4o-mini",
        start=0,
        end=1.1,
        kind="CLIENT",
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.system": "openai",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.usage.input_tokens": 96,
            "gen_ai.usage.output_tokens": 24,
        },
    )
    message: dict[str, Any] = {"role": "assistant", "content": answer}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    logs = (
        SceneLog(key="chat", at=0, event_name="gen_ai.user.message", body={"content": question}),
        SceneLog(key="chat", at=1.1, event_name="gen_ai.choice", body=choice),
    )
    title = "content in log records, the older convention"
    return Scene(title=title, service="ops-notes", scope=_SCOPE, spans=(chat,), logs=logs)


def scenes() -> tuple[Scene, ...]:
    """Return the samples of this dialect."""
    question = "How long do I have to return an unopened item, and when is the refund paid?"
    faithful = (
        "Unopened items can be returned within 30 days of delivery. "
        "Refunds are paid to the original payment method within 5 business days."
    )
    invented = (
        "You can return items within 90 days. "
        "Nordwind Logistics collects the parcel free of charge and adds a 15 euro voucher."
    )
    return (
        _rag("a faithful answer from retrieved passages", question, faithful, pieces=3),
        _rag("an answer that its passages do not support", question, invented),
        _failing_tool(),
        _old_events(),
    )
