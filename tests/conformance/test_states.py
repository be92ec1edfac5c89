"""Rows of B1 and B2 that need a server which is overloaded, guarded, blocked or stopping."""

import json
import time
from typing import NamedTuple

import pytest

from .answer import Answer
from .grpc_client import message
from .http_client import media_type_of
from .payloads import MIB, attribute, request, span, wire
from .row import (
    GRPC,
    HTTP,
    HTTP_PROTOBUF,
    MUST_HTTP,
    SHOULD_DESIGN,
    SHOULD_GRPC,
    SHOULD_OTLP,
    TRANSPORTS,
    row,
)

KEPT_OPEN = {"assembly__linger": "60s", "assembly__idle_timeout": "60s"}
TOKENS = {
    "": "token-of-nobody-in-particular",
    "one": "token-of-tenant-one",
    "two": "token-of-two-two",
}

over_http = pytest.mark.parametrize("transport", HTTP)
everywhere = pytest.mark.parametrize("transport", TRANSPORTS)


def refused(send):
    """Send spans of 100 KiB, each of its own trace, until the server does not take one."""
    for _ in range(200):
        answer = send(request(span(attributes=[attribute("text", "x" * 100_000)])))
        if not answer.is_ok:
            return answer
    pytest.fail(f"20 MB of open traces and still {answer}")


# g7, h5: overload


@pytest.fixture
def full(variant):
    """A Spanscore with room for ten such spans."""
    return variant(assembly__memory="1MiB", **KEPT_OPEN)


@row("g7", SHOULD_OTLP, "spans, until the memory is full", "UNAVAILABLE")
def test_overload_is_unavailable(sender, full):
    """The code that a client retries."""
    answer = refused(sender(GRPC, full))
    assert answer.code == "UNAVAILABLE", answer


@row("g7", SHOULD_DESIGN, "spans, until the memory is full", "RetryInfo of 0-2 s, in both places")
def test_overload_tells_when_to_come_again(sender, full):
    """The Python exporter reads the second place only, and drops a batch over a longer delay."""
    answer = refused(sender(GRPC, full))
    info = answer.retry_info
    assert info, f"{answer} without RetryInfo in grpc-status-details-bin"
    assert 0 < info.retry_delay.ToNanoseconds() / 1e9 <= 2, info
    bare = answer.headers.get("google.rpc.retryinfo-bin")
    assert bare == info.SerializeToString(), f"google.rpc.retryinfo-bin is {bare!r}"


@row("g7", SHOULD_DESIGN, "five spans while the memory is full", "different delays")
def test_the_delay_is_jittered(sender, full):
    """Else all refused senders come back at once."""
    send = sender(GRPC, full)
    delays = {refused(send).retry_info.retry_delay.ToNanoseconds() for _ in range(5)}
    assert len(delays) > 1, delays


@row("h5", SHOULD_OTLP, "spans, until the memory is full", "429 or 503")
@over_http
def test_overload_is_429_or_503(sender, full, transport):
    """The codes that a client retries."""
    answer = refused(sender(transport, full))
    assert answer.code in {429, 503}, answer


@row("h5", SHOULD_DESIGN, "spans, until the memory is full", "Retry-After of 1 or 2 seconds")
@over_http
def test_overload_has_a_retry_after(sender, full, transport):
    """In whole seconds; a short time, for exporters give up soon."""
    answer = refused(sender(transport, full))
    assert answer.headers.get("retry-after") in {"1", "2"}, answer.headers


# g8, g9: credentials


@pytest.fixture(scope="session")
def guards(tmp_path_factory):
    """The settings that ask for a token."""
    file = tmp_path_factory.mktemp("tokens") / "tokens.txt"
    file.write_text("".join(f"{token} {tenant}".strip() + "\n" for tenant, token in TOKENS.items()))
    file.chmod(0o600)
    keys = (f"receivers__otlp__{name}__auth__bearer_tokens_file" for name in ("grpc", "http"))
    return dict.fromkeys(keys, file)


class Guarded(NamedTuple):
    """A server that wants a token, and a right one."""

    server: object
    token: str


@pytest.fixture
def guarded(variant, endpoint, guards):
    if endpoint.is_own:
        return Guarded(variant(**guards), TOKENS[""])
    if endpoint.token is None:
        pytest.skip("whether the endpoint wants credentials is not known (--token)")
    return Guarded(endpoint, endpoint.token)


@row("g8", SHOULD_DESIGN, "more than one tenant may hold", "UNAVAILABLE; other tenants: OK")
def test_a_tenant_over_its_share_can_come_again(sender, variant, guards):
    """RESOURCE_EXHAUSTED with RetryInfo would be right, too; without it the data is dropped."""
    shares = {"assembly__memory": "8MiB", "assembly__max_tenant_share": "0.25"}
    server = variant(**shares, **KEPT_OPEN, **guards)
    answer = refused(sender(GRPC, server, TOKENS["one"]))
    assert answer.code in {"UNAVAILABLE", "RESOURCE_EXHAUSTED"}, answer
    assert answer.retry_info, f"{answer} without RetryInfo"
    other = sender(GRPC, server, TOKENS["two"])(request())
    assert other.is_ok, other


@row("g9", SHOULD_DESIGN, "a request {credentials}", "UNAUTHENTICATED / 401")
@everywhere
@pytest.mark.parametrize("credentials", ["without a token", "with a wrong token"])
def test_who_is_not_known_is_refused(sender, guarded, transport, credentials):
    """Both look the same, so that nobody can try tokens out."""
    token = None if credentials == "without a token" else "wrong-" + guarded.token
    answer = sender(transport, guarded.server, token)(request())
    assert answer.code in {"UNAUTHENTICATED", 401}, answer


