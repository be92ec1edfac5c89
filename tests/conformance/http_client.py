"""HTTP/1.1 as bytes: a client that lets a server answer before the body is sent."""

import http.client
import select
import socket
import time
from contextlib import closing
from urllib.parse import urlsplit

from .answer import JSON, PROTOBUF, Answer

TIMEOUT_S = 6

_PIECE = 64 * 1024


class HttpClient:
    """One connection, opened again when the server has closed it; `opened` counts how often."""

    def __init__(self, url, token=None):
        parts = urlsplit(url)
        self._address = parts.hostname, parts.port or 80
        self._common = {"Host": parts.netloc}
        if token:
            self._common["Authorization"] = f"Bearer {token}"
        self._socket = None
        self.opened = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def post(self, body, media_type=PROTOBUF, *, path="/v1/traces", method="POST", **headers):
        """Send a request with a Content-Length; a header given as None is left out."""
        sent = {"Content-Type": media_type, "Content-Length": str(len(body))}
        self.send_head(method, path, sent | _names(headers))
        self.send(body)
        return self.answer(method)

    def post_chunked(self, pieces, media_type=PROTOBUF, **headers):
        """Send a request without a Content-Length."""
        sent = {"Content-Type": media_type, "Transfer-Encoding": "chunked"}
        self.send_head("POST", "/v1/traces", sent | _names(headers))
        for piece in pieces:
            if not self.send(b"%x\r\n%b\r\n" % (len(piece), piece)):
                break
        else:
            self.send(b"0\r\n\r\n")
        return self.answer()

    def send_head(self, method="POST", path="/v1/traces", headers=(), body=b""):
        """Send the head of a request, in one piece with the begin of its body."""
        fields = self._common | dict(headers)
        lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self._connect()
        head = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""])
        self.send(head.encode() + body)

    def send(self, data):
        """Send bytes; False when the server answered or hung up before all were sent."""
        rest = memoryview(data)
        while rest:
            readable, writable, _ = select.select([self._socket], [self._socket], [], TIMEOUT_S)
            if readable:
                return False
            if not writable:
                raise TimeoutError("the server does not read and does not answer")
            try:
                rest = rest[self._socket.send(rest[:_PIECE]) :]
            except ConnectionError:
                return False
        return True

    def answer(self, method="POST", timeout_s=TIMEOUT_S):
        """Read one answer (100 Continue is passed over); raises ConnectionError, TimeoutError."""
        self._socket.settimeout(timeout_s)
        with closing(http.client.HTTPResponse(self._socket, method=method)) as response:
            try:
                response.begin()
                body = response.read()
            except TimeoutError:
                raise TimeoutError(f"no answer within {timeout_s} s") from None
            headers = {name.lower(): value for name, value in response.getheaders()}
            if response.will_close:
                self.close()
        media_type = headers.get("content-type", "none").split(";")[0].strip().lower()
        return Answer(response.status, body, headers, "", media_type)

    def peek(self):
        """Wait for bytes and return the first ones, without taking them; b"" = closed."""
        self._socket.settimeout(TIMEOUT_S)
        try:
            return self._socket.recv(64, socket.MSG_PEEK)
        except ConnectionError:
            return b""
        except TimeoutError:
            raise TimeoutError(f"no answer within {TIMEOUT_S} s") from None

    def take_head(self):
        """Take the head of an interim answer."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._socket.recv(1)

    def drip(self, seconds):
        """Send a byte every 50 ms; return after how many seconds the server answered or hung up."""
        started = time.monotonic()
        while time.monotonic() - started < seconds:
            if not self.send(b"x"):
                return time.monotonic() - started
            time.sleep(0.05)
        return None

    def _connect(self):
        if self._socket is not None and self._is_closed():
            self.close()
        if self._socket is None:
            self._socket = socket.create_connection(self._address, TIMEOUT_S)
            self.opened += 1

    def _is_closed(self):
        readable, _, _ = select.select([self._socket], [], [], 0)
        return bool(readable)


def media_type_of(transport):
    """Return the Content-Type of an HTTP transport."""
    return {"http/protobuf": PROTOBUF, "http/json": JSON}[transport]


def _names(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}
