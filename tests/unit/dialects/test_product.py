import pytest

from scorer.dialects.messages import Content
from scorer.dialects.product import Product, conversation, documents, present
from scorer.model.agent_trace import Message

PRODUCT = Product(
    "p", keys=("p.kind",), kind=("p.kind",), kinds={"llm": "llm"}, inputs=("p.in",), outputs=()
)


def test_a_kind_that_is_not_known_gives_no_role(span):
    """Whatever its type."""
    for value, role in (("LLM", "llm"), ('"llm"', "llm"), ("x", None), (5, None), (None, None)):
        assert PRODUCT.read(span("1", {"p.kind": value}), ()).role == role


def test_it_matches_by_its_keys_only(span):
    """Names and scopes say nothing."""
    assert PRODUCT.matches(span("1", {"p.kind": "x"}), ())
    assert not PRODUCT.matches(span("1", {"kind": "x"}, name="p.kind"), ())


@pytest.mark.parametrize(
    "value",
    [
        "q",
        '"q"',
        '{"messages": [["user", "q"]]}',
        '{"role": "user", "content": "q"}',
        '{"message": {"role": "user", "content": [{"text": "q"}]}}',
        '[{"role": "user", "parts": [{"type": "text", "content": "q"}]}]',
        {"query": "q"},
    ],
)
def test_a_request_is_found_in_every_wrapping(value):
    """Products record what they have at hand."""
    assert conversation(value, Content(), "user") == (Message("user", "q"),)


def test_what_holds_no_words_is_no_conversation():
    """A number, an empty list, nothing."""
    for value in (None, 5, [], {}, "", "[]", {"temperature": 1}):
        assert conversation(value, Content(), "user") is None


def test_documents_are_texts_or_objects():
    """With a score beside or around them; what holds neither text nor id is none."""
    found = documents(
        ["d1", '{"page_content": "d2"}', {"node": {"text": "d3", "id_": "3"}, "score": 0.5}, 5], "1"
    )
    assert [(item.text, item.id, item.score) for item in found] == [
        ("d1", None, None),
        ("d2", None, None),
        ("d3", "3", 0.5),
    ]
    for value in (None, "d", 5, [], [{}], {"documents": 5}):
        assert documents(value, "1") is None


def test_empty_documents_and_sentinels_are_not_there():
    """An instrumentation writes {} where it was told to write nothing."""
    assert present({"a": "{}", "b": "N/A", "c": 0}, ("a", "b", "c")) == 0
    assert present({"a": ""}, ("a", "b")) is None
