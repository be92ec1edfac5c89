"""B3: the JSON mapping of OTLP, which is not the one of protobuf."""

import base64
import json
import os

import pytest
from prometheus_client.parser import text_string_to_metric_families

from .answer import JSON
from .payloads import document, span_json
from .row import (
    MUST_JSON,
    MUST_OTLP,
    MUST_PROTOBUF,
    SHOULD_DESIGN,
    SHOULD_OTLP,
    SHOULD_PROTOBUF,
    case,
    row,
)

FULL = "200, partialSuccess unset"
REJECTED = "the span rejected with a text, or 400"
DEEP = 20_000
ID = os.urandom(16)


@pytest.fixture
def post(http, takes_json):
    """Send a document, or a text as it is."""

    def send(body):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        return http.post(text, JSON)

    return send


def value(**fields):
    """Return a span with one attribute of this value."""
    return {"attributes": [{"key": "key", "value": fields}]}


SPANS_TAKEN = [
    case("j1", MUST_OTLP, "ids in lower-case hex", FULL, {"traceId": ID.hex()}),
    case("j1", MUST_OTLP, "ids in upper-case hex", FULL, {"traceId": ID.hex().upper()}),
    case("j1", MUST_OTLP, "a parent's id in hex", FULL, {"parentSpanId": "00F067aa0BA902b7"}),
    case(
        "j1",
        MUST_OTLP,
        "a link's ids in hex",
        FULL,
        {"links": [{"traceId": ID.hex(), "spanId": ID.hex()[:16]}]},
    ),
    case("j1", MUST_PROTOBUF, "an empty parentSpanId", FULL, {"parentSpanId": ""}),
    case("j2", MUST_OTLP, "enums as integers", FULL, {"kind": 2, "status": {"code": 2}}),
    case("j2", MUST_PROTOBUF, "an enum value that is not known (99)", FULL, {"kind": 99}),
    case("j3", MUST_OTLP, "64-bit numbers as texts", FULL, {"startTimeUnixNano": "1"}),
    case("j3", MUST_OTLP, "64-bit numbers as numbers", FULL, {"startTimeUnixNano": 1}),
    case("j3", MUST_OTLP, "intValue as text", FULL, value(intValue="-9223372036854775808")),
    case("j3", MUST_OTLP, "intValue as number", FULL, value(intValue=-5)),
    case("j3", SHOULD_PROTOBUF, "1e3 for an integer", FULL, value(intValue=1e3)),
    case("j3", SHOULD_PROTOBUF, '"1e3" for an integer', FULL, value(intValue="1e3")),
    case("j4", MUST_OTLP, "an unknown field of a span", FULL, {"newField": {"a": [1, None]}}),
    case("j4", MUST_OTLP, "an unknown field of an event", FULL, {"events": [{"newField": 1}]}),
    case("j4", MUST_OTLP, "an unknown field of a value", FULL, value(newValue={"deep": {"a": 1}})),
    case("j6", MUST_PROTOBUF, "bytesValue in base64", FULL, value(bytesValue="+/8=")),
    case("j6", MUST_PROTOBUF, "bytesValue in URL-safe base64", FULL, value(bytesValue="-_8")),
    case("j7", MUST_PROTOBUF, 'doubleValue "NaN"', FULL, value(doubleValue="NaN")),
    case("j7", MUST_PROTOBUF, 'doubleValue "Infinity"', FULL, value(doubleValue="Infinity")),
    case("j7", MUST_PROTOBUF, 'doubleValue "-Infinity"', FULL, value(doubleValue="-Infinity")),
    case(
        "j8",
        MUST_PROTOBUF,
        "null for fields of a span",
        FULL,
        dict.fromkeys(("parentSpanId", "kind", "attributes", "events", "links", "status")),
    ),
    case("j8", MUST_PROTOBUF, "an attribute without a value", FULL, {"attributes": [{"key": "k"}]}),
    case(
        "j8", MUST_PROTOBUF, "null for a value", FULL, {"attributes": [{"key": "k", "value": None}]}
    ),
]


