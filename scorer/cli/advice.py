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
    "claude_code": (
        "Claude Code: set OTEL_LOG_USER_PROMPTS=1 and OTEL_LOG_TOOL_DETAILS=1, and send its log "
        "records here too: what was said and the cost are in them only"
    ),
    "codex": "Codex: set log_user_prompt = true in [otel]; the answers of the model are not sent",
    "bedrock_agentcore": "Bedrock AgentCore: content is in log events; send log records here too",
    "haystack": "Haystack: set HAYSTACK_CONTENT_TRACING_ENABLED=true",
    "spring_ai": (
        "Spring AI: set spring.ai.chat.observations.log-prompt, .log-completion and "
        "spring.ai.tools.observations.include-content to true"
    ),
}
_CONTENT_REASONS = frozenset({"no_question", "no_answer", "no_outputs"})

_CONTENT_THERE: Mapping[str, str] = {
    "no_question": (
        "question: content is captured, but no user message in it; record the agent's input on "
        "its root span"
    ),
    "no_answer": (
        "answer: content is captured, but no final text of the agent in it; record the agent's "
        "output on its root span"
    ),
}

CUT = (
    "cut content: some texts were cut by an attribute limit; raise or unset "
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT (texts) and "
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (long conversations) in the agent"
)
"""Advice for traces whose content was cut."""

_RETRIEVAL = {
    "otel_genai": (
        "OTel GenAI: record retrieval spans (gen_ai.operation.name=retrieval) whose "
        "gen_ai.retrieval.documents carry the text"
    ),
    "openinference": (
        "OpenInference: instrument the retriever (RETRIEVER spans with "
        "retrieval.documents.N.document.content)"
    ),
    "openllmetry": (
        "OpenLLMetry: instrument the vector database (spans with db.query.result events)"
    ),
}
_RETRIEVAL_REASONS = frozenset({"no_contexts", "context_text_not_captured"})

_MEDIA_PARTS = (
    "none was recorded; keep them in the captured messages, as parts with a URI, a file id or "
    "their content"
)
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
        "reference: set spanscore.reference.answer (of images .caption, of recordings "
        ".transcript) on the root span, or give scoring.references.file"
    ),
    "no_media": f"media: {_MEDIA_PARTS}",
    "no_image": f"images: {_MEDIA_PARTS}",
    "no_video": f"films: {_MEDIA_PARTS}",
    "sidecar_unavailable": (
        "images and films: vectors of them come from a GPU sidecar, which this version does not "
        "have yet"
    ),
    "embedder_not_installed": "embeddings: pip install 'spanscore[embed]'",
    "no_interactions": (
        "interactions: nothing says that one agent addressed another; nest the span of an agent in "
        "that of the one that calls it, or add span events spanscore.interaction"
    ),
    "too_few_interactions": (
        "interactions: few were recorded; add a span event spanscore.interaction for each message "
        "between agents"
    ),
    "no_consent": (
        "consent: set spanscore.consent on the root span, a JSON map of category to true or false"
    ),
    "no_sensitive_values": (
        "sensitive values: set spanscore.sensitive on the root span, a JSON map of key to the "
        "user's value; they are then part of your telemetry"
    ),
    "no_energy": (
        "energy: export an OTLP metric of it (hw.energy, hw.power) with the resource of the spans, "
        "or set spanscore.energy_kwh on the spans, or let the metric estimate it "
        "(kwh_per_1000_tokens, ecologits, cpu_watts, gpu_watts)"
    ),
    "no_resources": (
        "resources: export OTLP metrics of the process (process.cpu.utilization, "
        "process.memory.usage) with the resource of the spans, or set spanscore.cpu_percent, "
        "spanscore.memory_mb or spanscore.gpu_percent on the spans or their resource"
    ),
    "no_epsilon": (
        "privacy budget: set spanscore.privacy.epsilon on each span that asks the data, and "
        "spanscore.privacy.principal on it or around it"
    ),
    "no_principal": (
        "privacy budget: nobody is named whose it is: set spanscore.privacy.principal or the user "
        "id, or give the metric per_principal: false"
    ),
    "unknown_model_energy": (
        "energy: nothing is known of a model; a pattern `*` in kwh_per_1000_tokens covers the rest"
    ),
    "incomplete_usage": (
        "cost: some model calls carry no token counts; a streaming call reports them only when "
        'asked, with OpenAI by stream_options={"include_usage": true}'
    ),
    "unknown_model_price": (
        "cost: the price of a model is not known; record the cost on the spans, or the model's "
        "public name"
    ),
}


def advise(reason: str, dialects: Sequence[str], *, has_content: bool = False) -> Iterator[str]:
    """Return what would make the reason go away for traces of these dialects.

    Where the content is there already, no switch for content is named.
    """
    if reason in _RETRIEVAL_REASONS:
        yield from _per_dialect(_RETRIEVAL, dialects)
    elif reason in _ANY_DIALECT:
        yield _ANY_DIALECT[reason]
    if has_content and reason in _CONTENT_THERE:
        yield _CONTENT_THERE[reason]
    elif not has_content and reason in _CONTENT_REASONS | _RETRIEVAL_REASONS:
        yield from _per_dialect(_CONTENT, dialects)


def _per_dialect(texts: Mapping[str, str], dialects: Sequence[str]) -> Iterator[str]:
    return (texts[dialect] for dialect in dialects if dialect in texts)
