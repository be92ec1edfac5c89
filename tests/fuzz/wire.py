"""Protobuf as a hostile or broken sender might write it.

Messages follow the field numbers of OTLP, mostly with the right type. Now and then one is
written with an odd length, varint, wire type or group, and bytes are cut or changed at
random places. Hypothesis draws the seed only: thousands of choices a message are not its
business, and it prints the bytes that fail.
"""

from collections.abc import Callable
from random import Random

from hypothesis import strategies as st

from scorer.testing import TraceBuilder

TRACE_IDS = [bytes([n] * 16) for n in (1, 2, 3)]
SPAN_IDS = [bytes([n] * 8) for n in (1, 2, 3, 4)]

_HUGE = [2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]
_NUMBERS = [0, 1, 2, 3, 5, 200]
_TEXTS = [b"", b"x", b"gen_ai.operation.name", b"chat", b"spanscore.trace.end", b"service.name"]
_BAD_TEXTS = [b"\xff", b"\xed\xa0\x80", b"a\xc3", b"\xf0\x9f\x98", b"\0", b"\xc0\x80", b"\x80x"]
_LEVELS = [1, 20, 47, 48, 49, 50, 100, 300]
_ODDITY = 0.03
_MAX_DEPTH = 7

TEXT, BYTES, VARINT, FIXED64, FIXED32, TRACE_ID, SPAN_ID = range(7)


class Shape:
    """The fields of a message: by number a scalar kind, or the shape of a message."""

    def __init__(self, **fields):
        self.fields = {int(number.strip("_")): kind for number, kind in fields.items()}

    @property
    def ids(self):
        """The numbers of the ids that identify the message."""
        return [n for n, kind in self.fields.items() if kind in (TRACE_ID, SPAN_ID)][:2]


VALUE = Shape(_1=TEXT, _2=VARINT, _3=VARINT, _4=FIXED64, _7=BYTES, _8=VARINT)
KEY_VALUE = Shape(_1=TEXT, _2=VALUE, _3=VARINT)
VALUE.fields |= {5: Shape(_1=VALUE), 6: Shape(_1=KEY_VALUE)}
RESOURCE = Shape(_1=KEY_VALUE, _2=VARINT)
SCOPE = Shape(_1=TEXT, _2=TEXT, _3=KEY_VALUE, _4=VARINT)
EVENT = Shape(_1=FIXED64, _2=TEXT, _3=KEY_VALUE, _4=VARINT)
LINK = Shape(_1=TRACE_ID, _2=SPAN_ID, _3=TEXT, _4=KEY_VALUE, _5=VARINT, _6=FIXED32)
STATUS = Shape(_2=TEXT, _3=VARINT)
SPAN = Shape(
    _1=TRACE_ID,
    _2=SPAN_ID,
    _3=TEXT,
    _4=SPAN_ID,
    _5=TEXT,
    _6=VARINT,
    _7=FIXED64,
    _8=FIXED64,
    _9=KEY_VALUE,
    _10=VARINT,
    _11=EVENT,
    _12=VARINT,
    _13=LINK,
    _14=VARINT,
    _15=STATUS,
    _16=FIXED32,
)
LOG_RECORD = Shape(
    _1=FIXED64,
    _2=VARINT,
    _3=TEXT,
    _5=VALUE,
    _6=KEY_VALUE,
    _7=VARINT,
    _8=FIXED32,
    _9=TRACE_ID,
    _10=SPAN_ID,
    _11=FIXED64,
    _12=TEXT,
)
_POINTS = Shape(_1=Shape(_3=FIXED64, _7=KEY_VALUE))
METRIC = Shape(_1=TEXT, _5=_POINTS, _7=_POINTS, _9=_POINTS, _10=_POINTS, _11=_POINTS)


def varint(number, padding=0):
    """Encode a number, with as many needless continuation bytes."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    if padding:
        out[-1] |= 0x80
        out += b"\x80" * (padding - 1) + b"\0"
    return bytes(out)


def field(number, payload):
    """Encode a length-delimited field as it should be."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def nested(levels, *, kvlist=False):
    """Return the bytes of an AnyValue of so many arrays or key-value lists."""
    value = field(1, b"core")
    for _ in range(levels):
        value = field(6, field(1, field(2, value))) if kvlist else field(5, field(1, value))
    return value


