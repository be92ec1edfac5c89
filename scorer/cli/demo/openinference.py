"""Sample traces in the OpenInference conventions."""

import json
from typing import Any

from scorer.cli.demo.scene import Scene, SceneEvent, SceneSpan

_LANGCHAIN = "openinference.instrumentation.langchain"
_AGENTS = "openinference.instrumentation.openai_agents"
_MODEL = "gpt-4o"


def _io(kind: str, question: str, answer: str) -> dict[str, Any]:
    return {
        "openinference.span.kind": kind,
        "input.value": question,
        "input.mime_type": "text/plain",
        "output.value": answer,
        "output.mime_type": "text/plain",
    }


def _llm(
    parent: str, times: tuple[float, float], tokens: tuple[int, int], question: str, answer: str
) -> SceneSpan:
    return SceneSpan(
        key=f"{parent}-llm",
        parent=parent,
        name="ChatOpenAI",
        start=times[0],
        end=times[1],
        attributes=_io("LLM", question, answer)
        | {
            "llm.model_name": _MODEL,
            "llm.provider": "openai",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": question,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": answer,
            "llm.token_count.prompt": tokens[0],
            "llm.token_count.completion": tokens[1],
            "llm.token_count.total": sum(tokens),
        },
    )


def _retriever(question: str, texts: tuple[str, ...]) -> SceneSpan:
    attributes: dict[str, Any] = {"openinference.span.kind": "RETRIEVER", "input.value": question}
    for i, text in enumerate(texts):
        prefix = f"retrieval.documents.{i}.document"
        attributes[f"{prefix}.id"] = f"doc-{i}"
        attributes[f"{prefix}.content"] = text
        attributes[f"{prefix}.score"] = round(0.88 - 0.1 * i, 2)
    return SceneSpan(
        key="retriever",
        parent="chain",
        name="VectorStoreRetriever",
        start=0.05,
        end=0.25,
        attributes=attributes,
    )


def _rag() -> Scene:
    question = "What does the Helios 3 battery pack weigh?"
    answer = "The Helios 3 battery pack weighs 4.2 kg."
    texts = (
        "The Helios 3 battery pack weighs 4.2 kg and stores 620 Wh.",
        "The charger of the Helios 3 delivers 4 A.",
    )
    chain = SceneSpan(
        key="chain",
        name="RetrievalQA",
        start=0,
        end=1.3,
        attributes=_io("CHAIN", question, answer) | {"session.id": "session-demo-manuals"},
    )
    spans = (
        chain,
        _retriever(question, texts),
        _llm("chain", (0.3, 1.2), (356, 17), question, answer),
    )
    title = "a faithful answer, LangChain style"
    return Scene(title=title, service="manuals", scope=_LANGCHAIN, spans=spans, pieces=2)


def _pii() -> Scene:
    question = "Who is the customer behind ticket 5521, and how do we charge them?"
    answer = (
        "The customer can be reached at erika.mustermann@example.com or +49 30 901820. "
        "Charge the card 4111 1111 1111 1111."
    )
    agent = SceneSpan(
        key="crm",
        name="crm-assistant",
        start=0,
        end=1.5,
        attributes=_io("AGENT", question, answer) | {"agent.name": "crm-assistant"},
    )
    spans = (agent, _llm("crm", (0.1, 1.4), (520, 61), question, answer))
    title = "an answer that leaks personal data"
    return Scene(title=title, service="crm-assistant", scope=_LANGCHAIN, spans=spans)


def _agent(name: str, parent: str | None, times: tuple[float, float], io: tuple[str, str]) -> Any:
    attributes = _io("AGENT", *io) | {"agent.name": name, "graph.node.id": name}
    return SceneSpan(
        key=name, parent=parent, name=name, start=times[0], end=times[1], attributes=attributes
    )


def _tool(name: str, parent: str, times: tuple[float, float], io: tuple[str, str]) -> SceneSpan:
    return SceneSpan(
        key=name,
        parent=parent,
        name=name,
        start=times[0],
        end=times[1],
        attributes=_io("TOOL", *io) | {"tool.name": name, "tool.parameters": io[0]},
    )


def _handoff() -> Scene:
    question = "I was charged twice for invoice 2041. Please fix it."
    answer = "Invoice 2041 was charged twice. The second charge of 49.00 EUR has been refunded."
    workflow = SceneSpan(
        key="workflow",
        name="Agent workflow",
        start=0,
        end=3.4,
        attributes=_io("CHAIN", question, answer) | {"session.id": "session-demo-billing"},
    )
    refund = json.dumps({"invoice": 2041})
    refunded = json.dumps({"refunded": 49.0})
    spans = (
        workflow,
        _agent("triage", "workflow", (0.05, 1.0), (question, "")),
        _llm("triage", (0.1, 0.8), (310, 12), question, "transfer_to_billing"),
        _tool("handoff to billing", "triage", (0.85, 0.9), ("triage", "billing")),
        _agent("billing", "workflow", (1.05, 3.3), (question, answer)),
        _tool("refund_charge", "billing", (1.2, 1.9), (refund, refunded)),
        _llm("billing", (2.0, 3.2), (488, 33), question, answer),
    )
    title = "two agents and a handoff"
    return Scene(title=title, service="billing-desk", scope=_AGENTS, spans=spans, pieces=2)


def _model_error() -> Scene:
    question = "Translate the release notes into French."
    agent = SceneSpan(
        key="agent",
        name="translator",
        start=0,
        end=0.7,
        attributes={
            "openinference.span.kind": "AGENT",
            "agent.name": "translator",
            "input.value": question,
        },
        error="rate limit reached",
    )
    details = {"exception.type": "RateLimitError", "exception.message": "rate limit reached"}
    llm = SceneSpan(
        key="llm",
        parent="agent",
        name="ChatOpenAI",
        start=0.1,
        end=0.6,
        attributes={"openinference.span.kind": "LLM", "llm.model_name": _MODEL},
        events=(SceneEvent("exception", 0.6, details),),
        error="rate limit reached",
    )
    title = "a model call that is refused"
    return Scene(title=title, service="translator", scope=_LANGCHAIN, spans=(agent, llm))


def scenes() -> tuple[Scene, ...]:
    """Return the samples of this dialect."""
    return (_rag(), _pii(), _handoff(), _model_error())