@row("g9", SHOULD_DESIGN, "a request with the right token", "OK")
@everywhere
def test_who_is_known_is_let_in(sender, guarded, transport):
    """So that the cases before mean something."""
    answer = sender(transport, guarded.server, guarded.token)(request())
    assert answer.is_ok, answer


@row("g9", SHOULD_DESIGN, "no token, and 1 KiB of 64 MiB", "UNAUTHENTICATED before the rest")
def test_a_stranger_cannot_fill_memory(raw_grpc, guarded):
    """The answer must not wait for the body."""
    client = raw_grpc(guarded.server)
    stream = client.open()
    client.send(stream, message(bytes(64 * MIB))[:1024])
    answer = client.answer(stream, timeout_s=5)
    assert answer.code == "UNAUTHENTICATED", answer


@row("g9", SHOULD_DESIGN, "no token, and 1 KiB of 64 MiB", "401 before the rest")
@over_http
def test_a_stranger_cannot_fill_memory_over_http(connect, guarded, transport):
    """The answer must not wait for the body."""
    client = connect(transport, guarded.server)
    head = {"Content-Type": media_type_of(transport), "Content-Length": str(64 * MIB)}
    client.send_head(headers=head)
    client.send(bytes(1024))
    answer = client.answer(timeout_s=5)
    assert answer.code == 401, answer


@row("g9", MUST_HTTP, "a request without a token", "401 with WWW-Authenticate")
@over_http
def test_401_names_the_scheme(sender, guarded, transport):
    """RFC 9110, 15.5.2."""
    answer = sender(transport, guarded.server)(request())
    assert answer.code == 401, answer
    assert "www-authenticate" in answer.headers, answer.headers


# g14: deadlines


@row(
    "g14", SHOULD_DESIGN, "grpc-timeout: 300m, and half of a message", "DEADLINE_EXCEEDED; then OK"
)
def test_a_deadline_ends_a_call(raw_grpc, endpoint):
    """Or its stream is reset: nothing of it is taken, and the connection goes on."""
    client = raw_grpc(endpoint, endpoint.token)
    body = message(wire())
    stream = client.open(grpc_timeout="300m")
    client.send(stream, body[: len(body) // 2])
    answer = client.answer(stream, timeout_s=5)
    assert answer.code == "DEADLINE_EXCEEDED" or "RST_STREAM" in answer.code, answer
    after = client.call(wire())
    assert after.is_ok, after


# g15: shutdown


class Shutdown(NamedTuple):
    """What was seen while a server stopped."""

    half_sent: dict[str, Answer]
    is_told: bool
    later: Answer
    exit_code: int
    scores: str
    trace_id: str


@pytest.fixture(scope="module")
def shutdown(endpoint, start_own):
    """Stop a Spanscore while a call of each transport is half sent, and an open trace is held."""
    if not endpoint.is_own:
        pytest.skip("only a server that is started here can be stopped")
    pytest.importorskip("h2", reason="h2 is not installed, so no single frames can be sent")
    from .grpc_client import GrpcClient
    from .http2 import RawGrpc
    from .http_client import HttpClient

    server = start_own({"sinks.jsonl.path": "scores.jsonl"})
    open_span = span(
        attributes=[attribute("gen_ai.operation.name", "chat")], parent_span_id=b"p" * 8
    )
    body = wire()
    with RawGrpc(server.grpc) as raw, HttpClient(server.http) as http:
        assert raw.call(wire(open_span)).is_ok
        stream = raw.open()
        raw.send(stream, message(body)[:20])
        http.send_head(
            headers={"Content-Type": media_type_of(HTTP_PROTOBUF), "Content-Length": len(body)}
        )
        http.send(body[:20])
        time.sleep(0.3)
        server.terminate()
        time.sleep(0.3)
        with GrpcClient(server.grpc) as late:
            later = late.call(wire())
        raw.send(stream, message(body)[20:], end=True)
        http.send(body[20:])
        half_sent = {GRPC: raw.answer(stream), HTTP_PROTOBUF: http.answer()}
        is_told = raw.is_going_away
    exit_code = server.wait()
    scores = (server.folder / "scores.jsonl").read_text()
    return Shutdown(half_sent, is_told, later, exit_code, scores, open_span.trace_id.hex())


@row("g15", SHOULD_DESIGN, "SIGTERM while a request is half sent", "OK or UNAVAILABLE / 200 or 503")
@pytest.mark.parametrize("transport", [GRPC, HTTP_PROTOBUF])
def test_a_request_in_flight_is_answered(shutdown, transport):
    """Taken, or refused for now: never cut off."""
    answer = shutdown.half_sent[transport]
    assert answer.code in {"OK", "UNAVAILABLE", 200, 503}, answer


@row("g15", SHOULD_GRPC, "SIGTERM while a connection is open", "GOAWAY")
def test_open_connections_are_told(shutdown):
    """So that a client opens another one before it has a call to make."""
    assert shutdown.is_told, "no GOAWAY"


@row("g15", SHOULD_DESIGN, "a call after SIGTERM", "UNAVAILABLE, or the connection is refused")
def test_a_later_call_is_refused(shutdown):
    """A client goes elsewhere, or comes again."""
    assert shutdown.later.code == "UNAVAILABLE", shutdown.later


@row("g15", SHOULD_DESIGN, "SIGTERM while a trace is open", "its scores are written; exit code 0")
def test_open_traces_are_scored_before_the_end(shutdown):
    """Acknowledged spans are not lost."""
    assert shutdown.exit_code == 0
    found = {json.loads(line)["trace_id"] for line in shutdown.scores.splitlines()}
    assert shutdown.trace_id in found, found
