"""Can a metric run on this trace? Decided from what it declares to need."""

from collections.abc import Callable, Mapping, Sequence

from scorer.api import AgentTrace, Message, Need


def _context_reason(trace: AgentTrace) -> str | None:
    if not trace.contexts:
        return "no_contexts"
    if not any(document.text for document in trace.contexts):
        return "context_text_not_captured"
    return None


def _outputs_reason(trace: AgentTrace) -> str | None:
    """Whether anything was captured that the agent let out: text, tool arguments, an error."""
    if trace.answer is not None or trace.errors:
        return None
    if any(call.arguments is not None for call in trace.tool_calls or ()):
        return None
    spoken = (trace.messages, *(call.output_messages for call in trace.llm_calls))
    said = any(_says_something(message) for messages in spoken for message in messages or ())
    return None if said else "no_outputs"


def _says_something(message: Message) -> bool:
    if message.role != "assistant":
        return False
    return bool(message.text) or any(c.arguments is not None for c in message.tool_calls)


def _reference_reason(trace: AgentTrace, field: str = "answer") -> str | None:
    known = trace.reference is not None and getattr(trace.reference, field) is not None
    return None if known else "no_reference"


def _media_reason(trace: AgentTrace, kind: str) -> str | None:
    return None if any(media.kind == kind for media in trace.media) else f"no_{kind}"


_REASONS: Mapping[Need, Callable[[AgentTrace], str | None]] = {
    "question": lambda trace: None if trace.question is not None else "no_question",
    "answer": lambda trace: None if trace.answer is not None else "no_answer",
    "contexts": lambda trace: None if trace.contexts else "no_contexts",
    "context_text": _context_reason,
    "tool_calls": lambda trace: None if trace.tool_calls else "no_tool_calls",
    "llm_calls": lambda trace: None if trace.llm_calls else "no_llm_calls",
    "usage": lambda trace: None if trace.usage is not None else "no_usage",
    "duration": lambda trace: None if trace.duration_s is not None else "no_duration",
    "outputs": _outputs_reason,
    "reference_answer": _reference_reason,
    "reference_caption": lambda trace: _reference_reason(trace, "caption"),
    "reference_transcript": lambda trace: _reference_reason(trace, "transcript"),
    "media": lambda trace: None if trace.media else "no_media",
    "image": lambda trace: _media_reason(trace, "image"),
    "video": lambda trace: _media_reason(trace, "video"),
    "consent": lambda trace: None if trace.consent else "no_consent",
    "spending": lambda trace: None if trace.spending else "no_epsilon",
    "sensitive_values": lambda trace: None if trace.sensitive else "no_sensitive_values",
}


def missing_need(trace: AgentTrace, needs: Sequence[Need]) -> str | None:
    """Return the reason code of the first need that the trace does not meet, or None."""
    for need in needs:
        reason = _REASONS[need](trace)
        if reason is not None:
            return reason
    return None
