"""B2: OTLP over HTTP, in protobuf and JSON."""

import gzip
import zlib

import pytest
import zstandard

from .answer import JSON, PROTOBUF
from .http_client import media_type_of
from .payloads import good, request, span, to_json
from .row import (
    HTTP,
    HTTP_JSON,
    HTTP_PROTOBUF,
    MUST_HTTP,
    MUST_OTLP,
    SHOULD_DESIGN,
    SHOULD_HTTP,
    SHOULD_OTLP,
    case,
    row,
)

both = pytest.mark.parametrize("transport", HTTP)

EMPTY = {"http/protobuf": b"", "http/json": b"{}"}


# h1, h2


@pytest.mark.parametrize(
    "transport",
    [
        case("h1", MUST_OTLP, "a good span", "200, partialSuccess unset", HTTP_PROTOBUF),
        case("h1", SHOULD_OTLP, "a good span", "200, partialSuccess unset", HTTP_JSON),
    ],
)
def test_a_good_request_is_taken(http, transport):
    """Unset, not merely zero. A server SHOULD take both encodings on one port."""
    media_type = media_type_of(transport)
    answer = http.post(good(media_type), media_type)
    assert answer.is_full_success, answer


@row("h1", MUST_OTLP, "a good span", "the Content-Type of the request")
@both
def test_the_answer_is_in_the_encoding_of_the_request(http, media_type):
    """Protobuf for protobuf, JSON for JSON."""
    answer = http.post(good(media_type), media_type)
    assert answer.media_type == media_type, answer


@row("h1", SHOULD_OTLP, "an empty request", "200, partialSuccess unset")
@both
def test_an_empty_request_is_fine(http, transport, media_type):
    """An empty body is a valid protobuf message."""
    answer = http.post(EMPTY[transport], media_type)
    assert answer.is_full_success, answer


@row("h2", SHOULD_DESIGN, "two good spans and one of zero ids", "200, rejectedSpans=1 and a text")
@both
def test_one_bad_span_rejects_itself_only(http, media_type):
    """The good spans of a request are kept, and the sender is told of the bad one."""
    message = request(span(), span(trace_id=bytes(16), span_id=bytes(8)), span())
    body = to_json(message) if media_type == JSON else message.SerializeToString()
    answer = http.post(body, media_type)
    assert answer.is_ok, answer
    assert answer.rejected == 1, answer
    assert answer.message, answer


# h7


@row("h7", SHOULD_HTTP, "{method}", "405")
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_other_methods_are_405(http, method):
    """OTLP has POST only."""
    answer = http.post(b"", method=method)
    assert answer.code == 405, answer


@row("h7", MUST_HTTP, "GET", "405 with Allow: POST")
def test_405_names_the_methods(http):
    """RFC 9110, 15.5.6."""
    answer = http.post(b"", None, method="GET", Content_Length=None)
    assert answer.code == 405, answer
    assert "POST" in answer.headers.get("allow", ""), answer.headers


@row("h7", SHOULD_HTTP, "POST {path}", "404")
@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/trace", "/v1"])
def test_unknown_paths_are_404(http, path):
    """A typing error in an endpoint must show."""
    answer = http.post(good(PROTOBUF), path=path)
    assert answer.code == 404, answer


@row("h7", SHOULD_HTTP, "Content-Type: {content_type}", "415")
@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "nonsense", "none"])
def test_other_content_types_are_415(http, content_type):
    """What is not known cannot be decoded."""
    answer = http.post(good(PROTOBUF), None if content_type == "none" else content_type)
    assert answer.code == 415, answer


@row("h7", MUST_HTTP, "Content-Type: {content_type}", "200")
@pytest.mark.parametrize(
    ("transport", "content_type"),
    [
        (HTTP_JSON, "application/json; charset=utf-8"),
        (HTTP_JSON, "application/json;charset=UTF-8"),
        (HTTP_JSON, "Application/JSON"),
        (HTTP_PROTOBUF, "application/x-protobuf; messageType=x"),
    ],
)
def test_a_media_type_may_have_parameters_and_any_case(http, media_type, content_type):
    """RFC 9110, 8.3.1."""
    answer = http.post(good(media_type), content_type)
    assert answer.is_ok, answer


