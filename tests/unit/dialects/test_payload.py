import pytest

from scorer.dialects.payload import (
    Arguments,
    Result,
    parse_arguments,
    says_error,
    unwrap_result,
)


@pytest.mark.parametrize("raw", [{"a": 1}, '{"a": 1}', '"{\\"a\\": 1}"', "{'a': 1}"])
def test_arguments_are_parsed_from_every_form(raw):
    """Object, JSON, doubly encoded JSON and Python repr all give the same arguments."""
    assert parse_arguments(raw) == Arguments({"a": 1})


def test_arguments_that_do_not_parse_stay_raw_with_a_reason():
    """A parse failure is recorded, not hidden."""
    arguments = parse_arguments('{"a": ')
    assert arguments.value == '{"a": '
    assert arguments.error is not None


@pytest.mark.parametrize(
    "raw",
    [
        "rain",
        '"rain"',
        '{"result": "rain"}',
        {"id": "1", "name": "f", "response": {"result": "rain"}},
        [{"type": "text", "text": "rain"}],
        {"lc": 1, "id": ["x", "ToolMessage"], "kwargs": {"content": "rain", "type": "tool"}},
        {"type": "tool", "data": {"content": "rain", "tool_call_id": "1"}},
        {"type": "tool", "content": "rain", "tool_call_id": "1", "status": "success", "id": None},
        '{"type": "tool", "data": {"content": "rain", "type": "tool", "arti',
    ],
)
def test_a_result_is_taken_out_of_its_envelopes(raw):
    """Frameworks wrap what a tool returned in messages of their own."""
    assert unwrap_result(raw).value == "rain"


def test_a_structured_result_stays_whole():
    """Only envelopes are opened."""
    assert unwrap_result('{"result": 1, "unit": "C"}').value == {"result": 1, "unit": "C"}


def test_an_error_envelope_gives_its_message_and_says_so():
    """`{"error": message}` is a failure."""
    assert unwrap_result('{"error": "no such city"}') == Result("no such city", True)


def test_the_status_of_a_tool_message_is_kept():
    """A message may say error although its text does not."""
    body = {"type": "tool", "data": {"content": "hm", "tool_call_id": "1", "status": "error"}}
    assert unwrap_result(body) == Result("hm", True)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("Error: no", True),
        ("An error occurred while", True),
        ({"error": "x", "code": 1}, True),
        ({"success": False}, True),
        ("No errors found", False),
        ({"error": None, "n": 1}, False),
        (None, False),
    ],
)
def test_an_error_shows_in_how_a_result_begins(value, wrong):
    """Bare clients have only the text of the result to say that a tool failed."""
    assert says_error(value) is wrong


@pytest.mark.parametrize(
    ("raw", "value", "failed"),
    [
        ("status='success' result='rain' error=None images=None", "rain", False),
        ("status='failure' result=None error='no city'", "no city", True),
        ({"result": "rain", "error": None}, "rain", None),
        ("content='rain' name='f' tool_call_id='c1'", "rain", None),
    ],
)
def test_an_outcome_that_names_result_and_error_is_opened(raw, value, failed):
    """Of Agno as the text of a model, of others as a map; LangChain's message as text."""
    assert unwrap_result(raw) == Result(value, failed)


@pytest.mark.parametrize(
    "raw", ["x=1 y=2", {"result": 1, "error": "e"}, {"result": 1, "error": None, "page": 2}]
)
def test_what_says_more_than_an_outcome_stays(raw):
    """It may be the result itself."""
    assert unwrap_result(raw).value == raw


@pytest.mark.parametrize(
    ("kind", "failed"), [("text", None), ("json", None), ("error-text", True), ("error-json", True)]
)
def test_a_tagged_output_is_opened(kind, failed):
    """The Vercel AI SDK gives every output a type."""
    assert unwrap_result({"type": kind, "value": "r"}) == Result("r", failed)


def test_another_tag_is_data():
    """A result may well have a type and a value."""
    raw = {"type": "celsius", "value": 18}
    assert unwrap_result(raw).value == raw


def test_an_envelope_that_is_encoded_twice_is_opened():
    """A JSON text in a JSON text."""
    assert unwrap_result('"{\\"result\\": \\"rain\\"}"').value == "rain"
