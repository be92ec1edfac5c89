from scorer.cli.demo.scene import Scene, SceneEvent, SceneLog, SceneSpan, encode

END = 1_800_000_000 * 10**9
SCENE = Scene(
    title="t",
    service="svc",
    scope="lib",
    spans=(
        SceneSpan(key="root", name="root", start=0, end=4, kind="SERVER"),
        SceneSpan(
            key="a",
            parent="root",
            name="a",
            start=1,
            end=2,
            attributes={"s": "x", "i": 1, "f": 0.5, "b": True, "l": ["y", 2], "d": {"k": "v"}},
            events=(SceneEvent("exception", 1.5, {"exception.type": "E"}),),
            error="bad",
        ),
        SceneSpan(key="b", parent="a", name="b", start=1, end=1.5),
    ),
    logs=(SceneLog(key="a", at=1.5, event_name="gen_ai.choice", body={"index": 0}),),
)


def spans_of(requests):
    return [
        span
        for request in requests
        if hasattr(request, "resource_spans")
        for resource_spans in request.resource_spans
        for span in resource_spans.scope_spans[0].spans
    ]


def test_a_scene_ends_now_and_keeps_its_shape():
    """Times count back from now, parents point at the ids of this run."""
    spans = {span.name: span for span in spans_of(encode(SCENE, END))}
    assert spans["root"].end_time_unix_nano == END
    assert spans["a"].start_time_unix_nano == END - 3 * 10**9
    assert spans["root"].parent_span_id == b""
    assert spans["a"].parent_span_id == spans["root"].span_id
    assert spans["b"].parent_span_id == spans["a"].span_id
    assert len({span.trace_id for span in spans.values()}) == 1


def test_every_run_has_fresh_ids():
    """The same scene sent twice is two traces."""
    first, second = (spans_of(encode(SCENE, END))[0] for _ in range(2))
    assert first.trace_id != second.trace_id
    assert first.span_id != second.span_id


def test_attributes_events_and_errors_are_encoded():
    """Each kind of value keeps its type; an error sets the status."""
    span = next(span for span in spans_of(encode(SCENE, END)) if span.name == "a")
    values = {item.key: item.value for item in span.attributes}
    kinds = {key: value.WhichOneof("value") for key, value in values.items()}
    assert kinds == {
        "s": "string_value",
        "i": "int_value",
        "f": "double_value",
        "b": "bool_value",
        "l": "array_value",
        "d": "kvlist_value",
    }
    assert (span.status.code, span.status.message) == (2, "bad")
    assert span.events[0].name == "exception"


def test_pieces_are_sent_last_first_and_lose_nothing():
    """A scene in pieces arrives out of order, each span once."""
    whole = [span.name for span in spans_of(encode(SCENE, END))]
    split = Scene(title="t", service="s", scope="l", spans=SCENE.spans, pieces=3)
    requests = encode(split, END)
    assert len(requests) == 3
    assert whole == ["b", "a", "root"]
    assert [span.name for span in spans_of(requests)] == ["root", "a", "b"]


def test_log_records_carry_the_ids_of_their_span():
    """A log record belongs to its trace and span."""
    *traces, logs = encode(SCENE, END)
    span = next(span for span in spans_of(traces) if span.name == "a")
    (record,) = logs.resource_logs[0].scope_logs[0].log_records
    assert (record.trace_id, record.span_id) == (span.trace_id, span.span_id)
    assert record.event_name == "gen_ai.choice"
    assert record.body.kvlist_value.values[0].key == "index"
