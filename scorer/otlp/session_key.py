"""The trace that a log record of a coding agent's session belongs to.

Codex and Claude Code write their sessions as log records without a trace. What they have in
common is the session's key, so a trace id is derived from it: the first 16 bytes of its SHA-256.
Sessions of the same key are one trace.
"""

import hashlib

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2

# The name of every event begins with the first; the attribute holds the key.
_PRODUCTS = (
    (b"codex.", "codex.", "conversation.id"),
    (b"claude_code.", "claude_code.", "session.id"),
)


def may_hold_sessions(body: bytes) -> bool:
    """Whether anything in a request may be a session's; the quick test for all others."""
    return any(mark in body for mark, _, _ in _PRODUCTS)


def session_trace_id(wire: bytes) -> bytes | None:
    """Return the derived trace id (16 bytes) of a log record, None when it is of no session."""
    if not may_hold_sessions(wire):
        return None
    try:
        record = logs_pb2.LogRecord.FromString(wire)
    except DecodeError:
        return None
    attributes = {attribute.key: attribute.value for attribute in record.attributes}
    names = (record.event_name, record.body.string_value, _text(attributes, "event.name"))
    for _, prefix, key in _PRODUCTS:
        if any(name.startswith(prefix) for name in names):
            session = _text(attributes, key)
            return hashlib.sha256(session.encode()).digest()[:16] if session else None
    return None


def _text(attributes: dict[str, common_pb2.AnyValue], key: str) -> str:
    return attributes[key].string_value if key in attributes else ""
