"""What stands in the log of accepted requests.

An entry is a request as it was accepted, or a snapshot: all that a trace has, written once more
because the entries it came with are about to be released. Encoded with msgpack.
"""

from typing import Final

import msgspec
from msgspec import Struct

from scorer.assembly.open_trace import OpenTrace
from scorer.errors import PermanentError
from scorer.otlp.join import join
from scorer.otlp.signal import Signal


class Request(Struct, frozen=True, tag=0, array_like=True):
    """A request of a signal, as protobuf."""

    signal: Signal
    tenant: str
    body: bytes


class Snapshot(Struct, frozen=True, tag=1, array_like=True):
    """All spans and log records of one trace, as two requests; `revision` is the one to come.

    `duplicates` and `conflicts` are how many spans had come twice until then.
    """

    tenant: str
    revision: int
    traces: bytes
    logs: bytes
    duplicates: int = 0
    conflicts: int = 0


Entry = Request | Snapshot

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(Request | Snapshot)


def encode(entry: Entry) -> bytes:
    """Return an entry as bytes."""
    return _encoder.encode(entry)


def decode(payload: bytes) -> Entry:
    """Return the entry of some bytes.

    Raises:
        PermanentError: They are none.
    """
    try:
        return _decoder.decode(payload)
    except msgspec.MsgspecError as error:
        raise PermanentError(f"an entry of the log does not decode: {error}") from error


def snapshot(trace: OpenTrace, revision: int) -> Snapshot:
    """Return what a trace has."""
    logs = zip(trace.logs or (), trace.log_envelopes or (), strict=True)
    spans = zip(trace.spans, trace.envelopes, strict=True)
    return Snapshot(
        trace.tenant, revision, join(spans), join(logs), trace.duplicates, trace.conflicts
    )
