"""B1: OTLP over gRPC."""

import os

import pytest
from google.rpc import error_details_pb2
from grpc import Compression

from .grpc_client import LOGS, METRICS, PROFILES
from .payloads import MIB, attribute, bomb, large, nested, span, wire
from .row import MUST_GRPC, MUST_OTLP, SHOULD_DESIGN, SHOULD_OTLP, case, row

FULL = "OK, partial_success unset"


# g1, g2


@pytest.mark.parametrize(
    "body",
    [
        case("g1", SHOULD_OTLP, "an empty request", FULL, b""),
        case("g1", SHOULD_OTLP, "an empty ResourceSpans", FULL, b"\x0a\x00"),
        case("g1", SHOULD_OTLP, "an empty ScopeSpans", FULL, b"\x0a\x02\x12\x00"),
        case("g2", MUST_OTLP, "a good span", FULL, wire()),
        case("g2", MUST_OTLP, "100 good spans", FULL, wire(*(span() for _ in range(100)))),
    ],
)
def test_what_is_taken_whole_has_no_partial_success(grpc, body):
    """Unset, not merely zero: a client warns about what is set."""
    answer = grpc.call(body)
    assert answer.is_full_success, answer


# g3, g4


FLAWS = {
    "an all-zero trace_id": {"trace_id": bytes(16)},
    "a trace_id of 15 bytes": {"trace_id": bytes([1] * 15)},
    "no trace_id": {"trace_id": b""},
    "an all-zero span_id": {"span_id": bytes(8)},
    "a span_id of 16 bytes": {"span_id": bytes([1] * 16)},
}


@row("g3", SHOULD_DESIGN, "two good spans and one with {flaw}", "OK, rejected_spans=1 and a text")
@pytest.mark.parametrize("flaw", FLAWS)
def test_one_bad_span_rejects_itself_only(grpc, flaw):
    """The good spans of a request are kept, and the sender is told of the bad one."""
    answer = grpc.call(wire(span(), span(**FLAWS[flaw]), span()))
    assert answer.is_ok, answer
    assert answer.rejected == 1, answer
    assert answer.message, answer


@row("g3", SHOULD_DESIGN, "two good spans and a bad one", "two more accepted, one more refused")
def test_rejected_spans_are_counted(grpc, series):
    """What the answer says is what the series say."""
    names = ("spanscore_accepted_spans_total", "spanscore_refused_spans_total")
    before = [series.value(name) for name in names]
    grpc.call(wire(span(), span(trace_id=b"x"), span()))
    after = [series.value(name) for name in names]
    assert [b - a for a, b in zip(before, after, strict=True)] == [2, 1]


@row("g3", SHOULD_DESIGN, "a span that ends before it starts", "OK, whether it is taken or not")
def test_a_span_of_negative_duration_fails_no_request(grpc):
    """It is a matter of policy, for that span only."""
    answer = grpc.call(wire(span(start_time_unix_nano=10, end_time_unix_nano=5)))
    assert answer.is_ok, answer


@row("g4", MUST_OTLP, "what may be warned about: {what}", "OK; a set partial_success says why")
@pytest.mark.parametrize("what", ["a late span", "an index into a dictionary"])
def test_a_warning_has_a_text(grpc, what):
    """With rejected_spans=0 the text must not be empty."""
    flagged = span(attributes=[attribute("spanscore.trace.end", True)])
    if what == "a late span":
        grpc.call(wire(flagged))
        late = span(trace_id=flagged.trace_id)
    else:
        late = span(attributes=[attribute("text", string_value_strindex=3)])
    answer = grpc.call(wire(late))
    assert answer.is_ok, answer
    assert answer.is_full_success or (answer.rejected == 0 and answer.message), answer


# g5, g17


GARBAGE = {
    "random bytes": b"\xff\xff\xff garbage",
    "a request that is cut short": wire()[:-7],
    "a length that is larger than the body": b"\x0a\xff\xff\xff\xff\x07",
    "text": b"GET / HTTP/1.1",
}


@row("g5", SHOULD_OTLP, "{garbage}", "INVALID_ARGUMENT with a text")
@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_is_an_invalid_argument(grpc, garbage):
    """INTERNAL, which generated servers give, blames the server."""
    answer = grpc.call(GARBAGE[garbage])
    assert answer.code == "INVALID_ARGUMENT", answer
    assert answer.text, answer


