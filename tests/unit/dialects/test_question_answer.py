import json

import pytest

from scorer.dialects.question_answer import question_in_prompt

KIND = "openinference.span.kind"
CHAT = {"gen_ai.operation.name": "chat"}


def flow(question=None, answer=None):
    attributes = {"traceloop.span.kind": "workflow", "traceloop.entity.name": "flow"}
    if question:
        attributes["traceloop.entity.input"] = json.dumps({"args": [question], "kwargs": {}})
    if answer:
        attributes["traceloop.entity.output"] = json.dumps(answer)
    return attributes


def test_the_outermost_span_around_the_model_is_asked_first(span, chat, view, words):
    """A model call may hold a rendered prompt, the workflow holds the user's words."""
    said, _, _ = words
    inner = chat("2", [said("user", "rendered q")], [said("assistant", "draft")], parent="1")
    result = view(span("1", flow("q", "a")), inner)
    assert (result.question, result.answer) == ("q", "a")


def test_the_last_user_message_of_a_continued_conversation_is_the_question(chat, view, words):
    """Two turns in one trace: the second is the run's last word."""
    said, _, _ = words
    first = [said("user", "q1")]
    second = [*first, said("assistant", "a1"), said("user", "q2")]
    result = view(
        chat("1", first, [said("assistant", "a1")]), chat("2", second, [said("assistant", "a2")])
    )
    assert (result.question, result.answer) == ("q2", "a2")


def test_another_conversation_does_not_change_the_question(chat, view, words):
    """A later step of a pipeline is prompted by the program."""
    said, _, _ = words
    result = view(
        chat("1", [said("user", "q")], [said("assistant", "plan")]),
        chat("2", [said("user", "write from the plan")], [said("assistant", "a")]),
    )
    assert (result.question, result.answer) == ("q", "a")


def test_a_model_call_inside_a_tool_speaks_for_the_tool(span, chat, view, words):
    """Its prompt is not the question, its reply not the answer."""
    said, _, _ = words
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    result = view(
        chat("1", [said("user", "q")], [said("assistant", "a")]),
        span("2", tool),
        chat("3", [said("user", "inner")], [said("assistant", "summary")], parent="2"),
    )
    assert (result.question, result.answer) == ("q", "a")


def test_a_run_that_ends_in_a_tool_call_has_no_answer(chat, view, words):
    """None, although the model said something on the way."""
    said, asked, _ = words
    turn = asked("f", {})
    turn["parts"].insert(0, {"type": "text", "content": "Let me check."})
    assert view(chat("1", [said("user", "q")], [turn])).answer is None


def test_a_tool_that_only_carries_the_answer_gives_it(chat, view, words):
    """Some agents answer through `final_answer`."""
    said, asked, _ = words
    result = view(chat("1", [said("user", "q")], [asked("final_answer", {"answer": "a"})]))
    assert result.answer == "a"


def test_a_failed_model_call_has_a_question_but_no_answer(chat, view, words):
    """Absent, not empty."""
    said, _, _ = words
    result = view(chat("1", [said("user", "q")], status=2))
    assert (result.question, result.answer, result.has_error) == ("q", None, True)


def test_a_lone_retrieval_was_asked_its_query(span, view):
    """Without any other text the query is what was asked."""
    attributes = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "q"}
    assert view(span("1", attributes)).question == "q"


def test_hidden_content_gives_nothing(span, view):
    """Redacted input and output are absent."""
    attributes = {KIND: "LLM", "input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    result = view(span("1", attributes))
    assert (result.question, result.answer, result.messages) == (None, None, None)


def test_cut_output_of_a_wrapper_is_not_taken_for_the_answer(span, view):
    """The model call below has the whole text."""
    cut = {KIND: "AGENT", "output.value": '{"messages": [{"type": "human", "data": {"cont'}
    model = {
        KIND: "LLM",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "a",
    }
    result = view(span("1", cut), span("2", model, parent="1"))
    assert result.answer == "a"
    assert result.completeness.truncated_content


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("Context:\nfacts\n\nQuestion: why?", "why?"),
        ("Context information is below.\nfacts\nQuery: why?\nAnswer:", "why?"),
        ("Question: why?", "Question: why?"),
        ("What is the context of this question?", "What is the context of this question?"),
        ("Context:\nfacts\nQuestion:", "Context:\nfacts\nQuestion:"),
    ],
)
def test_the_question_is_taken_out_of_a_retrieval_prompt(prompt, question):
    """Only if the prompt shows both a context and a label for the question."""
    assert question_in_prompt(prompt) == question


def test_the_question_is_taken_out_of_the_prompt_of_an_agent_too(span, view):
    """A function that fills a template is given no other words."""
    prompt = "Context:\n[d1] a kettle\n\nQuestion: what is it?"
    assert view(span("1", flow(prompt, "a"))).question == "what is it?"


def test_the_messages_are_the_fullest_conversation(chat, view, words):
    """Input and output of the call that saw most."""
    said, _, _ = words
    result = view(
        chat("1", [said("user", "q")], [said("assistant", "a")]),
        chat("2", [said("user", "q"), said("assistant", "a"), said("user", "q2")]),
    )
    assert [message.text for message in result.messages] == ["q", "a", "q2"]


def test_what_a_failed_call_gave_is_no_answer(span, view):
    """It is the error, or half an answer."""
    attributes = {KIND: "LLM", "input.value": "q", "output.value": "ModelError: no"}
    assert view(span("1", attributes, status=2)).answer is None
    assert view(span("1", attributes)).answer == "ModelError: no"


def test_a_question_may_stand_in_an_output(span, view):
    """A step may give the conversation without having recorded what it got."""
    said = '{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}'
    seen = view(span("1", {KIND: "CHAIN", "output.value": said}))
    assert (seen.question, seen.answer) == ("q", "a")


@pytest.mark.parametrize(
    "prompt",
    [
        "\nCurrent Task: Who?\n\nThis is the expected criteria for your final answer: text\nx",
        "New task:\nWho?",
    ],
)
def test_the_question_stands_in_a_task(prompt):
    """CrewAI and smolagents render a task around it."""
    assert question_in_prompt(prompt) == "Who?"
