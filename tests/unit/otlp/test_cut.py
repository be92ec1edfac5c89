"""Large requests become small ones that hold the same."""

import pytest
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.cut import cut


def request(resources, scopes, spans, *, size=50, resource_size=10):
    """Traces with so many resources, scopes in each, and spans of `size` bytes in each scope."""
    data = trace_pb2.TracesData()
    for r in range(resources):
        group = data.resource_spans.add(schema_url=f"r{r}")
        group.resource.attributes.add(key="x" * resource_size)
        for s in range(scopes):
            scope_spans = group.scope_spans.add(schema_url=f"s{s}")
            scope_spans.scope.name = f"scope {s}"
            for n in range(spans):
                scope_spans.spans.add(name=f"{r}/{s}/{n}".ljust(size))
    return data


def flat(data):
    """Every span with what it stands under."""
    return [
        (group.resource, group.schema_url, scope_spans.scope, scope_spans.schema_url, span)
        for group in data.resource_spans
        for scope_spans in group.scope_spans
        for span in scope_spans.spans
    ]


def pieces(data, size):
    return [trace_pb2.TracesData.FromString(part) for part in cut(data.SerializeToString(), size)]


@pytest.mark.parametrize("shape", [(1, 1, 100), (100, 1, 1), (1, 100, 1), (3, 4, 20), (1, 1, 1)])
@pytest.mark.parametrize("size", [1, 300, 1000, 10**6])
def test_the_parts_hold_together_what_the_request_holds(shape, size):
    """Each span under its own resource and scope, in the same order."""
    data = request(*shape)
    assert [row for piece in pieces(data, size) for row in flat(piece)] == flat(data)


def test_parts_are_about_as_large_as_asked_for():
    """At most by one item, its resource and its scope larger."""
    data = request(2, 2, 500)
    sizes = [piece.ByteSize() for piece in pieces(data, 2000)]
    assert max(sizes) < 2200
    assert len(sizes) < 1.3 * data.ByteSize() / 2000


def test_a_large_resource_does_not_multiply():
    """It stands in each part, so parts of a large one are large."""
    data = request(1, 1, 1000, resource_size=10_000)
    assert sum(piece.ByteSize() for piece in pieces(data, 1000)) < 1.5 * data.ByteSize()


def test_what_is_not_larger_than_a_part_is_given_out_as_it_is():
    """Even where it is no protobuf: who parses it says so."""
    assert list(cut(b"\xff\xff", 2)) == [b"\xff\xff"]


def test_log_records_are_cut_too():
    """Their request has the same form."""
    data = logs_pb2.LogsData()
    records = data.resource_logs.add().scope_logs.add().log_records
    for number in range(100):
        records.add(time_unix_nano=number)
    parts = [logs_pb2.LogsData.FromString(part) for part in cut(data.SerializeToString(), 100)]
    found = [r for p in parts for g in p.resource_logs for s in g.scope_logs for r in s.log_records]
    assert len(parts) > 5
    assert found == list(records)


def test_broken_bytes_are_told():
    """The parts before them are given out."""
    data = request(100, 1, 1).SerializeToString()
    found = []
    with pytest.raises(PermanentError, match="broken protobuf"):
        found.extend(cut(data + b"\xff", 300))
    assert found


def test_tiny_fields_are_not_walked_over_for_minutes():
    """There may be so many of them only where the whole is small."""
    with pytest.raises(TooLargeError, match="tiny"):
        list(cut(b"\x0a\x00" * 100_000, 1000))


def test_a_large_scope_does_not_multiply_a_request():
    """It comes again in each part; many tiny spans beside it must not make these very many."""
    request = trace_pb2.TracesData()
    group = request.resource_spans.add().scope_spans.add()
    group.scope.name = "x" * 2**20
    for _ in range(50_000):
        group.spans.add(trace_id=bytes(16), span_id=bytes(8))
    body = request.SerializeToString()
    assert sum(map(len, cut(body))) < 8 * len(body)