class Writer:
    """Writes messages, some of them wrongly."""

    def __init__(self, rng: Random):
        self._rng = rng
        # Many requests are all well in their frame and have a fault inside of one item.
        self._oddity = rng.choice([0, _ODDITY, _ODDITY, 4 * _ODDITY])

    def message(self, shape, depth=_MAX_DEPTH):
        """Write a message; ids come first, as every sender writes them."""
        if depth < 0:
            return b""
        numbers = [] if self._is_odd() else shape.ids
        numbers = numbers + self._rng.choices(list(shape.fields), k=self._rng.randrange(7))
        return b"".join([self._field(n, shape.fields[n], depth) for n in numbers])

    def request(self, item):
        """Write a request of items of a shape."""
        groups = []
        for _ in range(self._rng.choice([1, 1, 2])):
            items = [field(2, self.message(item)) for _ in range(self._rng.randrange(4))]
            scoped = field(1, self.message(SCOPE)) + b"".join(items)
            groups.append(field(1, field(1, self.message(RESOURCE)) + field(2, scoped)))
        return b"".join(groups)

    def damaged(self, data):
        """Cut, repeat, flip or overwrite a few places of some bytes."""
        rng = self._rng
        for _ in range(rng.choice([1, 1, 2, 5])):
            at = rng.randrange(len(data) + 1)
            to = min(at + rng.randrange(1, 10), len(data))
            middle = rng.choice([b"", data[at:to] * 2, rng.randbytes(to - at), b"\xff" * (to - at)])
            data = data[:at] + middle + rng.choice([data[to:], data[to:], data[to:], b""])
            if data and rng.random() < 0.5:
                at = rng.randrange(len(data))
                data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        return data

    def _is_odd(self):
        return self._rng.random() < self._oddity

    def _field(self, number, kind, depth):
        if not isinstance(kind, Shape):
            wire_type, content = self._scalar(kind)
        elif kind is VALUE and self._is_odd():
            levels = self._rng.choice(_LEVELS)
            wire_type, content = 2, nested(levels, kvlist=self._rng.random() < 0.5)
        else:
            wire_type, content = 2, self.message(kind, depth - 1)
        if self._is_odd():
            return self._odd_field(number, wire_type, content)
        return (
            field(number, content) if wire_type == 2 else varint(number << 3 | wire_type) + content
        )

    def _scalar(self, kind):
        """Return wire type and content."""
        rng = self._rng
        if kind == VARINT:
            if self._is_odd():
                return 0, varint(rng.choice(_HUGE), rng.randrange(12))
            return 0, varint(rng.choice(_NUMBERS))
        if kind == FIXED64:
            return 1, rng.choice([bytes(8), rng.randbytes(8)])
        if kind == FIXED32:
            return 5, rng.randbytes(4)
        if self._is_odd():
            return 2, rng.choice([*_BAD_TEXTS, rng.randbytes(rng.randrange(30))])
        choices = {
            TEXT: _TEXTS,
            BYTES: [b"", b"\xff\0"],
            TRACE_ID: TRACE_IDS,
            SPAN_ID: SPAN_IDS,
        }
        return 2, rng.choice(choices[kind])

    def _odd_field(self, number, wire_type, content):
        rng = self._rng
        fault = rng.choice(["group", "type", "number", "varint", "length"])
        if fault == "group":
            content = rng.choice([content, b"", b"\x0b" * 120 + b"\x0c" * 120])
            end = rng.choice([varint(number << 3 | 4), b"", b"\x0c"])
            return varint(number << 3 | 3) + content + end
        if fault == "type":
            return varint(number << 3 | rng.randrange(8)) + content
        if fault == "number":
            return field(rng.choice([0, 17, 100, 2**28, 2**29, 2**40]), content)
        if fault == "varint":
            padding = rng.randrange(1, 11)
            return (
                varint(number << 3 | wire_type, padding) + varint(len(content), padding) + content
            )
        wrong = [max(len(content) - 1, 0), len(content) + 1, *_HUGE]
        return varint(number << 3 | 2) + varint(rng.choice(wrong)) + content


def _good_requests():
    """Return a traces and a logs request of a real trace."""
    trace = TraceBuilder(TRACE_IDS[0].hex())
    end = {"spanscore.trace.end": True}
    root = trace.span("agent", **{"gen_ai.operation.name": "invoke_agent"}, **end)
    many = [1, "x", {"k": 0.5}, None, b"\xff"]
    chat = trace.span("chat", parent=root, error="boom", text="long " * 20, many=many)
    trace.log("gen_ai.choice", {"role": "assistant", "content": "hi"}, span=chat)
    return trace.request(), trace.log_request()


GOOD_TRACES, GOOD_LOGS = _good_requests()


def _requests(item: Shape, good: bytes) -> Callable[[Random], bytes]:
    def draw(rng: Random) -> bytes:
        writer = Writer(rng)
        way = rng.randrange(10)
        if way == 0:
            return rng.randbytes(rng.randrange(60))
        if way <= 2:
            return writer.damaged(good)
        body = writer.request(item)
        return writer.damaged(body) if way == 3 else body

    return draw


random_traces = _requests(SPAN, GOOD_TRACES)
random_logs = _requests(LOG_RECORD, GOOD_LOGS)
random_metrics = _requests(METRIC, GOOD_LOGS)

seeds = st.randoms(use_true_random=True)
TRACES = seeds.map(random_traces)
LOGS = seeds.map(random_logs)
METRICS = seeds.map(random_metrics)
