"""OTLP/JSON as a hostile or broken sender might write it.

As with protobuf: mostly right, now and then odd, and Hypothesis draws the seed only.
"""

import json
from random import Random

from hypothesis import strategies as st

HEX_TRACE, HEX_SPAN = "01" * 16, "02" * 8
GOOD_SPAN = {"traceId": HEX_TRACE, "spanId": HEX_SPAN, "name": "the good one"}

_NAMES = """
    resourceSpans resourceLogs resourceMetrics scopeSpans scopeLogs scopeMetrics spans logRecords
    metrics resource scope schemaUrl attributes droppedAttributesCount key value traceId spanId
    parentSpanId traceState name kind flags startTimeUnixNano endTimeUnixNano status code message
    events links timeUnixNano observedTimeUnixNano severityNumber body eventName stringValue
    intValue doubleValue boolValue bytesValue arrayValue kvlistValue stringValueStrindex
    keyStrindex values gauge sum histogram dataPoints asInt exemplars entityRefs idKeys
    resource_spans trace_id unknown
"""
_KEYS = _NAMES.split()
_WORDS = """
    0 -1 1e5 1.0 1e999999999 NaN Infinity -Infinity AAAA A=== W47/95gDgQPSabYzgT/GDA==
    SPAN_KIND_CLIENT true null 18446744073709551615 18446744073709551616
"""
_TEXTS = _WORDS.split()
_TEXTS += ["", "\0", "\ud83d", "a\ude00b", "\ufeff", "😀", "9" * 5000, HEX_TRACE, HEX_SPAN]
_NUMBERS = [-1, 0, 1, 2**31, 2**63, 2**64 - 1, 2**64, 10**30, 0.5, 1e300, -0.0]
_TIMES = ["1700000000000000000", 1700000000000000000, 0, "1.7e18", None]
_HEX = [HEX_TRACE.upper(), HEX_SPAN, "00" * 16, "zz", "", 7]
_ODDITY = 0.02
_MAX_DEPTH = 5


