"""Jaeger's JSON to strict OTLP/JSON."""

import pytest

from scorer.otlp.jaeger_json import is_jaeger, trace_to_otlp

TRACE = "5b8efff798038103d269b633813fc60c"
SPAN = "eee19b7ec3c1b174"


def tag(key: str, value, kind: str = "string") -> dict:
    return {"key": key, "type": kind, "value": value}


def mapped(**fields) -> tuple[dict, dict]:
    span = {"traceID": TRACE, "spanID": SPAN, "processID": "p1", **fields}
    process = {"serviceName": "agent", "tags": [tag("host", "h")]}
    trace = {"traceID": TRACE, "spans": [span], "processes": {"p1": process}}
    assert is_jaeger(trace)
    (group,) = trace_to_otlp(trace)["resourceSpans"]
    return group, group["scopeSpans"][0]["spans"][0]


def test_times_are_microseconds_and_names_are_operations():
    """Start plus duration is the end."""
    _, span = mapped(operationName="chat", startTime=1_700_000_000_000_001, duration=5)

    assert (span["name"], span["traceId"], span["spanId"]) == ("chat", TRACE, SPAN)
    assert span["startTimeUnixNano"] == 1_700_000_000_000_001_000
    assert span["endTimeUnixNano"] == 1_700_000_000_000_006_000


def test_the_process_is_the_resource():
    """The service name is an attribute like the process tags."""
    group, _ = mapped()

    assert group["resource"]["attributes"] == [
        {"key": "service.name", "value": {"stringValue": "agent"}},
        {"key": "host", "value": {"stringValue": "h"}},
    ]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", "x", {"stringValue": "x"}),
        ("bool", True, {"boolValue": True}),
        ("bool", "true", {"boolValue": True}),
        ("bool", "maybe", {"stringValue": "maybe"}),
        ("int64", 5, {"intValue": 5}),
        ("int64", "5", {"intValue": "5"}),
        ("float64", 0.5, {"doubleValue": 0.5}),
        ("binary", "AAE=", {"bytesValue": "AAE="}),
        ("string", 5, {"stringValue": "5"}),
        ("strange", True, {"boolValue": True}),
        ("int64", True, {"boolValue": True}),
    ],
)
def test_tags_are_typed_attributes(kind, value, expected):
    """The tag's type counts where the value fits it."""
    _, span = mapped(tags=[tag("k", value, kind)])

    assert span["attributes"] == [{"key": "k", "value": expected}]


@pytest.mark.parametrize(("name", "number"), [("client", 3), ("SERVER", 2), ("odd", 0)])
def test_the_span_kind_tag_is_the_kind(name, number):
    """And no attribute any more."""
    _, span = mapped(tags=[tag("span.kind", name)])

    assert (span["kind"], span["attributes"]) == (number, [])


@pytest.mark.parametrize(
    ("tags", "code"),
    [
        ([], 0),
        ([tag("error", True, "bool")], 2),
        ([tag("error", "true")], 2),
        ([tag("error", False, "bool")], 0),
        ([tag("otel.status_code", "ERROR")], 2),
        ([tag("otel.status_code", "OK"), tag("error", True, "bool")], 1),
    ],
)
def test_error_and_status_tags_are_the_status(tags, code):
    """An explicit status code wins over the error tag."""
    _, span = mapped(tags=[*tags, tag("otel.status_description", "why")])

    assert span["status"] == {"code": code, "message": "why"}


def test_scope_tags_are_the_scope():
    """Also under their older names."""
    group, _ = mapped(tags=[tag("otel.library.name", "lib"), tag("otel.scope.version", "2")])

    assert group["scopeSpans"][0]["scope"] == {"name": "lib", "version": "2"}


def reference(kind: str, span: str, trace: str = TRACE) -> dict:
    return {"refType": kind, "traceID": trace, "spanID": span}


def test_the_child_of_reference_is_the_parent_and_the_others_are_links():
    """A reference into another trace is always a link; short ids are padded."""
    _, span = mapped(
        references=[
            reference("CHILD_OF", "1", "ab"),
            reference("FOLLOWS_FROM", "2"),
            reference("CHILD_OF", "3"),
        ]
    )

    assert span["parentSpanId"] == "3".rjust(16, "0")
    assert [link["spanId"][-1] for link in span["links"]] == ["1", "2"]
    assert span["links"][0]["traceId"] == "ab".rjust(32, "0")


def test_a_follows_from_reference_is_the_parent_where_no_other_is():
    """Else the tree would fall apart."""
    assert mapped(references=[reference("FOLLOWS_FROM", "2")])[1]["parentSpanId"][-1] == "2"
    assert mapped(parentSpanID="7")[1]["parentSpanId"][-1] == "7"
    assert mapped()[1]["parentSpanId"] is None


def test_logs_are_events():
    """The field `event` is the name."""
    fields = [tag("event", "exception"), tag("exception.type", "ValueError")]
    _, span = mapped(logs=[{"timestamp": 3, "fields": fields}])

    assert span["events"] == [
        {
            "timeUnixNano": 3000,
            "name": "exception",
            "attributes": [{"key": "exception.type", "value": {"stringValue": "ValueError"}}],
        }
    ]


def test_wrong_shapes_do_not_raise():
    """The mapper that follows rejects what is wrong."""
    odd = {"traceID": 1, "spans": [{}, 5, {"tags": "x", "references": {}, "startTime": "now"}]}

    assert len(trace_to_otlp(odd)["resourceSpans"]) == 2
    assert not is_jaeger([])
