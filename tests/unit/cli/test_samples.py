import msgspec
import pytest

from scorer.cli.samples import FIELDS, BadSample, Sample, parse_sample, read_samples, view_of
from scorer.errors import PermanentError
from scorer.model.agent_trace import AgentTrace, Document, LlmCall, Message, ToolCall, Usage


def view(**fields):
    return view_of(parse_sample(msgspec.json.encode(fields)), default_id="7")


def test_question_and_answer_are_also_messages():
    """What metrics read of a conversation is there for samples too."""
    sample = view(id="a", question="Q?", answer="A.")
    assert (sample.trace_id, sample.question, sample.answer) == ("a", "Q?", "A.")
    assert sample.messages == (Message("user", "Q?"), Message("assistant", "A."))


def test_absent_and_null_fields_are_not_captured():
    """A field that is not given is None, never an empty value."""
    for sample in (view(id="a"), view(id="a", answer=None, contexts=None, tool_calls=None)):
        assert sample.answer is sample.contexts is sample.tool_calls is sample.messages is None
        assert sample.reference is sample.usage is sample.cost_usd is None
        assert sample.llm_calls == ()


def test_empty_lists_are_captured_values():
    """An empty list says that there was nothing, which differs from not captured."""
    sample = view(id="a", contexts=[], tool_calls=[], answer="")
    assert (sample.contexts, sample.tool_calls, sample.answer) == ((), (), "")


def test_contexts_are_texts_or_objects_in_rank_order():
    """Both forms of a context give a document; ranks count from 1."""
    sample = view(contexts=["one", {"text": "two", "id": "d2", "score": 0.5}, {"id": "d3"}])
    assert sample.contexts == (
        Document("one", rank=1),
        Document("two", id="d2", score=0.5, rank=2),
        Document(None, id="d3", rank=3),
    )


def test_tool_calls_keep_arguments_result_and_status():
    """A tool call comes through whole."""
    call = {"name": "f", "arguments": {"x": 1}, "result": [2], "status": "error"}
    sample = view(tool_calls=[call, {"name": "g"}])
    assert sample.tool_calls == (
        ToolCall(name="f", arguments={"x": 1}, result=[2], status="error"),
        ToolCall(name="g"),
    )


def test_expected_becomes_the_reference_with_its_source():
    """The expected answer is a reference whose source is the sample."""
    sample = view(expected="42", expected_contexts=["c"])
    assert sample.reference is not None
    assert (sample.reference.answer, sample.reference.contexts) == ("42", ("c",))
    assert sample.reference.source == "sample"


def test_captions_and_transcripts_are_references_too():
    """Each in its own place; none of them is an answer."""
    reference = view(expected_caption="A cat.", expected_transcript="Hello.").reference
    assert (reference.caption, reference.transcript) == ("A cat.", "Hello.")
    assert (reference.answer, reference.source) == (None, "sample")


def test_model_and_usage_become_one_model_call():
    """Usage is the total of the sample and belongs to one call of the model."""
    sample = view(model="m", usage={"input": 3, "output": 4}, cost_usd=0.1)
    assert sample.usage == Usage(input=3, output=4)
    assert sample.llm_calls == (LlmCall(span_id="", model="m", usage=Usage(input=3, output=4)),)
    assert (sample.models, sample.cost_usd) == (("m",), 0.1)


def test_an_id_defaults_to_the_line_and_may_be_a_number():
    """Every sample has an id: its own as text, or the number of its line."""
    assert view(question="Q").trace_id == "7"
    assert view(id=12).trace_id == "12"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"{", "truncated"),
        (b"[]", "one JSON object"),
        (b"{}", "no field of a sample"),
        (b'{"text": "x"}', "its fields: 'text'"),
        (b'{"resourceSpans": []}', "spanscore replay"),
        (b'{"answer": 3}', "$.answer"),
        (b'{"tool_calls": [{"name": "f", "status": "maybe"}]}', "$.tool_calls[0].status"),
        (b'{"answer": "\xff"}', "UTF-8"),
    ],
)
def test_a_line_that_is_no_sample_says_why(line, what):
    """The error names the fault and its place."""
    with pytest.raises(PermanentError) as caught:
        view_of(parse_sample(line), default_id="1")
    assert what in str(caught.value)


def test_token_counts_under_the_names_of_openai_are_read():
    """Ours win where both are given."""
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    assert view(usage=usage).usage == Usage(input=3, output=4, total=7)
    assert view(usage=usage | {"input": 5}).usage == Usage(input=5, output=4, total=7)


def test_default_ids_do_not_collide_with_numbers():
    """A sample without an id and one whose id is that number of line are two samples."""
    items = list(read_samples([b'{"answer": "a"}', b'{"id": 1, "answer": "b"}']))
    assert [item.trace_id for item in items] == ["line-1", "1"]


def test_unknown_fields_are_told_once():
    """A misspelt field must not pass as one that is missing."""
    told = []
    line = (
        b'{"id": "%d", "context": ["c"], "usage": {"in": 1}, "tool_calls": [{"name": "f", "x": 1}]}'
    )
    list(read_samples([line % 1, line % 2], told.append))
    assert len(told) == 3
    assert told[0] == "line 1: field 'context' is not read; did you mean 'contexts'?"
    assert "'tool_calls.x'" in told[1]
    assert "'usage.in'" in told[2]


def test_every_field_is_documented():
    """The help is made of the same table."""
    text = " ".join(f"{names} {what}" for names, what in FIELDS.items())
    assert all(field in text for field in Sample.__struct_fields__)


def test_bad_lines_do_not_stop_the_rest():
    """A bad line is reported with its number; blank lines are passed over but counted."""
    items = list(read_samples([b'{"id": "a"}\n', b"\n", b"nonsense\n", b'{"id": "b"}\n']))
    assert [type(item) for item in items] == [AgentTrace, BadSample, AgentTrace]
    assert items[1].line == 3


def test_a_second_sample_of_the_same_id_is_a_bad_line():
    """Scores of two samples with one id would share their score ids, so the second is refused."""
    items = list(read_samples([b'{"id": "a"}', b'{"id": "a"}']))
    assert items[1] == BadSample(2, "id 'a' is already that of line 1")


def test_a_value_that_is_not_known_is_not_repeated():
    """An error names the field, for the value may be content in a wrong place."""
    with pytest.raises(PermanentError) as raised:
        view(tool_calls=[{"name": "f", "status": "her ssn is '078-05-1120'"}])
    assert str(raised.value) == "Unknown value - at `$.tool_calls[0].status`"
