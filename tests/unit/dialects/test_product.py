import pytest

from scorer.dialects.product import Product, present

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
    "value", ["q", '{"messages": [["user", "q"]]}', {"role": "user", "content": "q"}]
)
def test_what_went_in_depends_on_the_role(span, value):
    """The request of a model call is its messages, wherever they are wrapped."""
    facts = PRODUCT.read(span("1", {"p.kind": "llm", "p.in": value}), ())
    assert [message.text for message in facts.input_messages] == ["q"]
    assert PRODUCT.read(span("1", {"p.kind": "x", "p.in": value}), ()).input_messages is None


def test_cut_content_is_marked(span):
    """Half of it must not be judged as if it were whole."""
    assert PRODUCT.read(span("1", {"p.kind": "x", "p.in": '{"a": "b'}), ()).truncated
    assert not PRODUCT.read(span("1", {"p.kind": "x", "p.in": '{"a": "b"}'}), ()).truncated


def test_empty_documents_and_sentinels_are_not_there():
    """An instrumentation writes {} where it was told to write nothing."""
    assert present({"a": "{}", "b": "N/A", "c": 0}, ("a", "b", "c")) == 0
    assert present({"a": ""}, ("a", "b")) is None
