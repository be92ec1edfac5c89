"""B2: how bodies arrive, and what connections carry."""

import time

import pytest

from .answer import PROTOBUF
from .payloads import good, wire
from .row import HTTP, MUST_HTTP, MUST_OTLP, SHOULD_DESIGN, SHOULD_HTTP, row

both = pytest.mark.parametrize("transport", HTTP)


# h10


@row("h10", MUST_HTTP, "a chunked body, a byte a chunk", "200")
@both
def test_a_body_without_a_length_is_read_to_its_end(http, media_type):
    """RFC 9112, 7.1."""
    pieces = (bytes([byte]) for byte in good(media_type))
    answer = http.post_chunked(pieces, media_type)
    assert answer.is_full_success, answer


@row("h10", SHOULD_HTTP, "a damaged chunk, {when} the head", "400, or the connection is closed")
@pytest.mark.parametrize("when", ["together with", "after"])
def test_damaged_chunks_are_refused(http, when):
    """Nothing that follows can be trusted, and there is no end to wait for."""
    chunks = b"3\r\nabc\r\nzz\r\n\r\n"
    head = {"Content-Type": PROTOBUF, "Transfer-Encoding": "chunked"}
    if when == "after":
        http.send_head(headers=head)
        time.sleep(0.2)
        http.send(chunks)
    else:
        http.send_head(headers=head, body=chunks)
    first = http.peek()
    assert not first or http.answer().code == 400, first


@row("h10", SHOULD_DESIGN, "a body that drips, a byte in 50 ms", "408, or closed, in its read time")
def test_a_slow_body_is_cut_off(connect, impatient, endpoint):
    """A sender that never ends must not hold a place for ever."""
    client = connect("http/protobuf", impatient, endpoint.token)
    client.send_head(headers={"Content-Type": PROTOBUF, "Content-Length": "100000"})
    seconds = client.drip(6)
    if seconds is None and not endpoint.is_own:
        pytest.skip("not cut off within 6 s; whether it would be later is not known")
    assert seconds is not None, "still read after 6 s, with read_timeout 1s"
    first = client.peek()
    assert not first or client.answer().code == 408, first


# h11


@row("h11", MUST_HTTP, "Expect: 100-continue", "100 Continue, then 200")
@both
def test_a_client_may_wait_for_100_continue(http, media_type):
    """RFC 9110, 10.1.1: or a final answer at once."""
    body = good(media_type)
    head = {"Content-Type": media_type, "Content-Length": str(len(body)), "Expect": "100-continue"}
    http.send_head(headers=head)
    first = http.peek()
    assert first.startswith(b"HTTP/1.1 100"), first[:12]
    http.take_head()
    http.send(body)
    answer = http.answer()
    assert answer.is_full_success, answer


@row("h11", SHOULD_HTTP, "Expect: 100-continue with a wrong Content-Type", "415 at once")
def test_a_wrong_head_is_refused_without_a_body(http):
    """A client that waits need not send what will be refused."""
    head = {"Content-Type": "text/plain", "Content-Length": "10", "Expect": "100-continue"}
    http.send_head(headers=head)
    first = http.peek()
    assert first.startswith(b"HTTP/1.1 415"), first[:12]


@row("h11", SHOULD_HTTP, "a good, a bad and a good request", "one connection for all")
def test_connections_are_kept(http):
    """Also after a refusal."""
    codes = [http.post(body).code for body in (wire(), b"\xff\xff garbage", wire())]
    assert codes[0] == codes[2] == 200, codes
    assert http.opened == 1, f"{http.opened} connections"


@row("h11", MUST_OTLP, "a good request over HTTP/1.1", "200, over HTTP/1.1")
def test_http_1_1_is_spoken(http):
    """HTTP/2 is optional."""
    http.send_head(headers={"Content-Type": PROTOBUF, "Content-Length": "0"})
    first = http.peek()
    assert first.startswith(b"HTTP/1.1 200"), first[:12]


# h12


@row(
    "h12", SHOULD_DESIGN, "a CORS preflight, CORS not configured", "no Access-Control-Allow-Origin"
)
def test_browsers_are_not_let_in_unasked(http, endpoint):
    """Any page could else send spans from its visitors' machines."""
    if not endpoint.is_own:
        pytest.skip("whether CORS is configured there is not known")
    origin = {"Origin": "http://example.com", "Access_Control_Request_Method": "POST"}
    answer = http.post(b"", method="OPTIONS", **origin)
    assert "access-control-allow-origin" not in answer.headers, answer.headers
