"""What is known of the built-in dialects: which libraries write them, and what they can tell.

The README table is made from this. Versions are those of which real exports were recorded and
normalised; other versions mostly read the same.
"""

from typing import Literal, get_args

from msgspec import Struct

Fact = Literal[
    "question",
    "answer",
    "contexts",
    "tool_calls",
    "agents",
    "handoffs",
    "models",
    "tokens",
    "cost",
    "session",
    "user",
]
ALL: tuple[Fact, ...] = get_args(Fact)


class About(Struct, frozen=True, kw_only=True):
    """One dialect; `recorded` = "library version" each, () = read from specifications alone."""

    covers: str
    recorded: tuple[str, ...]
    facts: tuple[Fact, ...]
    content: str


def _without(*facts: Fact) -> tuple[Fact, ...]:
    return tuple(fact for fact in ALL if fact not in facts)


ABOUT: dict[str, About] = {
    "agentops": About(
        covers="AgentOps' decorators, beside the standard keys",
        recorded=(),
        facts=("question", "answer", "tool_calls", "agents"),
        content="on",
    ),
    "bedrock_agentcore": About(
        covers="the log events into which Bedrock AgentCore (ADOT) moves the content "
        "of a framework's spans",
        recorded=(),
        facts=("question", "answer", "tool_calls", "session"),
        content="in log events: send log records here too",
    ),
    "braintrust": About(
        covers="Braintrust",
        recorded=(),
        facts=("question", "answer", "tool_calls", "models", "tokens", "session", "user"),
        content="on",
    ),
    "claude_api": About(
        covers="the roles of the spans of Anthropic's SDKs and platform, beside the standard keys",
        recorded=(),
        facts=("tool_calls",),
        content="by the standard keys",
    ),
    "claude_code": About(
        covers="Claude Code: spans, and sessions that come as log records",
        recorded=(),
        facts=_without("contexts", "handoffs"),
        content="`OTEL_LOG_USER_PROMPTS=1`, `OTEL_LOG_TOOL_DETAILS=1`, with logs "
        "exported too (what was said and the cost are in them)",
    ),
    "codex": About(
        covers="Codex CLI: sessions that come as log records",
        recorded=(),
        facts=("question", "tool_calls", "agents", "models", "tokens", "session"),
        content="`log_user_prompt = true` in `[otel]`; answers are never sent",
    ),
    "confident": About(
        covers="DeepEval / Confident AI",
        recorded=(),
        facts=_without("handoffs"),
        content="on",
    ),
    "genkit": About(
        covers="Genkit",
        recorded=(),
        facts=_without("handoffs", "cost", "user"),
        content="on",
    ),
    "google_adk": About(
        covers="what Google ADK 1.x (schema 1) adds to the standard keys",
        recorded=("google-adk 2.13.0",),
        facts=_without("cost", "user"),
        content="on, unless `ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=false`",
    ),
    "haystack": About(
        covers="Haystack's own tracer",
        recorded=(),
        facts=("question", "answer", "contexts", "tool_calls", "agents", "models", "tokens"),
        content="`HAYSTACK_CONTENT_TRACING_ENABLED=true`",
    ),
    "laminar": About(
        covers="Laminar",
        recorded=(),
        facts=_without("contexts", "agents", "handoffs", "models", "tokens"),
        content="on",
    ),
    "langfuse": About(
        covers="Langfuse SDKs and LangChain handler",
        recorded=("langfuse 3.15.0", "langfuse 5.0.4"),
        facts=ALL,
        content="on; `capture_input`/`capture_output` of `observe()`",
    ),
    "langsmith": About(
        covers="LangSmith's OpenTelemetry export",
        recorded=(),
        facts=_without("handoffs", "cost"),
        content="on",
    ),
    "litellm": About(
        covers="raw provider calls of LiteLLM, beside its standard keys",
        recorded=("litellm 1.110.2",),
        facts=_without("contexts", "agents", "handoffs", "session"),
        content="on, unless `litellm.turn_off_message_logging`",
    ),
    "livekit": About(
        covers="LiveKit agents (voice)",
        recorded=(),
        facts=("question", "answer", "tool_calls", "agents", "session", "user"),
        content="on",
    ),
    "logfire": About(
        covers="Logfire's OpenAI Agents, OpenAI and Anthropic instrumentations",
        recorded=("logfire 5.4.0",),
        facts=_without("contexts", "session"),
        content="on; the scrubber hides what looks secret, `group_id` too",
    ),
    "mcp": About(
        covers="Model Context Protocol, client and server",
        recorded=(),
        facts=("tool_calls",),
        content="by the instrumentation of the framework",
    ),
    "mlflow": About(
        covers="MLflow 3 tracing and autologging",
        recorded=("mlflow-skinny 3.17.2",),
        facts=_without("handoffs", "cost", "session", "user"),
        content="on",
    ),
    "openinference": About(
        covers="Arize OpenInference instrumentations",
        recorded=(
            "openinference-instrumentation-agent-framework 0.1.13",
            "openinference-instrumentation-agno 1.0.15",
            "openinference-instrumentation-anthropic 3.1.0",
            "openinference-instrumentation-crewai 1.1.21",
            "openinference-instrumentation-google-adk 1.0.5",
            "openinference-instrumentation-haystack 0.1.46",
            "openinference-instrumentation-langchain 0.1.80",
            "openinference-instrumentation-llama-index 4.6.1",
            "openinference-instrumentation-openai 0.1.66",
            "openinference-instrumentation-openai-agents 2.6.0",
            "openinference-instrumentation-pydantic-ai 0.1.30",
            "openinference-instrumentation-smolagents 0.1.43",
            "openinference-instrumentation-strands-agents 0.1.12",
        ),
        facts=_without("cost"),
        content="on, unless `OPENINFERENCE_HIDE_INPUTS`/`_OUTPUTS`",
    ),
    "openllmetry": About(
        covers="OpenLLMetry / Traceloop",
        recorded=(
            "opentelemetry-instrumentation-anthropic 0.62.4",
            "opentelemetry-instrumentation-langchain 0.47.5",
            "opentelemetry-instrumentation-langchain 0.62.4",
            "opentelemetry-instrumentation-openai 0.47.5",
            "opentelemetry-instrumentation-openai 0.62.4",
            "opentelemetry-instrumentation-openai-agents 0.62.4",
            "traceloop-sdk 0.62.4",
        ),
        facts=_without("cost"),
        content="on, unless `TRACELOOP_TRACE_CONTENT=false`",
    ),
    "otel_genai": About(
        covers="the OpenTelemetry GenAI conventions, old (events as log records or span events) "
        "and new (attributes), and frameworks that follow them",
        recorded=(
            "agent-framework-core 1.23.0",
            "autogen-core 0.7.5",
            "google-adk 2.13.0",
            "litellm 1.110.2",
            "openlit 1.45.0",
            "opentelemetry-instrumentation-genai-anthropic 1.3b0",
            "opentelemetry-instrumentation-genai-langchain 1.3b0",
            "opentelemetry-instrumentation-genai-llama-index 1.3b0",
            "opentelemetry-instrumentation-genai-openai 1.3b0",
            "opentelemetry-instrumentation-genai-openai-agents 1.3b0",
            "opentelemetry-instrumentation-google-genai 1.3b0",
            "opentelemetry-instrumentation-openai-agents-v2 0.1.0",
            "opentelemetry-instrumentation-openai-v2 2.4b0",
            "pydantic-ai-slim 2.68.0",
            "semantic-kernel 1.45.0",
            "strands-agents 1.62.0",
        ),
        facts=ALL,
        content="`OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` with "
        "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only`; older ones `=true`, with "
        "logs exported too; Agent Framework `enable_sensitive_data=True`; Semantic Kernel "
        "`SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true`",
    ),
    "pydantic_ai": About(
        covers="what Pydantic AI adds to the standard keys, instrumentation versions 1 to 5",
        recorded=("logfire 5.4.0", "pydantic-ai-slim 1.0.18", "pydantic-ai-slim 2.68.0"),
        facts=_without("user"),
        content="on, unless `InstrumentationSettings(include_content=False)`",
    ),
    "spring_ai": About(
        covers="Spring AI, beside its standard keys",
        recorded=(),
        facts=("question", "answer", "contexts", "tool_calls", "session"),
        content="`spring.ai.chat.observations.log-prompt` and `.log-completion`, "
        "`spring.ai.tools.observations.include-content`",
    ),
    "trulens": About(
        covers="TruLens",
        recorded=(),
        facts=_without("handoffs", "user"),
        content="on",
    ),
    "vercel_ai": About(
        covers="Vercel AI SDK 4 to 6",
        recorded=("ai 6.0.326",),
        facts=_without("cost"),
        content="`experimental_telemetry: {isEnabled: true, functionId: ...}`; on, unless "
        "`recordInputs`/`recordOutputs` are false",
    ),
}