@row("h7", MUST_HTTP, "header names in {letters}", "200")
@pytest.mark.parametrize("letters", ["upper case", "lower case"])
def test_header_names_may_have_any_case(http, letters):
    """RFC 9110, 5.1."""
    change = str.upper if letters == "upper case" else str.lower
    body = gzip.compress(good(PROTOBUF))
    names = ("Content-Type", "Content-Length", "Content-Encoding")
    headers = dict(zip(map(change, names), (PROTOBUF, len(body), "gzip"), strict=True))
    http.send_head(headers=headers)
    http.send(body)
    answer = http.answer()
    assert answer.is_ok, answer


# h8, h9


@both
@pytest.mark.parametrize(
    "encoding",
    [
        case("h8", MUST_OTLP, "Content-Encoding: gzip", "200", "gzip"),
        case("h8", MUST_OTLP, "no Content-Encoding", "200", "none"),
        case("h8", SHOULD_DESIGN, "Content-Encoding: identity", "200", "identity"),
    ],
)
def test_the_encodings_of_otlp_are_taken(http, media_type, encoding):
    """Every OTLP server supports none and gzip."""
    body = good(media_type)
    packed = gzip.compress(body) if encoding == "gzip" else body
    sent = None if encoding == "none" else encoding
    answer = http.post(packed, media_type, Content_Encoding=sent)
    assert answer.is_full_success, answer


@row("h8", SHOULD_HTTP, "Content-Encoding: {encoding}", "200")
@pytest.mark.parametrize("encoding", ["x-gzip", "GZIP"])
def test_other_spellings_of_gzip_are_taken(http, encoding):
    """RFC 9110, 8.4.1."""
    answer = http.post(gzip.compress(good(PROTOBUF)), Content_Encoding=encoding)
    assert answer.is_ok, answer


PACKERS = {
    "nonsense": bytes,
    "deflate": zlib.compress,
    "zstd": zstandard.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "gzip, nonsense": gzip.compress,
}


@row("h8", SHOULD_HTTP, "Content-Encoding: {encoding}, truly so encoded", "415, or 200 if it can")
@pytest.mark.parametrize("encoding", PACKERS)
def test_other_encodings_are_415(http, encoding):
    """A 400 would say that the data is bad, a 5xx that it may be sent again."""
    answer = http.post(PACKERS[encoding](good(PROTOBUF)), Content_Encoding=encoding)
    allowed = {415} if "nonsense" in encoding else {200, 415}
    assert answer.code in allowed, answer


@row("h8", MUST_HTTP, "gzip of two members, one request in all", "200")
def test_gzip_may_have_several_members(http):
    """RFC 1952, 2.2: a file is a series of members."""
    body = good(PROTOBUF)
    packed = gzip.compress(body[:40]) + gzip.compress(body[40:])
    answer = http.post(packed, Content_Encoding="gzip")
    assert answer.is_full_success, answer


@row("h8", MUST_HTTP, "gzip of two members, the second garbage once inflated", "no 2xx")
def test_the_second_member_is_read(http):
    """Whoever stops after the first one acknowledges what is thrown away."""
    packed = gzip.compress(good(PROTOBUF)) + gzip.compress(b"\xff\xff\xff garbage")
    answer = http.post(packed, Content_Encoding="gzip")
    assert answer.code >= 400, answer


@row("h8", MUST_HTTP, "gzip of two members, a span in each", "two spans more accepted")
def test_nothing_of_the_second_member_is_lost(http, series):
    """Two protobuf messages in a row are one message with the fields of both."""
    before = series.value("spanscore_accepted_spans_total")
    packed = gzip.compress(good(PROTOBUF)) + gzip.compress(good(PROTOBUF))
    answer = http.post(packed, Content_Encoding="gzip")
    assert answer.is_full_success, answer
    assert series.value("spanscore_accepted_spans_total") - before == 2


@row("h9", MUST_OTLP, "Accept-Encoding: gzip", "200, plain or gzip as its header says")
@both
def test_the_answer_may_be_compressed(http, media_type):
    """It must then say so."""
    answer = http.post(good(media_type), media_type, Accept_Encoding="gzip")
    if answer.headers.get("content-encoding") == "gzip":
        answer = answer._replace(body=gzip.decompress(answer.body))
    assert answer.is_full_success, answer