@pytest.mark.parametrize("fields", SPANS_TAKEN)
def test_a_span_is_read_by_the_rules_of_otlp_json(post, fields):
    """Each of these is right, whatever the JSON mapping of protobuf says."""
    answer = post(document(span_json(**fields)))
    assert answer.is_full_success, answer


DOCUMENTS_TAKEN = [
    case("j4", MUST_OTLP, "an unknown field of the request", FULL, document() | {"newField": [{}]}),
    case(
        "j4",
        MUST_OTLP,
        "unknown fields of resource and scope",
        FULL,
        {
            "resourceSpans": [
                {
                    "resource": {"newField": 1},
                    "newField": "x",
                    "scopeSpans": [
                        {"scope": {"newField": {}}, "newField": [], "spans": [span_json()]}
                    ],
                }
            ]
        },
    ),
    case("j8", MUST_PROTOBUF, "resourceSpans: null", FULL, {"resourceSpans": None}),
    case("j8", MUST_PROTOBUF, "scopeSpans: null", FULL, {"resourceSpans": [{"scopeSpans": None}]}),
    case("j8", MUST_PROTOBUF, "no arrays at all", FULL, {"resourceSpans": [{"resource": {}}]}),
]


@pytest.mark.parametrize("body", DOCUMENTS_TAKEN)
def test_a_request_is_read_by_the_rules_of_otlp_json(post, body):
    """Unknown is ignored, null is absent."""
    answer = post(body)
    assert answer.is_full_success, answer


SPANS_REJECTED = [
    case("j1", SHOULD_DESIGN, "a traceId of 15 bytes", REJECTED, {"traceId": ID.hex()[:30]}),
    case(
        "j1",
        SHOULD_OTLP,
        "a traceId in base64",
        REJECTED,
        {"traceId": base64.b64encode(ID).decode()},
    ),
    case("j1", SHOULD_DESIGN, "a spanId of no hex", REJECTED, {"spanId": "zzzzzzzzzzzzzzzz"}),
    case("j2", SHOULD_OTLP, "an enum by its name", REJECTED, {"kind": "SPAN_KIND_SERVER"}),
    case("j3", SHOULD_PROTOBUF, "1.5 for an integer", REJECTED, value(intValue=1.5)),
    case("j3", SHOULD_PROTOBUF, "-1 for an unsigned", REJECTED, {"startTimeUnixNano": "-1"}),
    case("j3", SHOULD_PROTOBUF, "a word for an integer", REJECTED, value(intValue="five")),
    case(
        "j5",
        SHOULD_OTLP,
        "snake_case ids, so none",
        REJECTED,
        {"traceId": ..., "spanId": ..., "trace_id": ID.hex(), "span_id": ID.hex()[:16]},
    ),
    case("j6", SHOULD_PROTOBUF, "bytesValue of no base64", REJECTED, value(bytesValue="%%%")),
]


@pytest.mark.parametrize("fields", SPANS_REJECTED)
def test_a_span_that_breaks_the_rules_is_rejected(post, fields):
    """Never taken for something else; a good neighbour is kept unless all is refused."""
    answer = post(document(span_json(), span_json(**fields)))
    assert answer.is_bad_data or (answer.rejected == 1 and answer.message), answer


@row("j5", SHOULD_DESIGN, "a request in snake_case", "200, rejectedSpans=0 and a text")
def test_an_all_snake_request_is_warned_about(post):
    """By the rules it is empty; without a word its sender would look for the spans in vain."""
    answer = post({"resource_spans": document()["resourceSpans"]})
    assert answer.is_ok, answer
    assert answer.rejected == 0, answer
    assert answer.message, answer


# j7, j9, j10


def deep(head, tail=b""):
    return head * DEEP + tail * DEEP


HOSTILE = [
    case("j7", MUST_JSON, "NaN as a bare word", "400", b'{"unknown":NaN}'),
    case("j9", SHOULD_DESIGN, "a key twice", "400", b'{"resourceSpans":[],"resourceSpans":[]}'),
    case("j9", SHOULD_DESIGN, "20,000 open brackets", "400", deep(b"[")),
    case("j9", SHOULD_DESIGN, "20,000 nested arrays", "400", deep(b"[", b"]")),
    case(
        "j9",
        SHOULD_DESIGN,
        "an unknown field that nests 20,000 objects",
        "400",
        b'{"unknown":' + deep(b'{"a":', b"}").replace(b":}", b":1}", 1) + b"}",
    ),
    case("j10", MUST_JSON, "no JSON at all", "400", b"resourceSpans"),
    case("j10", MUST_JSON, "JSON that is cut short", "400", json.dumps(document())[:-5].encode()),
    case("j10", MUST_JSON, "text behind the JSON", "400", json.dumps(document()).encode() + b"x"),
    case("j10", SHOULD_OTLP, "an array instead of an object", "400", b"[]"),
]