class Author:
    """Writes items of OTLP/JSON, some of them wrongly."""

    def __init__(self, rng: Random):
        self._rng = rng
        self._oddity = rng.choice([0, _ODDITY, 3 * _ODDITY])

    def anything(self, depth=_MAX_DEPTH):
        """Return any JSON value, with keys of OTLP."""
        rng = self._rng
        way = rng.randrange(8 if depth else 6)
        if way == 6:
            return [self.anything(depth - 1) for _ in range(rng.randrange(4))]
        if way == 7:
            keys = rng.choices(_KEYS, k=rng.randrange(4))
            return {key: self.anything(depth - 1) for key in keys}
        return [None, True, rng.choice(_NUMBERS), rng.choice(_TEXTS), rng.choice(_TEXTS), {}][way]

    def value(self, depth=_MAX_DEPTH):
        """Return an AnyValue."""
        rng = self._rng
        kinds = {
            "stringValue": lambda: self._or_odd(rng.choice(["", "x", "ü" * 9, "\ud83d", "\0"])),
            "intValue": lambda: self._or_odd(rng.choice(["-5", 7, "1e3"])),
            "doubleValue": lambda: self._or_odd(rng.choice(["NaN", "-Infinity", 0.5, 3])),
            "boolValue": lambda: self._or_odd(rng.choice([True, False])),
            "bytesValue": lambda: self._or_odd(rng.choice(["", "AAH/+g==", "AAH_-g"])),
            "stringValueStrindex": lambda: self._or_odd(rng.choice([0, 3])),
            "unknown": self.anything,
            "arrayValue": lambda: {"values": self._some(self.value, depth)},
            "kvlistValue": lambda: {"values": self._some(self.pair, depth)},
        }
        if self._is_odd():
            return self._nested(rng.choice([28, 32, 200]))
        return {kind: make() for kind, make in [rng.choice(list(kinds.items()))]}

    def pair(self, depth=_MAX_DEPTH):
        """Return a KeyValue."""
        key = self._or_odd(self._rng.choice(["a", "b", "gen_ai.operation.name", "\ud83d"]))
        return {"key": key, "value": self._or_odd(self.value(depth))}

    def span(self):
        """Return a span."""
        return self._some_of(
            {"traceId": self._or(HEX_TRACE, _HEX), "spanId": self._or(HEX_SPAN, _HEX)},
            parentSpanId=lambda: self._or(HEX_SPAN, _HEX),
            name=lambda: self._or_odd("a name"),
            kind=lambda: self._or_odd(self._rng.choice([0, 3, 77])),
            flags=lambda: self._or_odd(1),
            startTimeUnixNano=lambda: self._or_odd(self._rng.choice(_TIMES)),
            endTimeUnixNano=lambda: self._or_odd(self._rng.choice(_TIMES)),
            attributes=lambda: self._some(self.pair),
            events=lambda: [{"name": "e", "attributes": self._some(self.pair)}, self._or_odd(None)],
            links=lambda: [{"traceId": HEX_TRACE, "attributes": self._some(self.pair)}],
            status=lambda: {"code": self._or_odd(2), "message": self._or_odd("boom")},
            unknown=self.anything,
        )

    def record(self):
        """Return a log record."""
        return self._some_of(
            {"traceId": self._or(HEX_TRACE, _HEX), "spanId": self._or(HEX_SPAN, _HEX)},
            timeUnixNano=lambda: self._or_odd(self._rng.choice(_TIMES)),
            severityNumber=lambda: self._or_odd(9),
            body=self.value,
            attributes=lambda: self._some(self.pair),
            eventName=lambda: self._or_odd("gen_ai.choice"),
        )

    def _is_odd(self):
        return self._rng.random() < self._oddity

    def _or(self, right, wrong):
        return self._rng.choice(wrong) if self._is_odd() else right

    def _or_odd(self, right):
        return self.anything() if self._is_odd() else right

    def _some(self, make, depth=_MAX_DEPTH):
        count = self._rng.randrange(4) if depth else 0
        return self._or_odd([make(depth - 1) for _ in range(count)])

    def _some_of(self, always, **fields):
        chosen = {name: make() for name, make in fields.items() if self._rng.random() < 0.5}
        return self._or_odd(always | chosen)

    def _nested(self, levels):
        value = {"stringValue": "core"}
        for _ in range(levels):
            value = {"arrayValue": {"values": [value]}}
        return value


def traces(*spans):
    """Return the text of a request of these spans."""
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def logs(*records):
    """Return the text of a request of these log records."""
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})


_TOKENS = [
    *'{}[]:,"\\',
    '{"a":',
    "[" * 20_000,
    '{"a":[' * 20_000,
    "null",
    "NaN",
    "1e999999999",
    "9" * 5000,
    "0." + "1" * 5000,
    "-",
    "01",
    '"\\ud800"',
    '"\\u0000"',
    "\0",
    "\ufeff",
    "/*",
    "\u2028",
    '"unknown":1,"unknown":2,',
]
_ENCODINGS = ["utf-8"] * 7 + ["utf-8-sig", "utf-16", "latin-1"]


def random_text(rng: Random) -> bytes:
    """Return a request in which a few tokens are wrong, or its encoding."""
    author = Author(rng)
    way = rng.randrange(5)
    if way == 0:
        text = json.dumps(author.anything(), ensure_ascii=rng.random() < 0.5)
    elif way == 1:
        text = logs(author.record(), author.record())
    else:
        text = traces(author.span(), author.span())
    for _ in range(rng.choice([0, 1, 1, 3])):
        at = rng.randrange(len(text) + 1)
        to = at + rng.choice([0, 0, 1, 4])
        text = text[:at] + rng.choice(_TOKENS) + text[to:]
    encoding = rng.choice(_ENCODINGS)
    # Surrogates make it no UTF-8, as some senders have it.
    return text.encode(encoding, "surrogatepass" if encoding == "utf-8" else "replace")


def random_span(rng: Random) -> object:
    """Return a span, or anything in its place."""
    author = Author(rng)
    return author.anything() if rng.random() < 0.1 else author.span()


_seeds = st.randoms(use_true_random=True)
TEXTS = _seeds.map(random_text)
SPANS = _seeds.map(random_span)
RECORDS = _seeds.map(lambda rng: Author(rng).record())
