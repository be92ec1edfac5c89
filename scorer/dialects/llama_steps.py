"""The steps of LlamaIndex, which OpenLLMetry records as tasks that are named after a class.

What a step is shows in the name of its class (`VectorIndexRetriever.task`), and in what it gave:
the result of a tool names the tool, and the steps of an agent's workflow name the agent.
"""

from collections.abc import Mapping
from typing import Any

from scorer.dialects.values import decoded, first_text, mapping, text
from scorer.model.span import Attributes
from scorer.model.span_facts import SpanRole

# The end of the name of a class says what it does.
_CLASSES: tuple[tuple[str, SpanRole], ...] = (
    ("Retriever", "retrieval"),
    ("Rerank", "rerank"),
    ("Reranker", "rerank"),
    ("Embedding", "embedding"),
)
_OUT = "traceloop.entity.output"
_AGENT = "current_agent_name"
_GIVEN = frozenset({"tool_name", "raw_output"})


def step_role(attributes: Attributes) -> SpanRole:
    """Return what a task does."""
    if "tool.name" in attributes or _gave(attributes):
        return "tool"
    if step_agent(attributes) is not None:
        return "agent"
    name = text(attributes.get("traceloop.entity.name")) or ""
    cls = name.partition(".")[0]
    return next((role for end, role in _CLASSES if cls.endswith(end)), "chain")


def step_agent(attributes: Attributes) -> str | None:
    """Return the agent that a step of a workflow belongs to."""
    recorded = attributes.get(_OUT)
    if not isinstance(recorded, str) or f'"{_AGENT}"' not in recorded:
        return None
    return text(mapping(decoded(recorded)).get(_AGENT))


def step_tool(attributes: Attributes) -> dict[str, Any]:
    """Return the tool that a step ran, {} when it ran none."""
    if "tool.name" in attributes:
        given = mapping(decoded(attributes.get(_OUT)))
        return {
            "tool_name": text(attributes["tool.name"]),
            "tool_call_id": first_text(given, "tool_id"),
            "tool_arguments": attributes.get("tool.arguments", given.get("tool_kwargs")),
            "tool_result": given.get("tool_output"),
        }
    given = _gave(attributes)
    if not given:
        return {}
    asked = given.get("raw_input")
    return {
        "tool_name": text(given["tool_name"]),
        "tool_arguments": mapping(asked).get("kwargs", asked),
        "tool_result": given,
    }


def _gave(attributes: Attributes) -> Mapping[str, Any]:
    """Return the result of a tool that a step gave, {} when it gave none."""
    recorded = attributes.get(_OUT)
    if (
        not isinstance(recorded, str)
        or not recorded.startswith("{")
        or "raw_output" not in recorded
    ):
        return {}
    given = mapping(decoded(recorded))
    return given if given.keys() >= _GIVEN else {}
