"""B2: what is refused over HTTP, and how it is told."""

import gzip
import zlib

import pytest
from google.rpc import error_details_pb2

from .answer import JSON
from .payloads import MIB, bomb, good, large
from .row import HTTP, MUST_OTLP, SHOULD_DESIGN, SHOULD_OTLP, case, row

both = pytest.mark.parametrize("transport", HTTP)


# h3, h6


def damaged(flaw, media_type):
    """Return a body that does not decode, and its Content-Encoding."""
    plain = good(media_type)
    packed = gzip.compress(plain)
    bodies = {
        "garbage": (b"\xff\xff\xff garbage", None),
        "a request that is cut short": (plain[:-7], None),
        "no gzip, called gzip": (plain, "gzip"),
        "zlib, called gzip": (zlib.compress(plain), "gzip"),
        "gzip that is cut short": (packed[:-12], "gzip"),
        "gzip of a wrong checksum": (packed[:-8] + bytes(8), "gzip"),
        "gzip with garbage behind it": (packed + b"garbage", "gzip"),
        "gzip of garbage": (gzip.compress(b"\xff\xff\xff garbage"), "gzip"),
        "nothing, called gzip": (b"", "gzip"),
    }
    return bodies[flaw]


FLAWS = (
    "garbage",
    "a request that is cut short",
    "no gzip, called gzip",
    "zlib, called gzip",
    "gzip that is cut short",
    "gzip of a wrong checksum",
    "gzip of garbage",
)


@both
@pytest.mark.parametrize(
    "flaw",
    [
        *(case("h3", MUST_OTLP, flaw, "400", flaw) for flaw in FLAWS),
        case(
            "h3", SHOULD_DESIGN, "gzip with garbage behind it", "400", "gzip with garbage behind it"
        ),
    ],
)
def test_what_does_not_decode_is_400(http, media_type, flaw):
    """A client must know that it is no use to send it again."""
    body, encoding = damaged(flaw, media_type)
    answer = http.post(body, media_type, Content_Encoding=encoding)
    assert answer.code == 400, answer


@row("h6", MUST_OTLP, "{flaw}", "no 5xx; then 200")
@both
@pytest.mark.parametrize("flaw", [*FLAWS, "gzip with garbage behind it", "nothing, called gzip"])
def test_bad_input_is_never_a_fault_of_the_server(http, media_type, flaw):
    """A 500 makes a client drop the data without knowing why, a 503 brings it again for ever."""
    body, encoding = damaged(flaw, media_type)
    answer = http.post(body, media_type, Content_Encoding=encoding)
    assert answer.code < 500, answer
    after = http.post(good(media_type), media_type)
    assert after.is_ok, after


# Every error has a body


ERRORS = {
    "an undecodable body": (400, {}),
    "an unknown path": (404, {"path": "/v1/nothing"}),
    "PUT": (405, {"method": "PUT"}),
    "an unknown Content-Encoding": (415, {"Content_Encoding": "nonsense"}),
}


@row("h3", MUST_OTLP, "{error}", "4xx, a google.rpc.Status as the request is encoded")
@both
@pytest.mark.parametrize("error", ERRORS)
def test_every_error_has_a_status(http, media_type, error):
    """Whatever the error, its body is one message, in the encoding of the request."""
    answer = http.post(b"\xff\xff garbage", media_type, **ERRORS[error][1])
    assert 400 <= answer.code < 500, answer
    assert answer.media_type == media_type, answer
    assert answer.status is not None, answer


@row("h3", SHOULD_OTLP, "{error}", "{code}, with a text in the Status")
@both
@pytest.mark.parametrize(("error", "code"), [(name, code) for name, (code, _) in ERRORS.items()])
def test_every_error_says_what_is_wrong(http, media_type, error, code):
    """For whoever set up the client."""
    answer = http.post(b"\xff\xff garbage", media_type, **ERRORS[error][1])
    assert answer.code == code, answer
    assert answer.message, answer


@row("h3", SHOULD_OTLP, "an undecodable body", "BadRequest in the details of the Status")
@both
def test_bad_data_is_explained_in_details(http, media_type):
    """A machine can read it."""
    answer = http.post(b"\xff\xff garbage", media_type)
    assert answer.detail(error_details_pb2.BadRequest), answer


# h4


def oversized(kind, size, media_type):
    """Return a good request of more than `size` bytes once inflated, and its Content-Encoding."""
    if kind == "plain" and media_type == JSON:
        return b'{"unknown":"' + b"x" * size + b'"}', None
    if kind == "plain":
        return large(size), None
    return bomb(as_json=media_type == JSON), "gzip"


SIZES = {
    "plain": "a body over the size limit",
    "gzip": "0.2 MB of gzip that inflate to 200 MiB",
}


@row("h4", MUST_OTLP, "{sent}, {framing}", "413; then 200")
@both
@pytest.mark.parametrize("framing", ["Content-Length", "chunked"])
@pytest.mark.parametrize("sent", SIZES.values())
def test_a_body_over_the_limit_is_413(http, endpoint, media_type, sent, framing):
    """As sent and as inflated, announced or not."""
    kind = next(key for key, text in SIZES.items() if text == sent)
    body, encoding = oversized(kind, endpoint.max_request, media_type)
    if framing == "chunked":
        pieces = (body[at : at + MIB] for at in range(0, len(body), MIB))
        answer = http.post_chunked(pieces, media_type, Content_Encoding=encoding)
    else:
        answer = http.post(body, media_type, Content_Encoding=encoding)
    assert answer.code == 413, answer
    http.close()
    after = http.post(good(media_type), media_type)
    assert after.is_ok, after


@row("h4", SHOULD_DESIGN, "the gzip, with a limit of 4 MiB", "less than 32 MiB of memory more")
@both
def test_a_compression_bomb_costs_no_memory(connect, small_limits, transport, media_type):
    """A server that inflates before it looks at the limit answers the same, at 200 MiB."""
    client = connect(transport, small_limits)
    assert client.post(good(media_type), media_type).is_ok
    body, encoding = oversized("gzip", 0, media_type)
    with small_limits.memory_growth() as growth:
        answer = client.post(body, media_type, Content_Encoding=encoding)
    assert answer.code == 413, answer
    assert growth[0] < 32 * MIB, f"{growth[0]} bytes"