@row("g5", SHOULD_DESIGN, "random bytes", "BadRequest in grpc-status-details-bin")
def test_garbage_is_explained_in_details(grpc):
    """OTLP allows it; a machine can read it."""
    answer = grpc.call(GARBAGE["random bytes"])
    assert answer.detail(error_details_pb2.BadRequest), f"{answer} without BadRequest"


HOSTILE = {
    "a name that is not UTF-8": wire(span(name="@@@@")).replace(b"@@@@", b"\xff\xfe\xfd\xfc"),
    "a group that never ends": b"\x0b" * 1000,
    "a field number of 0": b"\x02\x01x",
    "a varint of 11 bytes": b"\xff" * 11,
    "ids of 1 MiB": wire(span(trace_id=bytes(MIB), span_id=bytes(MIB))),
    "200 nested messages": nested(200),
    "random bytes in a span": b"\x0a\x0c\x12\x0a\x12\x08" + os.urandom(8),
}


@row("g17", SHOULD_OTLP, "{hostile}", "OK, INVALID_ARGUMENT or RESOURCE_EXHAUSTED; then OK")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_bad_input_is_never_a_fault_of_the_server(grpc, hostile):
    """UNKNOWN and INTERNAL are uncaught exceptions; a retryable code would bring it again."""
    answer = grpc.call(HOSTILE[hostile])
    assert answer.code in {"OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"}, answer
    after = grpc.call(wire())
    assert after.is_ok, after


# g6


@row("g6", MUST_OTLP, "a message over the size limit, {packed}", "RESOURCE_EXHAUSTED, no RetryInfo")
@pytest.mark.parametrize("packed", ["plain", "gzip"])
def test_a_request_over_the_limit_is_refused_for_good(grpc, endpoint, packed):
    """Without RetryInfo a client drops it instead of sending it again and again."""
    compression = Compression.Gzip if packed == "gzip" else Compression.NoCompression
    answer = grpc.call(large(endpoint.max_request), compression=compression)
    assert answer.code == "RESOURCE_EXHAUSTED", answer
    assert answer.retry_info is None, answer
    assert "google.rpc.retryinfo-bin" not in answer.headers, answer


@row("g6", MUST_OTLP, "0.2 MB of gzip that inflate to 200 MiB", "RESOURCE_EXHAUSTED; then OK")
def test_a_compression_bomb_is_refused(raw_grpc, endpoint):
    """And the connection goes on."""
    client = raw_grpc(endpoint, endpoint.token)
    answer = client.call(bomb(), compressed=True, grpc_encoding="gzip")
    assert answer.code == "RESOURCE_EXHAUSTED", answer
    after = client.call(wire())
    assert after.is_ok, after


@row("g6", SHOULD_DESIGN, "the same, with a limit of 4 MiB", "less than 32 MiB of memory more")
def test_a_compression_bomb_costs_no_memory(raw_grpc, small_limits):
    """A server that inflates before it looks at the limit answers the same, at 200 MiB."""
    client = raw_grpc(small_limits)
    assert client.call(wire()).is_ok
    with small_limits.memory_growth() as growth:
        client.call(bomb(), compressed=True, grpc_encoding="gzip")
    assert growth[0] < 32 * MIB, f"{growth[0]} bytes"


# g10, g11


@row("g10", MUST_GRPC, "an empty request to {service}", "OK or UNIMPLEMENTED")
@pytest.mark.parametrize(
    ("service", "method"), [("logs", LOGS), ("metrics", METRICS), ("profiles", PROFILES)]
)
def test_other_signals_are_served_or_unimplemented(grpc, service, method):
    """Nothing else tells a client what to do."""
    answer = grpc.call(b"", method)
    assert answer.code in {"OK", "UNIMPLEMENTED"}, answer


@row("g10", MUST_GRPC, "a call of {method}", "UNIMPLEMENTED")
@pytest.mark.parametrize(
    "method",
    [
        "/opentelemetry.proto.collector.trace.v1.TraceService/Other",
        "/opentelemetry.proto.collector.trace.v2.TraceService/Export",
    ],
)
def test_unknown_methods_are_unimplemented(grpc, method):
    """The gRPC rule for what is not there."""
    answer = grpc.call(b"", method)
    assert answer.code == "UNIMPLEMENTED", answer


