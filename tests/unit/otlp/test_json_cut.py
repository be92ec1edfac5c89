"""Large JSON requests become small ones that hold the same."""

import json

import pytest

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.json_cut import cut_json
from scorer.otlp.json_mapping import traces_from_json


def spans(count, size=50):
    return [{"name": f"{n}".ljust(size), "traceId": "1" * 32} for n in range(count)]


def request(*groups):
    return {"resourceSpans": list(groups)}


def group(*scopes, service="shop"):
    attributes = [{"key": "service.name", "value": {"stringValue": service}}]
    return {"scopeSpans": list(scopes), "resource": {"attributes": attributes}, "schemaUrl": "r"}


def scope(items, name="lib"):
    return {"spans": items, "scope": {"name": name}, "schemaUrl": "s"}


def flat(document):
    return [
        (group["resource"], group["schemaUrl"], scope["scope"], scope["schemaUrl"], span)
        for group in document["resourceSpans"]
        for scope in group["scopeSpans"]
        for span in scope["spans"]
    ]


def parts(document, size, signal="traces"):
    return list(cut_json(json.dumps(document).encode(), signal, size))


@pytest.mark.parametrize("size", [1, 500, 5000, 10**6])
def test_the_parts_hold_together_what_the_request_holds(size):
    """Each span under its own resource and scope, wherever these stand in their objects."""
    document = request(
        group(scope(spans(30)), scope(spans(5), "other")), group(scope(spans(3)), service="x")
    )
    found = [row for part in parts(document, size) for row in flat(json.loads(part))]
    assert found == flat(document)


def test_parts_are_about_as_large_as_asked_for():
    """At most by one item, its resource and its scope larger."""
    found = parts(request(group(scope(spans(500)))), 5000)
    assert max(map(len, found)) < 5600
    assert len(found) > 8


def test_what_is_not_larger_than_a_part_is_given_out_as_it_is():
    """Even where it is no JSON: who parses it says so."""
    assert list(cut_json(b"nonsense", "traces", 8)) == [b"nonsense"]


@pytest.mark.parametrize(
    ("signal", "keys"),
    [
        ("logs", ("resourceLogs", "scopeLogs", "logRecords")),
        ("metrics", ("resourceMetrics", "scopeMetrics", "metrics")),
    ],
)
def test_every_signal_is_cut(signal, keys):
    """By its own keys."""
    top, middle, bottom = keys
    found = parts({top: [{middle: [{bottom: spans(10)}]}]}, 300, signal)
    items = [x for part in found for x in json.loads(part)[top][0][middle][0][bottom]]
    assert len(found) > 2
    assert items == spans(10)


def test_nothing_and_null_are_nothing():
    """Absent lists, null lists and null elements hold no span; whoever reads it is shown them."""
    document = request(None, {}, {"scopeSpans": None}, {"scopeSpans": [None, {}, {"spans": None}]})
    (part,) = parts(document, 1)
    assert json.loads(part) == request({}, {"scopeSpans": [{}]})


@pytest.mark.parametrize("first", ["[]", "null", '[{"scopeSpans": []}]'])
@pytest.mark.parametrize("key", ["resourceSpans", "scopeSpans", "spans"])
@pytest.mark.parametrize("is_escaped", [False, True])
def test_a_key_that_stands_twice_is_refused(key, first, is_escaped):
    """The spans under one of them would be lost; so nothing is given out before."""
    text = json.dumps(request(group(scope(spans(10)))))
    other = f"\\u{ord(key[0]):04x}{key[1:]}" if is_escaped else key
    for pair in (f'"{key}": {first}, "{other}": ', f'"{other}": {first}, "{key}": '):
        twice = text.replace(f'"{key}": ', pair)
        with pytest.raises(PermanentError, match=f"key '{key}' stands twice"):
            next(cut_json(twice.encode(), "traces", 10))


