"""Read retrieved documents in the shapes that retrievers return.

A document is a dict with a text and a mark of one (an id, a score, metadata), or a serialised
LangChain document; it may stand a few levels deep in what a step returned.
"""

from typing import Any

from scorer.dialects.values import decoded, first_text, identifier, mapping, real, text
from scorer.model.agent_trace import Document

_TEXT_KEYS = ("page_content", "content", "text", "document", "chunk", "passage", "snippet")
_MARKS = frozenset(
    {"id", "doc_id", "document_id", "score", "metadata", "meta", "source", "page_content", "title"}
)
_DEPTH = 3


def documents_in(value: Any, span_id: str, depth: int = 0) -> list[Document]:
    """Return the documents that a decoded value holds, [] when it holds none."""
    if isinstance(value, list) and value:
        found = [_document(item, rank, span_id) for rank, item in enumerate(value)]
        if all(document is not None for document in found):
            return [document for document in found if document is not None]
    if isinstance(value, dict) and depth < _DEPTH:
        for inner in value.values():
            if isinstance(inner, (list, dict)):
                found_inside = documents_in(inner, span_id, depth + 1)
                if found_inside:
                    return found_inside
    return []


def returned_documents(value: Any, span_id: str) -> tuple[Document, ...] | None:
    """Return what a retriever returned: documents, plain passages, or one text."""
    value = decoded(value)
    found = documents_in(value, span_id)
    if not found:
        passages = value if isinstance(value, list) else [value]
        texts = [item for item in passages if text(item)]
        if len(texts) == len(passages):
            found = [Document(item, rank=rank, span_id=span_id) for rank, item in enumerate(texts)]
    return tuple(found) or None


def _document(item: Any, rank: int, span_id: str) -> Document | None:
    fields = mapping(decoded(item))
    if isinstance(fields.get("kwargs"), dict) and isinstance(fields.get("id"), list):
        fields = fields["kwargs"]
    if isinstance(fields.get("node"), dict):  # LlamaIndex puts the score beside the node
        fields = {"id": fields["node"].get("id_"), **fields["node"], **fields}
    if "role" in fields or "tool_calls" in fields or not _MARKS.intersection(fields):
        return None
    body = first_text(fields, *_TEXT_KEYS) or _parts_text(fields.get("content"))
    if body is None:
        return None
    doc_id = identifier(fields.get("id")) or identifier(fields.get("doc_id"))
    return Document(body, doc_id, real(fields.get("score")), rank, span_id)


def _parts_text(parts: Any) -> str | None:
    """Return the text of content in parts, as Genkit writes it."""
    if not isinstance(parts, list):
        return None
    return "\n".join(words for part in parts if (words := text(mapping(part).get("text")))) or None
