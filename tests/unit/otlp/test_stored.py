"""Reading stored files."""

import gzip
import io
import json

import pytest
import zstandard

from scorer.errors import PermanentError
from scorer.otlp import stored
from scorer.otlp.split import split_traces
from scorer.otlp.stored import StoredProblem, StoredRequest, read_requests

TRACE = "5b8efff798038103d269b633813fc60c"
SPAN = "eee19b7ec3c1b174"


def document(name: str = "chat", end: int = 7) -> dict:
    span = {"traceId": TRACE, "spanId": SPAN, "name": name, "endTimeUnixNano": str(end)}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def jsonl(*names: str) -> bytes:
    return b"".join(json.dumps(document(name)).encode() + b"\n" for name in names)


def read(data: bytes) -> list[StoredRequest | StoredProblem]:
    return list(read_requests(io.BytesIO(data), "file.x"))


def names(data: bytes) -> list[str]:
    """The names of the spans, or the message of a problem, in order."""
    found = []
    for item in read(data):
        if isinstance(item, StoredProblem):
            found.append(f"{item.line}: {item.message}")
        else:
            found += [(b"one" in s.wire and "one") or "two" for s in split_traces(item.body).spans]
    return found


def wire(name: str) -> bytes:
    (request,) = read(json.dumps(document(name)).encode())
    return request.body


