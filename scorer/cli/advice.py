"""What to switch on in the agent so that a fact reaches its spans."""

from collections.abc import Iterator, Mapping, Sequence

_CONTENT: Mapping[str, str] = {
    "otel_genai": (
        "OTel GenAI: capture content with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true "
        "(newer packages: SPAN_ONLY, with OTEL_SEMCONV_STABILITY_OPT_IN="
        "gen_ai_latest_experimental); where content goes out as log records, send logs here too"
    ),
    "openinference": (
        "OpenInference: content is on unless hidden: unset OPENINFERENCE_HIDE_INPUTS, "
        "OPENINFERENCE_HIDE_OUTPUTS and their _MESSAGES and _TEXT forms"
    ),
    "openllmetry": "OpenLLMetry: content is on unless TRACELOOP_TRACE_CONTENT=false: remove that",
}
_CONTENT_REASONS = frozenset({"no_question", "no_answer", "no_outputs"})

_RETRIEVAL = {
    "otel_genai": (
        "OTel GenAI: record retrieval spans (gen_ai.operation.name=retrieval) whose "
        "gen_ai.retrieval.documents carry the text"
    ),
    "openinference": (
        "OpenInference: instrument the retriever (RETRIEVER spans with "
        "retrieval.documents.N.document.content); unset OPENINFERENCE_HIDE_OUTPUTS"
    ),
    "openllmetry": (
        "OpenLLMetry: instrument the vector database (spans with db.query.result events); "
        "remove TRACELOOP_TRACE_CONTENT=false"
    ),
}
_RETRIEVAL_REASONS = frozenset({"no_contexts", "context_text_not_captured"})

_ANY_DIALECT: Mapping[str, str] = {
    "no_tool_calls": (
        "tool calls: none were recorded; if the agent has tools, instrument them (execute_tool, "
        "TOOL or traceloop tool spans)"
    ),
    "no_llm_calls": "model calls: instrument the model client, so that its calls become spans",
    "no_usage": (
        "tokens: a streaming call reports them only when asked, with OpenAI by "
        'stream_options={"include_usage": true}'
    ),
    "no_duration": "duration: the spans carry no valid times; check the exporter",
    "no_reference": (
        "reference: set spanscore.reference.answer on the root span, or give "
        "scoring.references.file"
    ),
}


def advise(reason: str, dialects: Sequence[str]) -> Iterator[str]:
    """Return what would make the reason go away for traces of these dialects."""
    if reason in _CONTENT_REASONS:
        yield from _per_dialect(_CONTENT, dialects)
    elif reason in _RETRIEVAL_REASONS:
        yield from _per_dialect(_RETRIEVAL, dialects)
    elif reason in _ANY_DIALECT:
        yield _ANY_DIALECT[reason]


def _per_dialect(texts: Mapping[str, str], dialects: Sequence[str]) -> Iterator[str]:
    return (texts[dialect] for dialect in dialects if dialect in texts)
