"""The passages that the run retrieved.

Retrieval and reranking spans come first. Where none holds text, a step that returned a list of
documents counts (a decorated function, a chain link), then a tool whose name says that it
searches documents. Documents of which only ids were captured are the last resort: they prove
that something was retrieved.
"""

import re
from collections.abc import Iterable, Sequence

from scorer.dialects.documents import documents_in
from scorer.dialects.tree import Node
from scorer.dialects.values import decoded
from scorer.model.agent_trace import Document, ToolCall

_SEARCHES = re.compile(
    r"retriev|rag(?:$|_)|knowledge|wiki|(?:^|_)(?:docs?|documents?|passages?)(?:_|$)"
    r"|(?:^|_)search(?:_|$)|vector",
    re.IGNORECASE,
)
_LIST = re.compile(r'["\s]*\[\s*["{]')
_STEPS = frozenset({"chain", "workflow", "tool", "retrieval"})


def find_contexts(
    nodes: Sequence[Node], tool_calls: Sequence[ToolCall]
) -> tuple[Document, ...] | None:
    """Return the retrieved passages without repetition, None when nothing was retrieved."""
    holders = [node for node in nodes if node.facts.documents]
    reranked = [node for node in holders if node.facts.role == "rerank"]
    retrieved = [found for node in reranked or holders for found in node.facts.documents or ()]
    if any(document.text for document in retrieved):
        return _unique(retrieved)
    found = _returned(nodes) or _searched(tool_calls) or retrieved
    return _unique(found) if found else None


def _returned(nodes: Sequence[Node]) -> list[Document]:
    for node in nodes:
        if node.facts.role not in _STEPS:
            continue
        for recorded in (node.facts.output_text, node.facts.input_text):
            if recorded and _promising(recorded):
                found = documents_in(decoded(recorded), node.span.span_id)
                if found:
                    return found
    return []


def _promising(recorded: str) -> bool:
    return "page_content" in recorded or _LIST.match(recorded) is not None


def _searched(tool_calls: Sequence[ToolCall]) -> list[Document]:
    found: list[Document] = []
    for call in tool_calls:
        if call.status == "error" or call.result is None or not _SEARCHES.search(call.name):
            continue
        span_id = call.span_id or ""
        documents = documents_in(call.result, span_id)
        if documents:
            found.extend(documents)
        elif isinstance(call.result, str):
            found.append(Document(call.result, rank=len(found), span_id=call.span_id))
        elif isinstance(call.result, list):
            found.extend(
                Document(item, rank=rank, span_id=call.span_id)
                for rank, item in enumerate(call.result)
                if isinstance(item, str)
            )
    return found


def _unique(documents: Iterable[Document]) -> tuple[Document, ...]:
    found: dict[tuple[str, str], Document] = {}
    for document in documents:
        key = ("text", document.text) if document.text else ("id", document.id or "")
        known = found.get(key)
        if known is None or (known.score is None and document.score is not None):
            found[key] = document
    return tuple(found.values())