def size4(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


PRETTY = json.dumps(document("one"), indent=2).encode()
FORMS = {
    "lines": jsonl("one", "two"),
    "lines without an end": jsonl("one", "two")[:-1],
    "lines with gaps": b"\n" + jsonl("one") + b"  \n" + jsonl("two"),
    "lines after a byte order mark": b"\xef\xbb\xbf" + jsonl("one", "two"),
    "pretty-printed documents": PRETTY + b"\n" + json.dumps(document("two"), indent=1).encode(),
    "one array": json.dumps([document("one"), document("two")]).encode(),
    "a pretty-printed array": json.dumps([document("one"), document("two")], indent=4).encode(),
    "an array of one a line": b"[\n" + jsonl("one")[:-1] + b",\n" + jsonl("two") + b"]\n",
    "an array opened on the line": b"[" + jsonl("one")[:-1] + b",\n" + jsonl("two") + b"]",
    "gzip": gzip.compress(jsonl("one")) + gzip.compress(jsonl("two")),
    "zstd": zstd(jsonl("one")) + zstd(jsonl("two")),
    "Java's bare groups": b"".join(
        json.dumps(document(name)["resourceSpans"][0]).encode() + b"\n" for name in ("one", "two")
    ),
    "lines after many empty ones": b"\n" * 100_000 + jsonl("one", "two"),
    "bare protobuf": wire("one") + wire("two"),
    "zstd of bare protobuf": zstd(wire("one") + wire("two")),
    "delimited protobuf": b"".join(bytes([len(w)]) + w for w in (wire("one"), wire("two"))),
    "prefixed protobuf": size4(wire("one")) + size4(wire("two")),
    "prefixed zstd protobuf": size4(zstd(wire("one"))) + size4(zstd(wire("two"))),
    "prefixed zstd JSON": size4(zstd(jsonl("one"))) + size4(zstd(jsonl("two"))),
    "prefixed JSON": size4(jsonl("one")) + size4(jsonl("two")),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_spans(form):
    """The content decides how a file is read."""
    assert names(FORMS[form]) == ["one", "two"]


def test_jaeger_and_tempo_files_are_read():
    """Both go through OTLP/JSON."""
    jaeger = {
        "traceID": "ab",
        "spans": [{"traceID": "ab", "spanID": "1", "operationName": "one", "startTime": 1}],
        "processes": {},
    }
    tempo = {"batches": document("one")["resourceSpans"]}

    assert names(json.dumps({"data": [jaeger]}, indent=2).encode()) == ["one"]
    assert names(json.dumps(tempo).encode()) == ["one"]


def test_requests_carry_their_largest_time():
    """The clock of a replay."""
    assert [r.time_ns for r in read(json.dumps(document(end=55)).encode())] == [55]


def test_an_empty_file_holds_nothing():
    """Rotation leaves such files; they are no error."""
    assert read(b"") == read(b" \n\n") == read(gzip.compress(b"")) == []
    assert read(b"\n" * 5) == read(b"\r\n" * 5) == read(b"\n" * 100_000) == []


def test_bad_lines_are_problems_among_good_ones():
    """The line number and the cause are told, and the reading goes on."""
    data = b'{"resourceSpans": [{"sco\n' + jsonl("one") + b'# note\n{"a": 1}\n' + jsonl("two")

    first, one, note, other, two = names(data)

    assert (one, two) == ("one", "two")
    assert first.startswith("1: this is no JSON")
    assert note.startswith("3: this is no JSON")
    assert other.startswith("4: no OTLP, Tempo or Jaeger JSON; its keys are: a")


def test_a_leading_comment_does_not_hide_the_lines():
    """A line among others, even the first, is only a bad line."""
    assert names(b"# exported by x\n" + jsonl("one"))[1:] == ["one"]


def test_a_cut_off_last_line_is_a_problem():
    """As the writer's crash leaves it."""
    assert "2: the last line is cut off" in names(jsonl("one", "two")[:-40])[1]


@pytest.mark.parametrize("form", ["bare protobuf", "delimited protobuf", "prefixed protobuf"])
def test_a_cut_off_last_record_is_a_problem(form):
    """What came before it is read."""
    first, last = names(FORMS[form][:-3])

    assert first == "one"
    assert "2: the last record is cut off" in last


def test_a_stream_that_breaks_off_is_a_problem_of_the_file():
    """The lines before the break are read."""
    data = jsonl(*["one"] * 500)
    found = names(gzip.compress(data, compresslevel=0)[:-20])

    assert found[:499] == ["one"] * 499
    assert found[-1].startswith("0: it breaks off")


def test_a_zstd_file_that_breaks_off_is_a_problem_of_the_file():
    """As with gzip: what is whole is read, and the break is told."""
    data = b"".join(jsonl(f"one-{n}") for n in range(5000))
    found = names(zstd(data)[:-50])

    assert found.count("one") > 100
    assert found[-1].startswith("0: it breaks off")


def test_refused_spans_are_told_with_their_line():
    """The good spans of the line are used."""
    bad = document("two")
    bad["resourceSpans"][0]["scopeSpans"][0]["spans"] += [{"traceId": "?"}, {"traceId": "!"}]
    found = names(jsonl("one") + json.dumps(bad).encode())

    assert found[:2] == ["one", "two"]
    assert found[2].startswith("2: 2 spans refused: trace_id")


def test_a_problem_reads_as_a_place_and_a_cause():
    """Line 0 is the file as a whole."""
    assert str(StoredProblem("f", 3, "bad")) == "f: line 3: bad"
    assert str(StoredProblem("f", 0, "bad")) == "f: bad"


def test_a_record_that_is_no_request_is_a_problem():
    """Its neighbours are read."""
    data = size4(wire("one")) + size4(b"\xff\xff") + size4(zstd(b"x")) + size4(wire("two"))
    first, bad, worse, last = names(data)

    assert (first, last) == ("one", "two")
    assert "2: 2 bytes that are no OTLP request" in bad
    assert "3: 1 bytes that are no OTLP request" in worse


UNREADABLE = [
    b"hello world",
    b"\x89PNG\r\n\x1a\n",
    b"{",
    b'{"hello": 1}\n' * 3,
    b"[1, 2]",
    bytes(50),
    size4(b"\x0a\xff"),
    gzip.compress(b"text"),
    b"a,b\n1,2\n",
]


@pytest.mark.parametrize("data", UNREADABLE)
def test_a_file_in_which_nothing_is_readable_is_an_error(data):
    """The text names the file and what would be accepted."""
    with pytest.raises(PermanentError, match=r"^file\.x: nothing in it.*accepted are OTLP/JSON"):
        read(data)


def test_one_text_over_the_limit_is_a_problem(monkeypatch):
    """A pretty-printed text is read whole, so it has a bound."""
    monkeypatch.setattr(stored, "MAX_RECORD", 100)
    with pytest.raises(PermanentError, match="one JSON text of more than 100 bytes"):
        read(PRETTY)


def test_good_documents_before_a_bad_one_are_read():
    """Documents that follow each other are used as far as they go."""
    good, bad = names(PRETTY + b"\n{ oops")

    assert good == "one"
    assert "this is no JSON" in bad
