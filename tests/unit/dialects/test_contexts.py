import json

KIND = "openinference.span.kind"
CHAIN = {"traceloop.span.kind": "task", "traceloop.entity.name": "step"}


def texts(view):
    return [document.text for document in view.contexts] if view.contexts is not None else None


def retrieved(*documents, kind="RETRIEVER", prefix="retrieval.documents"):
    found = {f"{prefix}.{n}.document.content": text for n, text in enumerate(documents)}
    return {KIND: kind, **found}


def tool(name, result):
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.result": result,
    }


def test_without_retrieval_there_are_no_contexts(span, view):
    """None, not an empty list: nothing was looked up."""
    assert view(span("1", {KIND: "LLM"})).contexts is None


def test_wrapper_spans_repeat_documents(span, view):
    """Every document counts once."""
    result = view(span("1", retrieved("a", "b")), span("2", retrieved("b", "c"), parent="1"))
    assert texts(result) == ["a", "b", "c"]


def test_reranked_documents_replace_the_retrieved_ones(span, view):
    """The model saw those."""
    reranked = retrieved("b", kind="RERANKER", prefix="reranker.output_documents")
    assert texts(view(span("1", retrieved("a", "b")), span("2", reranked))) == ["b"]


def test_a_step_that_returns_documents_is_a_retrieval(span, view):
    """A decorated function has no other mark."""
    output = '[{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]'
    assert texts(view(span("1", {**CHAIN, "traceloop.entity.output": output}))) == ["a", "b"]


def test_serialised_documents_are_found_in_what_a_step_was_given(span, view):
    """LangChain passes Document objects along."""
    document = '{"lc": 1, "id": ["x", "Document"], "kwargs": {"page_content": "a", "id": "1"}}'
    attributes = {**CHAIN, "traceloop.entity.input": f'{{"inputs": [{document}]}}'}
    assert texts(view(span("1", attributes))) == ["a"]


def test_messages_are_no_documents(span, view):
    """A list of messages also has contents and ids."""
    output = '[{"id": "1", "role": "user", "content": "a"}]'
    assert view(span("1", {**CHAIN, "traceloop.entity.output": output})).contexts is None


def test_the_result_of_a_searching_tool_is_a_context(span, view):
    """Agents retrieve through tools; a tool that acts is no retrieval."""
    assert texts(view(span("1", tool("search_docs", "found")))) == ["found"]
    assert texts(view(span("1", tool("retrieve_context", '["a", "b"]')))) == ["a", "b"]
    assert view(span("1", tool("book_flight", "booked"))).contexts is None
    assert view(span("1", tool("search_docs", "Error: down"))).contexts is None


def test_documents_of_which_only_ids_are_known_prove_the_retrieval(span, view):
    """The convention does not ask for their text."""
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": '[{"id": "d1"}]',
    }
    assert texts(view(span("1", attributes))) == [None]


def test_a_list_may_be_printed_over_several_lines(span, view):
    """Or be encoded twice."""
    documents = [{"id": "1", "content": "d"}]
    for recorded in (json.dumps(documents, indent=2), json.dumps(json.dumps(documents))):
        attributes = {"traceloop.span.kind": "task", "traceloop.entity.output": recorded}
        assert [found.text for found in view(span("1", attributes)).contexts] == ["d"]