@row("g11", MUST_OTLP, "a good request, {encoding}", FULL)
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_both_encodings_of_otlp_are_taken(grpc, encoding):
    """Every OTLP server supports none and gzip."""
    packed = Compression.Gzip if encoding == "gzip" else Compression.NoCompression
    answer = grpc.call(wire(*(span() for _ in range(50))), compression=packed)
    assert answer.is_full_success, answer


@row("g11", MUST_GRPC, "grpc-encoding: nonsense", "UNIMPLEMENTED; then OK")
def test_an_unknown_encoding_is_unimplemented(raw_grpc, endpoint):
    """The gRPC rule; the connection goes on."""
    client = raw_grpc(endpoint, endpoint.token)
    answer = client.call(wire(), compressed=True, grpc_encoding="nonsense")
    after = client.call(wire())
    assert after.is_ok, after
    if answer.text == "Error parsing 'grpc-encoding' metadata":
        pytest.xfail(f"{answer}: so grpcio answers before any handler is asked")
    assert answer.code == "UNIMPLEMENTED", answer


# g12, g13


@row("g12", MUST_OTLP, "the same batch twice", "OK twice, partial_success unset")
def test_a_batch_that_is_sent_again_is_taken(grpc):
    """A client sends again what it has no answer to."""
    body = wire(*(span() for _ in range(5)))
    for _ in range(2):
        answer = grpc.call(body)
        assert answer.is_full_success, answer


@row("g12", SHOULD_DESIGN, "the same batch of 5 twice", "5 duplicates more")
def test_duplicates_are_counted(grpc, series):
    """Spans are the same by trace id, span id and kind."""
    body = wire(*(span() for _ in range(5)))
    before = series.value("spanscore_duplicate_spans_total")
    grpc.call(body)
    grpc.call(body)
    assert series.value("spanscore_duplicate_spans_total") - before == 5


@row("g13", SHOULD_DESIGN, "a span id again, with other content ({what})", "OK, and OK after it")
@pytest.mark.parametrize(
    ("what", "fields"),
    [("name", {"name": "other"}), ("kind", {"kind": 3}), ("parent", {"parent_span_id": b"x" * 8})],
)
def test_a_span_id_that_is_used_twice_harms_nothing(grpc, what, fields):
    """Some clients share an id between a call and its retries."""
    first = span()
    second = span(trace_id=first.trace_id, span_id=first.span_id, **fields)
    for body in (wire(first), wire(second), wire()):
        answer = grpc.call(body)
        assert answer.is_ok, answer


@row("g13", SHOULD_DESIGN, "a span id again, with another name", "a conflict more is counted")
def test_conflicts_are_counted(grpc, series):
    """A copy and a contradiction are two things."""
    first = span()
    before = series.value(r"spanscore_\w*conflict\w*_total")
    for name in ("one", "two"):
        grpc.call(wire(span(trace_id=first.trace_id, span_id=first.span_id, name=name)))
    assert series.value(r"spanscore_\w*conflict\w*_total") - before == 1


# g16, g18


@row("g16", MUST_OTLP, "3,000 bad spans with long names", "an answer of less than 4 MiB")
def test_the_answer_stays_small(grpc, endpoint):
    """Whatever was wrong, and how often: a client may refuse more than 4 MiB."""
    bad = [span(trace_id=b"x", name=f"bad {number} " + "x" * 1200) for number in range(3000)]
    answer = grpc.call(wire(span(), *bad))
    if answer.code == "DEADLINE_EXCEEDED" and not endpoint.is_own:
        pytest.skip("the server takes longer than a case may")
    assert answer.code in {"OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"}, answer
    assert len(answer.body) + len(answer.text) < 4 * MIB


@row("g18", SHOULD_OTLP, "300 calls at once on one connection", "OK, all of them")
def test_many_calls_at_once_are_answered(grpc):
    """More than the streams that a connection may have: the rest waits its turn."""
    answers = grpc.call_at_once([wire() for _ in range(300)])
    assert {answer.code for answer in answers} == {"OK"}
