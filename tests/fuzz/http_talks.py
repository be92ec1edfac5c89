"""HTTP/1.1 requests with odd lines, headers, framing and bodies."""

from .documents import random_text
from .sockets import BODIES, mostly, packed, talk
from .wire import seeds

PROTOBUF, JSON = "application/x-protobuf", "application/json"

_ODD_METHODS = ["GET", "PUT", "OPTIONS", "HEAD", "PO ST", "", "\xff", "P" * 9000]
_PATHS = [*["/v1/traces"] * 4, "/v1/logs", "/v1/metrics"]
_ODD_PATHS = ["/", "/v1/traces?x=%ff", "//v1/traces", "/v1/traces/", "*", "http://[::1/v1/traces"]
_ODD_PATHS += ["/%00", "/" + "a" * 9000, ""]
_ODD_VERSIONS = ["HTTP/1.0", "HTTP/2.0", "HTTP/1.1.1", "HTTP/", ""]
_ODD_TYPES = [f"{JSON}; charset=utf-16", f"{PROTOBUF};;;=", "", "\xff", "a/" + "b" * 9000, "/"]
_ODD_TYPES += [f"{JSON}; charset=utf-8", "Application/JSON", "text/plain"]
_ENCODINGS = ["", "identity", "x-gzip", "GZIP", "deflate", "br", "gzip, gzip", "gzip;q=1", "\xff"]
_LENGTHS = ["-1", "0x10", "1e3", "+5", "", "9" * 30, "5, 5", " 5 ", "\xb2"]
_OTHERS = [
    ("Expect", "100-continue"),
    ("Expect", "the unexpected"),
    ("Connection", "close"),
    ("Connection", "upgrade"),
    ("Upgrade", "websocket"),
    ("Upgrade", "h2c"),
    ("Authorization", "Bearer \xff"),
    ("Content-Type", JSON),
    ("Content-Encoding", "gzip"),
    ("Content-Length", "3"),
    ("Transfer-Encoding", "chunked"),
    ("Transfer-Encoding", "gzip, chunked"),
    ("Sec-WebSocket-Key1", "x"),
    ("X-Long", "x" * 9000),
    ("", "no name"),
    ("Bad Name", "x"),
    ("X\0", "\0"),
    ("X", "folded\r\n more"),
]


def _chunked(rng, body):
    """Return a body in chunks, of which one may be odd."""
    at = rng.randrange(len(body) + 1)
    pieces = [piece for piece in (body[:at], body[at:]) if piece]
    chunks = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces] + [b"0\r\n\r\n"]
    if rng.random() < 0.3:
        odd = [
            b"-1\r\n\r\n",
            b"F" * 20 + b"\r\n",
            b"5\r\nabc",
            b"\r\n",
            b"1;a=b\r\nx\r\n",
            b"0\r\nA: b\r\n\r\n",
        ]
        chunks.insert(rng.randrange(len(chunks)), rng.choice(odd))
    return b"".join(chunks)


def _http_request(rng):
    if rng.random() < 0.3:
        body, content_type = random_text(rng), JSON
    else:
        body, content_type = rng.choice(BODIES)(rng), PROTOBUF
    headers = [("Host", "x"), ("Content-Type", mostly(rng, content_type, _ODD_TYPES))]
    if rng.random() < 0.4:
        headers.append(("Content-Encoding", "gzip"))
        body = packed(rng, body)
    elif rng.random() < 0.1:
        headers.append(("Content-Encoding", rng.choice(_ENCODINGS)))
    if rng.random() < 0.3:
        headers.append(("Transfer-Encoding", "chunked"))
        body = _chunked(rng, body)
    else:
        wrong = [str(max(len(body) + rng.choice([-1, 1, 1000, 10**9]), 0)), *_LENGTHS]
        headers.append(("Content-Length", mostly(rng, str(len(body)), wrong)))
    headers += [rng.choice(_OTHERS) for _ in range(rng.choice([0, 0, 0, 0, 1, 2]))]
    rng.shuffle(headers)
    method, version = mostly(rng, "POST", _ODD_METHODS), mostly(rng, "HTTP/1.1", _ODD_VERSIONS)
    words = method, mostly(rng, rng.choice(_PATHS), _ODD_PATHS), version
    lines = [" ".join(words), *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def _random_talk(rng):
    if rng.random() < 0.05:
        return talk(rng, rng.randbytes(rng.randrange(200)))
    return talk(rng, b"".join(_http_request(rng) for _ in range(rng.choice([1, 1, 1, 2]))))


HTTP_TALKS = seeds.map(_random_talk)