@pytest.mark.parametrize("key", ["resourceSpans", "scopeSpans", "spans"])
def test_a_key_that_stands_again_as_null_is_refused(key):
    """Whichever comes last: what the other holds would be lost."""
    text = json.dumps(request(group(scope(spans(10)))))
    if key == "resourceSpans":
        text = f'{text[:-1]}, "{key}": null}}'
    elif key == "scopeSpans":
        text = f'{text[:-3]}, "{key}": null}}]}}'
    else:
        text = text.replace('"scope": {"name"', f'"{key}": null, "scope": {{"name"')
    with pytest.raises(PermanentError, match=f"key '{key}' stands twice"):
        list(cut_json(text.encode(), "traces", 10))


def test_the_names_of_the_lists_may_stand_where_they_are_unknown():
    """Unknown members are ignored, whatever they are called."""
    odd = {"spans": [], "scopeSpans": [1], "resourceSpans": {}}
    document = request(group(scope([{"name": "x", **odd}])) | {"spans": odd})
    (part,) = parts(document | {"x": odd, "spans": [odd]}, 10)
    assert [row[-1]["name"] for row in flat(json.loads(part))] == ["x"]


def test_the_names_of_keys_in_texts_are_texts():
    """Quoted JSON in an attribute has escaped quotes."""
    inner = {"name": '{"spans": [], "scopeSpans": 1}', "x": "spans"}
    assert len(parts(request(group(scope([inner]))), 10)) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"nonsense" * 10,
        b"[" * 30_000,
        b'{"resourceSpans": 1, "x": "yyyyyy"}',
        b'{"resourceSpans": [1, 2, 3, 4, 5]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [' + b"[" * 30_000,
        b'{"resourceSpans": []} and more of it',
    ],
)
def test_what_is_no_request_is_refused(body):
    """Whatever it is, and however deep it nests."""
    with pytest.raises(PermanentError):
        list(cut_json(body, "traces", 10))


def test_the_request_of_another_signal_is_named():
    """As it would be in a small one."""
    (part,) = parts({"resourceLogs": [1, 2, 3]}, 10)
    with pytest.raises(PermanentError, match="logs request"):
        traces_from_json(part)


def test_a_request_without_the_signal_is_told():
    """Nothing in it is known."""
    (part,) = parts({"resource_spans": [1, 2, 3]}, 10)
    assert "no resourceSpans" in traces_from_json(part).warning


def test_an_item_of_too_many_values_is_refused():
    """It would take gigabytes; a long text does not."""
    hollow = request(group(scope([{"attributes": [{}] * 400_000}])))
    with pytest.raises(TooLargeError, match="too many tiny values"):
        parts(hollow, 100)
    assert len(parts(request(group(scope([{"name": "x" * 2_000_000}]))), 100)) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"resourceSpans":[' + b"{}," * 10**6 + b"{}]}",
        b'{"resourceSpans":[{"scopeSpans":[' + b"{}," * 10**6 + b"{}]}]}",
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"{}," * 10**6 + b"{}]}]}]}",
    ],
    ids=["resources", "scopes", "spans"],
)
def test_arrays_of_tiny_elements_are_refused_at_their_beginning(body):
    """Whatever they are, each would take dozens of bytes and a moment."""
    with pytest.raises(TooLargeError, match="too many tiny"):
        for _ in zip(cut_json(body, "traces"), range(10), strict=False):
            pass


def test_members_that_nobody_reads_may_be_some_and_not_very_many():
    """They are parsed once, for a key may stand twice; that may take what an item may."""
    few, many = (b",".join(b'"key%d":1' % n for n in range(count)) for count in (40_000, 1_200_000))
    assert list(cut_json(b'{%b,"resourceSpans":[]}' % few, "traces")) == []
    with pytest.raises(TooLargeError, match="too many tiny values"):
        list(cut_json(b'{%b,"resourceSpans":[]}' % many, "traces"))


