"""OTLP requests made by hand: an SDK would refuse to build most of what is sent here."""

import os

MIB = 2**20


def field(number, payload):
    """Encode a field that holds bytes, a text or a message."""
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def attribute(key, text):
    return field(1, key) + field(2, field(1, text))


def span(*parts, trace=None, own=None, parent=b""):
    """Encode a span that has ended, with ids of its own where none are given."""
    ids = field(1, trace or os.urandom(16)) + field(2, own or os.urandom(8))
    return (
        ids + (field(4, parent) if parent else b"") + b"\x41" + bytes(7) + b"\1" + b"".join(parts)
    )


def agent_span(operation=b"chat", attributes=(), **ids):
    """Encode a span that makes its trace an agent's."""
    pairs = [(b"gen_ai.operation.name", operation), *attributes]
    return span(*(field(9, attribute(*pair)) for pair in pairs), **ids)


def request(*items, resource=b""):
    """Encode a request of spans, or of log records, of one resource."""
    return field(1, field(1, resource) + field(2, b"".join(field(2, item) for item in items)))


def service(name):
    return field(1, attribute(b"service.name", name))


def log_record():
    """Encode a log record of a trace that nobody knows."""
    return b"\x09" + bytes(7) + b"\1" + field(9, os.urandom(16)) + field(10, os.urandom(8))


def deep_value(depth):
    """Encode an AnyValue of lists in lists."""
    heads, size = [], 0
    for level in range(depth):
        head = _varint((5 if level % 2 else 1) << 3 | 2) + _varint(size)
        heads.append(head)
        size += len(head)
    return b"".join(reversed(heads))


def _varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
