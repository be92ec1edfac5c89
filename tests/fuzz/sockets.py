"""Bytes that are sent through a socket, and how the connection ends."""

import gzip
import socket
import struct
from typing import Literal, NamedTuple

from .wire import GOOD_TRACES, Writer, random_logs, random_metrics, random_traces

_WAIT_S = 0.05
_ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: the connection is reset, not closed
BODIES = [lambda _: GOOD_TRACES, random_traces, random_traces, random_logs, random_metrics]


class Talk(NamedTuple):
    """Pieces that are sent one after the other, and how the connection then ends."""

    pieces: list[bytes]
    end: Literal["read", "half-close", "close", "reset"] = "read"

    def hold(self, address):
        """Send the pieces, end as drawn, and return what came back within a moment."""
        with socket.create_connection(address, timeout=5) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for piece in self.pieces:
                    connection.sendall(piece)
                if self.end == "half-close":
                    connection.shutdown(socket.SHUT_WR)
                if self.end == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
                if self.end in ("close", "reset"):
                    return b""
                connection.settimeout(_WAIT_S)
                return _read(connection)
            except OSError:  # the server has closed already
                return b""


def talk(rng, data):
    """Return the talk that sends some bytes, damaged or cut short now and then."""
    if rng.random() < 0.1:
        data = Writer(rng).damaged(data)
    if rng.random() < 0.1:
        data = data[: rng.randrange(len(data) + 1)]
    at = rng.randrange(len(data) + 1)
    pieces = rng.choice([[data], [data], [data[:at], data[at:]]])
    return Talk(pieces, rng.choice(["read", "read", "read", "half-close", "close", "reset"]))


def _read(connection):
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
            if found.endswith(b"}") or len(piece) < 4096:
                return found
    except TimeoutError:
        pass  # the request is not complete, so the server waits for more
    return found


def mostly(rng, right, odd):
    """Return what is right, or now and then something odd."""
    return rng.choice(odd) if rng.random() < 0.04 else right


def packed(rng, body):
    """Return a body as gzip, damaged now and then."""
    body = gzip.compress(body, 1, mtime=0)
    return Writer(rng).damaged(body) if rng.random() < 0.3 else body
