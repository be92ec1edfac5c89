import pytest

from scorer.dialects.documents import documents_in, returned_documents
from scorer.model.agent_trace import Document


@pytest.mark.parametrize(
    "item",
    [
        {"page_content": "a", "metadata": {}, "id": "d"},
        {"content": "a", "id": "d", "meta": {}},
        {"id": ["langchain", "Document"], "kwargs": {"page_content": "a", "id": "d"}},
    ],
)
def test_a_document_is_a_text_with_a_mark(item):
    """Vector stores, Haystack, and LangChain's own serialisation."""
    assert documents_in([item], "s") == [Document("a", "d", None, 0, "s")]


def test_a_text_without_a_mark_or_a_message_is_no_document():
    """Otherwise every list of dicts would be one."""
    assert documents_in([{"text": "a"}], "s") == []
    assert documents_in([{"role": "user", "content": "a", "id": "1"}], "s") == []


def test_documents_may_stand_inside_what_was_returned():
    """A retriever may answer with more than its documents."""
    value = {"result": {"documents": [{"text": "a", "score": 0.5}]}}
    assert documents_in(value, "s") == [Document("a", None, 0.5, 0, "s")]


def test_a_retriever_may_return_plain_passages():
    """A list of texts, or one text."""
    assert returned_documents('["a", "b"]', "s") == (
        Document("a", rank=0, span_id="s"),
        Document("b", rank=1, span_id="s"),
    )
    assert returned_documents("a", "s") == (Document("a", rank=0, span_id="s"),)


@pytest.mark.parametrize("value", [None, "", "[]", 3, {"a": 1}, ["a", 3]])
def test_anything_else_holds_no_document(value):
    """Nothing is guessed."""
    assert returned_documents(value, "s") is None


def test_a_document_may_be_a_node_or_have_parts():
    """LlamaIndex and Genkit write them so."""
    found = documents_in(
        [
            {"node": {"text": "d1", "id_": "1"}, "score": 0.5},
            {"content": [{"text": "d"}, {"text": "2"}], "metadata": {}},
        ],
        "s",
    )
    assert [(item.text, item.id, item.score) for item in found] == [
        ("d1", "1", 0.5),
        ("d\n2", None, None),
    ]
    assert documents_in([{"content": [5], "metadata": {}}], "s") == []
