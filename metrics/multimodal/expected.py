"""What a text of the answer is compared with: a reference caption or transcript."""

from msgspec.structs import replace

from scorer.api import AgentTrace, Reference


def caption_of(trace: AgentTrace) -> str | None:
    """Return the reference caption, None when there is none or it is blank."""
    return _text(trace.reference.caption if trace.reference else None)


def transcript_of(trace: AgentTrace) -> str | None:
    """Return the reference transcript, None when there is none or it is blank."""
    return _text(trace.reference.transcript if trace.reference else None)


def expecting(trace: AgentTrace, expected: str | None) -> AgentTrace:
    """Return a trace whose reference answer is another one, if there is one: the original's."""
    if expected is None:
        return trace
    return replace(trace, reference=Reference(answer=expected))


def _text(given: str | None) -> str | None:
    return given if given is not None and given.strip() else None
