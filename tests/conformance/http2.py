"""gRPC calls frame by frame, for what a gRPC client refuses to send."""

import socket
import time
from collections import defaultdict
from urllib.parse import unquote

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    DataReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
)

from .answer import Answer, grpc_code
from .grpc_client import TRACES, message

TIMEOUT_S = 6

_CLOSED = "connection closed"
_FRAME_HEAD, _GOAWAY = 9, 7


class RawGrpc:
    """One HTTP/2 connection that carries hand-made gRPC calls."""

    def __init__(self, target, token=None):
        host, port = target.rsplit(":", 1)
        self._token = token
        self._socket = socket.create_connection((host.strip("[]"), int(port)), TIMEOUT_S)
        self._http2 = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self._http2.initiate_connection()
        self._headers = defaultdict(dict)
        self._data = defaultdict(bytes)
        self._over = {}
        self._received = b""
        self.is_going_away = False
        self._flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def call(self, body, *, compressed=False, **headers):
        """Send one whole message and return the answer."""
        stream = self.open(**headers)
        self.send(stream, message(body, compressed=compressed), end=True)
        return self.answer(stream)

    def open(self, method=TRACES, **headers):
        """Send the head of a call; returns its stream."""
        stream = self._http2.get_next_available_stream_id()
        head = {
            ":method": "POST",
            ":scheme": "http",
            ":path": method,
            ":authority": "localhost",
            "content-type": "application/grpc",
            "te": "trailers",
        }
        if self._token:
            head["authorization"] = f"Bearer {self._token}"
        head |= {name.replace("_", "-"): value for name, value in headers.items()}
        self._http2.send_headers(stream, list(head.items()))
        self._flush()
        return stream

    def send(self, stream, data, *, end=False):
        """Send bytes within the windows; False when the call was answered before all were sent."""
        deadline = time.monotonic() + TIMEOUT_S
        self._receive(0)
        while data and stream not in self._over:
            window = self._http2.local_flow_control_window(stream)
            size = min(window, self._http2.max_outbound_frame_size, len(data))
            if size:
                self._http2.send_data(stream, data[:size], end_stream=end and size == len(data))
                data = data[size:]
                self._flush()
            self._receive(0 if size else deadline - time.monotonic())
        return not data

    def answer(self, stream, timeout_s=TIMEOUT_S):
        """Wait for the end of a call; raises TimeoutError."""
        deadline = time.monotonic() + timeout_s
        while stream not in self._over:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no answer within {timeout_s:g} s")
            self._receive(deadline - time.monotonic())
        return self._answer(stream)

    def _answer(self, stream):
        headers = self._headers[stream]
        if "grpc-status" in headers:
            code = grpc_code(int(headers["grpc-status"]))
        else:
            code = self._over[stream] or f"HTTP {headers.get(':status')}"
        return Answer(
            code, self._data[stream][5:], headers, unquote(headers.get("grpc-message", ""))
        )

    def _receive(self, timeout_s):
        """Handle what comes within this time; a closed connection ends all calls."""
        self._socket.settimeout(max(timeout_s, 0.001))
        try:
            data = self._socket.recv(64 * 1024)
        except TimeoutError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self._end_all(_CLOSED)
            return
        self._received += data
        for frame in self._whole_frames():
            for event in self._http2.receive_data(frame):
                self._handle(event)
        self._flush()

    def _whole_frames(self):
        """Yield all but GOAWAY, after which h2 would let nothing be sent on open streams."""
        while len(self._received) >= _FRAME_HEAD:
            size = _FRAME_HEAD + int.from_bytes(self._received[:3], "big")
            if len(self._received) < size:
                return
            frame, self._received = self._received[:size], self._received[size:]
            if frame[3] == _GOAWAY:
                self.is_going_away = True
            else:
                yield frame

    def _handle(self, event):
        if isinstance(event, (ResponseReceived, TrailersReceived)):
            self._headers[event.stream_id] |= dict(event.headers)
        elif isinstance(event, DataReceived):
            self._data[event.stream_id] += event.data
            self._http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, StreamEnded):
            self._over[event.stream_id] = ""
        elif isinstance(event, StreamReset):
            self._over.setdefault(event.stream_id, f"RST_STREAM {event.error_code!s}")

    def _end_all(self, why):
        for stream in range(1, self._http2.get_next_available_stream_id(), 2):
            self._over.setdefault(stream, why)

    def _flush(self):
        try:
            self._socket.sendall(self._http2.data_to_send())
        except ConnectionError:
            self._end_all(_CLOSED)
