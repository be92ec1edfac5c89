"""gRPC calls as HTTP/2 frames, with odd headers, frames and messages."""

from .sockets import BODIES, Talk, mostly, packed, talk
from .wire import seeds

DATA, HEADERS, PRIORITY, SETTINGS, CONTINUATION = 0, 1, 2, 4, 9
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_EXPORT = "/opentelemetry.proto.collector.{}.v1.{}Service/Export"
_CALLS = [*[_EXPORT.format("trace", "Trace")] * 4, _EXPORT.format("logs", "Logs")]
_CALLS += [_EXPORT.format("metrics", "Metrics")]
_ODD_CALLS = ["/x", "", "\xff", "/\xff", "/" + "a" * 9000]


def frame(kind, flags, stream, payload):
    """Encode an HTTP/2 frame."""
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags])
    return head + stream.to_bytes(4, "big") + payload


def _literal(name, value):
    """Encode a header without the tables of HPACK."""
    encoded = b"\0"
    for text in (name.encode("latin-1"), value.encode("latin-1")):
        size = len(text)
        encoded += bytes([size]) if size < 0x7F else b"\x7f" + _rest(size - 0x7F)
        encoded += text
    return encoded


def _rest(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _grpc_headers(rng, encoding):
    odd = {
        ":method": ["GET", ""],
        ":scheme": ["https", ""],
        ":path": _ODD_CALLS,
        ":authority": ["\xff", ""],
        "content-type": ["application/grpc+json", "x", "", "\xff"],
        "te": ["", "x"],
        "grpc-encoding": ["gzip", "deflate", "br", "", "\xff"],
        "grpc-timeout": ["0n", "99999999H", "x", "-1S"],
        "authorization": ["Bearer x", "\xff"],
        "x-bin": ["*", "AAAA"],
    }
    right = {
        ":method": "POST",
        ":scheme": "http",
        ":path": rng.choice(_CALLS),
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
        "grpc-encoding": encoding,
        "grpc-timeout": "5S",
        "authorization": "",
        "x-bin": "",
    }
    pairs = [(name, mostly(rng, value, odd[name])) for name, value in right.items()]
    return b"".join(_literal(*pair) for pair in pairs if rng.random() < 0.995)


def _grpc_message(rng, encoding):
    body = rng.choice(BODIES)(rng)
    if encoding == "gzip":
        body = packed(rng, body)
    flag = mostly(rng, int(encoding == "gzip"), [0, 1, 2, 255])
    size = mostly(rng, len(body), [0, max(len(body) - 1, 0), len(body) + 1, 2**31, 2**32 - 1])
    return bytes([flag]) + size.to_bytes(4, "big") + body


_ODD_KINDS = [DATA, *range(PRIORITY, CONTINUATION + 1), 77]
_PAYLOADS = [b"", bytes(4), bytes(8), b"\x7f\xff\xff\xff"]


def _odd_frame(rng):
    payload = rng.choice([*_PAYLOADS, rng.randbytes(6), rng.randbytes(20)])
    flags, stream = rng.choice([0, 0, 1, 4, 8, 255]), rng.choice([0, 1, 1, 2, 3, 2**31 - 1])
    return frame(rng.choice(_ODD_KINDS), flags, stream, payload)


def _grpc_call(rng, stream):
    encoding = rng.choice(["identity", "gzip"])
    headers = _grpc_headers(rng, encoding)
    message = _grpc_message(rng, encoding)
    cut = rng.randrange(len(message) + 1) if rng.random() < 0.3 else 0
    pieces = [piece for piece in (message[:cut], message[cut:]) if piece]
    frames = [frame(HEADERS, mostly(rng, 4, [0, 5, 0x2C]), stream, headers)]
    frames += [frame(DATA, 0, stream, piece[:16384]) for piece in pieces]
    return [*frames, frame(DATA, mostly(rng, 1, [0, 8, 9]), stream, b"")]


def _random_talk(rng):
    if rng.random() < 0.05:
        return talk(rng, rng.randbytes(rng.randrange(200)))
    settings = mostly(rng, b"", [b"\0\4\xff\xff\xff\xff", b"\0\5\0\0\0\1", b"\0"])
    frames = [frame(SETTINGS, 0, 0, settings)]
    for stream in range(1, rng.choice([2, 2, 2, 4]), 2):
        frames += _grpc_call(rng, stream)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        frames.insert(rng.randrange(len(frames) + 1), _odd_frame(rng))
    return talk(rng, _PREFACE + b"".join(frames))


def grpc_call_of(path):
    """Return the talk of one whole call of a path."""
    names = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "x"}
    names |= {"content-type": "application/grpc", "te": "trailers"}
    headers = b"".join(_literal(*pair) for pair in names.items())
    frames = [
        frame(SETTINGS, 0, 0, b""),
        frame(HEADERS, 4, 1, headers),
        frame(DATA, 1, 1, bytes(5)),
    ]
    return Talk([_PREFACE + b"".join(frames)])


GRPC_TALKS = seeds.map(_random_talk)