@pytest.mark.parametrize("body", HOSTILE)
def test_what_is_no_json_is_400(post, body):
    """Bounded in depth, and never a 5xx."""
    answer = post(body)
    assert answer.code == 400, answer


@row("j9", MUST_OTLP, "{what}", "an answer without a 5xx; then 200 on the connection")
@pytest.mark.parametrize("what", ["20,000 nested arrays in unknown", "20,000 nested arrayValues"])
def test_deep_json_harms_nothing(post, http, what):
    """Nobody's recursion limit is worth a crash."""
    if what.endswith("unknown"):
        body = b'{"unknown":' + deep(b"[", b"]") + b"}"
    else:
        nest = deep(b'{"arrayValue":{"values":[', b"]}}")
        text = json.dumps(document(span_json(attributes=[{"key": "deep", "value": "@"}])))
        body = text.encode().replace(b'"@"', nest)
    answer = post(body)
    assert answer.code < 500, answer
    after = post(document())
    assert after.is_ok, after
    assert http.opened == 1, f"{http.opened} connections"


TEXTS = {
    "a lone surrogate": "\ud800",
    "NUL": "\0",
    "a newline and quotes": 'a\n"b"\\',
    "text from right to left": "\u202e",
}


@row("j10", SHOULD_DESIGN, "a name with {text}", "200 or 400")
@pytest.mark.parametrize("text", TEXTS)
def test_odd_texts_are_taken_or_refused(post, text):
    """By whatever policy, but never with a 5xx."""
    answer = post(document(span_json(name=f"a{TEXTS[text]}b")))
    assert answer.code in {200, 400}, answer


@row("j10", MUST_JSON, "a name that is not UTF-8", "200 or 400; then 200")
def test_other_encodings_are_taken_or_refused(post):
    """RFC 8259, 8.1: JSON is UTF-8."""
    answer = post(json.dumps(document(span_json(name="@@"))).encode().replace(b"@@", b"\xff\xfe"))
    assert answer.code in {200, 400}, answer
    after = post(document())
    assert after.is_ok, after


def agent(**values):
    """Return the fields of an agent's span that ends its trace."""
    marks = {"spanscore.trace.end": {"boolValue": True}}
    marks["gen_ai.operation.name"] = {"stringValue": "chat"}
    return {"attributes": [{"key": k, "value": v} for k, v in (marks | values).items()]}


@row("j10", SHOULD_DESIGN, "an agent of a service named with {text}", "/metrics still parses")
@pytest.mark.parametrize("text", TEXTS)
def test_odd_names_do_not_break_the_series(post, series, text):
    """What comes from a span is escaped where it becomes a label."""
    made = span_json(**agent())
    answer = post(document(made, service=f"a{TEXTS[text]}b"))
    if answer.is_full_success:
        series.finished(bytes.fromhex(made["traceId"]))
    families = list(text_string_to_metric_families(series.text()))
    assert "spanscore_offered_spans" in {family.name for family in families}


@row("j7", SHOULD_DESIGN, 'token usage of "{number}"', "no NaN or Inf in /metrics")
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none_poison_no_series(post, series, number):
    """One such value would make a sum useless for ever."""
    usage = {"doubleValue": number}
    keys = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cost")
    made = span_json(**agent(**dict.fromkeys(keys, usage)))
    answer = post(document(made))
    assert answer.is_full_success, answer
    series.finished(bytes.fromhex(made["traceId"]))
    values = [line.rsplit(" ", 1)[1] for line in series.text().splitlines() if line[0] != "#"]
    assert not [text for text in values if "nan" in text.lower() or "inf" in text.lower()]
