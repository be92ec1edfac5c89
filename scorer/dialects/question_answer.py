"""What the run was asked and what it answered.

The spans around the model calls are asked first, outermost first: a workflow or agent records
the user's own words, while a model call may hold a rendered prompt. Without them the model
calls of the first agent are one conversation, as long as each continues the one before; its
last user message is the question. The answer is the reply of the last model call that the run
itself made; a turn that calls a tool is no answer, except the tool that only carries the final
answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from scorer.dialects.conversation import wrapper_messages
from scorer.dialects.model_calls import ModelCall
from scorer.dialects.payload_text import last_reply, last_user_text, reply_in, request_in
from scorer.dialects.tree import Node, Tree
from scorer.dialects.values import mapping, text
from scorer.model.agent_trace import LlmCall, Message

_AROUND = frozenset({"agent", "workflow", "chain"})
_LABEL = re.compile(r"^(?:user )?(?:question|query):[ \t]*", re.IGNORECASE | re.MULTILINE)
# What CrewAI and smolagents render around a task.
_TEMPLATES = (
    re.compile(r"\s*Current Task: (.+?)\n\nThis is the expected criteria for your", re.DOTALL),
    re.compile(r"New task:\n(.+)", re.DOTALL),
)
_ANSWER_LABELS = frozenset({"answer:", "helpful answer:"})
_FINAL_TOOLS = frozenset({"final_answer", "finish", "submit_answer"})


def find_question(tree: Tree, calls: Sequence[ModelCall]) -> str | None:
    """Return the user's request of this run, None when it was not captured."""
    for node in _around(tree, calls[0].nodes[0] if calls else None):
        found = _request(node)
        if found is not None:
            return question_in_prompt(found)
    asked = _asked(calls)
    if asked is None:
        asked = _told(tree.nodes)
    return question_in_prompt(asked) if asked is not None else _searched(tree.nodes)


def find_answer(tree: Tree, calls: Sequence[ModelCall]) -> str | None:
    """Return the final text of the run, None when it gave none or it was not captured."""
    last = max(calls, key=lambda call: call.call.end_ns, default=None)
    for node in _around(tree, last.nodes[0] if last is not None else None):
        found = _reply(node)
        if found is not None:
            return found
    if last is None or last.call.error_type is not None:
        return None  # what a failed call gave is its error, or half an answer
    return _said(last.call)


def find_messages(tree: Tree, calls: Sequence[ModelCall]) -> tuple[Message, ...] | None:
    """Return the fullest record of the run's conversation, None when there is none."""
    found: tuple[Message, ...] = ()
    for call in calls:
        both = (*(call.call.input_messages or ()), *(call.call.output_messages or ()))
        found = both if len(both) >= len(found) else found
    if not found:
        for node in tree.nodes:
            if node.facts.role in _AROUND and not node.in_tool:
                both = wrapper_messages(node)
                found = both if len(both) > len(found) else found
    return found or None


def _around(tree: Tree, inner: Node | None) -> Iterator[Node]:
    """Yield the workflow and agent spans around a model call, outermost first.

    Without model calls these are the roots and the agents of the run.
    """
    if inner is not None:
        path: Iterable[Node] = reversed(tuple(inner.ancestors()))
    else:
        path = (node for node in tree.nodes if not node.in_tool)
    for node in path:
        if node.facts.role in _AROUND:
            yield node


def _request(node: Node) -> str | None:
    facts = node.facts
    found = last_user_text(facts.input_messages) if facts.input_messages else None
    return found if found is not None else request_in(facts.input_text)


def _reply(node: Node) -> str | None:
    facts = node.facts
    found = last_reply(facts.output_messages) if facts.output_messages else None
    return found if found is not None else reply_in(facts.output_text)


def _asked(calls: Sequence[ModelCall]) -> str | None:
    question: str | None = None
    agent: str | None = None
    for call in calls:
        inputs = call.call.input_messages or ()
        users = [message.text for message in inputs if message.role == "user" and message.text]
        if not users:
            continue
        if question is None:
            question, agent = users[-1], call.call.agent
        elif question in users and call.call.agent == agent:
            question = users[-1]
    return question


def question_in_prompt(prompt: str) -> str:
    """Return the question of a prompt that was rendered around it and a retrieved context.

    Retrieval templates put the context first and label the question; without both signs the
    prompt is what the user wrote.
    """
    for template in _TEMPLATES:
        if (asked := template.match(prompt)) is not None:
            return asked.group(1).strip() or prompt
    labels = tuple(_LABEL.finditer(prompt))
    if not labels or "context" not in prompt[: labels[-1].start()].lower():
        return prompt
    label = labels[-1]
    question = prompt[label.end() :].strip()
    before, _, last_line = question.rpartition("\n")
    if last_line.lower() in _ANSWER_LABELS:
        question = before.rstrip()
    return question or prompt


def _told(nodes: Sequence[Node]) -> str | None:
    """Where no input is recorded, a step may give the conversation as its output."""
    around = (node for node in nodes if node.facts.role in _AROUND and not node.in_tool)
    return next((q for node in around if (q := last_user_text(wrapper_messages(node)))), None)


def _searched(nodes: Sequence[Node]) -> str | None:
    """The query of a retrieval that stands alone is what was asked."""
    queries = (node.facts.input_text for node in nodes if node.facts.role == "retrieval")
    return next((found for query in queries if (found := request_in(query)) is not None), None)


def _said(call: LlmCall) -> str | None:
    outputs = call.output_messages or ()
    found = last_reply(outputs)
    if found is not None:
        return found
    for message in outputs:
        for requested in message.tool_calls:
            if requested.name in _FINAL_TOOLS:
                arguments = tuple(mapping(requested.arguments).values())
                return text(arguments[0]) if len(arguments) == 1 else None
    return None
