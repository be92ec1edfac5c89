"""What a hostile body may cost in memory: measured on a server in a process of its own."""

import socket
import subprocess
import sys
import urllib.error
import urllib.request
import zlib
from contextlib import contextmanager
from pathlib import Path

import pytest

MIB = 2**20
TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _GOAWAY, _WINDOW_UPDATE = 0, 1, 3, 4, 7, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_INITIAL_WINDOW_SIZE = 4
_MAX_FRAME = 16384

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the peak of the resident set is in /proc"
)


@pytest.fixture(scope="session")
def bomb():
    """A gzip body of 0.4 MB that inflates to 400 MiB."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(MIB)
    body = b"".join(deflater.compress(zeros) for _ in range(400)) + deflater.flush()
    assert len(body) < MIB
    return body


@contextmanager
def serve(protocol, limit):
    """Run a receiver; yield its port and a function that ends it and tells its peak growth."""
    script = Path(__file__).with_name("serve_otlp.py")
    process = subprocess.Popen(
        [sys.executable, script, protocol, limit],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def growth():
        process.stdin.close()
        return int(process.stdout.readline())

    with process:
        yield int(process.stdout.readline()), growth


def test_grpc_inflates_to_its_limit_only(bomb):
    """Grpcio must hold its limit while it inflates; many releases check it afterwards."""
    with serve("grpc", "4MiB") as (port, growth):
        answer = RawHttp2(port).call(TRACES, bomb)
        assert b"larger" in answer
        assert growth() < 32 * MIB


@pytest.mark.parametrize("content_type", ["application/x-protobuf", "application/json"])
def test_http_inflates_to_its_limit_only(bomb, content_type):
    """The inflated body of an HTTP request is never larger than the limit."""
    headers = {"Content-Type": content_type, "Content-Encoding": "gzip"}
    with serve("http", "4MiB") as (port, growth):
        url = f"http://127.0.0.1:{port}/v1/traces"
        request = urllib.request.Request(url, bomb, headers)
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=30)
        with caught.value:
            assert caught.value.code == 413
        assert growth() < 32 * MIB


class RawHttp2:
    """Just enough of HTTP/2 to send one gRPC message whose gzip bytes are made by hand.

    A gRPC client compresses what it is given: it would have to hold the inflated body.
    """

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._windows = {0: 65535, 1: 65535}
        self.answer = b""
        self.is_over = False

    def call(self, path, packed):
        """Send one gzip message; return the raw header blocks and data of the answer."""
        headers = {
            ":method": "POST",
            ":scheme": "http",
            ":path": path,
            ":authority": "localhost",
            "content-type": "application/grpc",
            "te": "trailers",
            "grpc-encoding": "gzip",
        }
        block = b"".join(_literal(name.encode(), value.encode()) for name, value in headers.items())
        self._socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(_SETTINGS, 0, 0, b""))
        self._socket.sendall(_frame(_HEADERS, _END_HEADERS, 1, block))
        message = b"\x01" + len(packed).to_bytes(4, "big") + packed
        with self._socket:
            self._send(message)
            while not self.is_over:
                self._receive()
        return self.answer

    def _send(self, data):
        while data and not self.is_over:
            room = min(_MAX_FRAME, *self._windows.values())
            if room <= 0:
                self._receive()
                continue
            piece, data = data[:room], data[room:]
            self._windows = {key: window - len(piece) for key, window in self._windows.items()}
            flags = 0 if data else _END_STREAM
            self._socket.sendall(_frame(_DATA, flags, 1, piece))

    def _receive(self):
        head = self._read(9)
        size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream, body = int.from_bytes(head[5:], "big"), self._read(size)
        if kind == _WINDOW_UPDATE:
            self._windows[stream] += int.from_bytes(body, "big")
        elif kind == _SETTINGS and not flags & _ACK:
            self._apply(body)
        elif kind in (_HEADERS, _DATA):
            self.answer += body
            self.is_over = bool(flags & _END_STREAM)
        elif kind in (_RST_STREAM, _GOAWAY):
            self.is_over = True

    def _apply(self, settings):
        for start in range(0, len(settings), 6):
            key = int.from_bytes(settings[start : start + 2], "big")
            if key == _INITIAL_WINDOW_SIZE:
                value = int.from_bytes(settings[start + 2 : start + 6], "big")
                self._windows[1] += value - 65535
        self._socket.sendall(_frame(_SETTINGS, _ACK, 0, b""))

    def _read(self, size):
        data = b""
        while len(data) < size:
            piece = self._socket.recv(size - len(data))
            if not piece:
                raise ConnectionError("closed")
            data += piece
        return data


def _literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def _frame(kind, flags, stream, body):
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body