@pytest.mark.parametrize(
    ("document", "warning"),
    [
        ({"resourceSpans": [{"scope_spans": [scope(spans(3))]}]}, "spells it scopeSpans"),
        ({"resourceSpans": [{"scopeSpans": [{"Spans": spans(3), "log_records": []}]}]}, ""),
        ({"resource_spans": [{"scopeSpans": [scope(spans(3))]}]}, "no resourceSpans"),
    ],
)
def test_a_list_under_another_name_is_told_as_in_a_small_request(document, warning):
    """What nobody takes, the sender hears of."""
    mapped = [traces_from_json(part) for part in parts(document, 10)]
    assert warning in "".join(part.warning for part in mapped)


@pytest.mark.parametrize(
    "document", [{"resourceSpans": [{"resource": 5}]}, {"resourceSpans": [{"schemaUrl": 5}]}]
)
def test_what_is_wrong_beside_a_list_that_is_not_there_is_refused(document):
    """As in a small request."""
    with pytest.raises(PermanentError, match="wrong OTLP/JSON"):
        [traces_from_json(part) for part in parts(document, 10)]


def test_others_get_a_turn_between_many_empty_groups():
    """Empty parts are given out where there is nothing else."""
    group = b'{"schemaUrl":"https://schema"}'
    body = b'{"resourceSpans":[' + b",".join([group] * 20_000) + b"]}"
    parts = list(cut_json(body, "traces"))
    assert b"".join(parts).count(group) == 20_000
    assert len(parts) >= 20


def test_half_a_surrogate_pair_in_a_text_costs_no_span():
    """A sender cut a text inside of an emoji: as in a small request, only that is replaced."""
    document = request(group(scope([*spans(3), {"name": "cut \ud83d"}])))
    found = [row for part in parts(document, 10) for row in flat(json.loads(part))]
    assert [span["name"] for *_, span in found][-1] == "cut \ufffd"
    assert len(found) == 4


@pytest.mark.parametrize("text", ["0.12,", '{"a":1}, ', "[[1,2],[3,4]],", '\\"{,'])
def test_a_long_text_may_be_of_commas_and_braces(text):
    """Numbers, JSON or source code in a prompt are one value, whatever they are made of."""
    item = {"traceId": "1" * 32, "name": text * (6_000_000 // len(text))}
    (part,) = cut_json(json.dumps(request(group(scope([item])))).encode(), "traces")
    assert [row[-1] for row in flat(json.loads(part))] == [item]
    assert traces_from_json(part).rejected == 0


@pytest.mark.parametrize(
    "body",
    [
        b'{"resourceSpans":[{"scopeSpans":[' + b",".join([b'{"schemaUrl":"s"}'] * 20_000) + b"]}]}",
        b'{"resourceSpans":[{"scopeSpans":[' + b",".join([b"null       "] * 40_000) + b"]}]}",
        b'{"resourceSpans":[' + b",".join([b"null       "] * 40_000) + b"]}",
        b'{"resourceSpans":[{"scopeSpans":[{"spans":['
        + b",".join([b"null       "] * 40_000)
        + b"]}]}]}",
    ],
    ids=["scopes", "null scopes", "null resources", "null spans"],
)
def test_nothing_can_be_listed_so_long_that_others_wait(body):
    """At every level there is a turn after some hundreds of elements."""
    assert len(list(cut_json(body, "traces"))) >= 40


def test_a_large_resource_does_not_multiply_a_request():
    """It comes again in each part, and these have few or small items otherwise."""
    attributes = [{"key": f"k{n}", "value": {"stringValue": "x" * 1000}} for n in range(500)]
    large = {"resource": {"attributes": attributes}, "scopeSpans": [scope(spans(20_000, 1))]}
    text = json.dumps(request(large)).encode()
    assert sum(map(len, cut_json(text, "traces"))) < 5 * len(text)


def test_a_resource_of_too_many_values_is_refused():
    """As an item of that kind is."""
    attributes = [{"key": "k", "value": {"intValue": "1"}}] * 200_000
    hollow = {"resource": {"attributes": attributes}, "scopeSpans": [scope(spans(1))]}
    with pytest.raises(TooLargeError, match="too many tiny values"):
        parts(request(hollow), 100)
