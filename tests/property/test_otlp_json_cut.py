"""A large OTLP/JSON request has the same outcome as a small one of the same content."""

import json
from typing import Any, NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from scorer.errors import PermanentError
from scorer.model.trace import Envelope
from scorer.otlp.json_cut import cut_json
from scorer.otlp.json_mapping import traces_from_json
from scorer.otlp.split import split_traces

TRACE, SPAN = "0a" * 16, "0b" * 8
texts = st.text(st.sampled_from('a{["\\,:é\ud83d\ude00\0'), max_size=4)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.just(1e300), texts)
unknown = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["spans", "x", "scopeSpans"]), inner, max_size=2),
    ),
    max_leaves=4,
)


class Members(NamedTuple):
    """An object as it is written: keys may stand twice."""

    pairs: list[tuple[str, Any]]


def objects(*known: tuple[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Members]:
    """Objects with some of the members, in any order and mostly once, and some unknown ones."""
    often = [st.tuples(st.just(key), values) for key, values in known]
    rest = st.tuples(st.sampled_from(["x", "spans", "resource_spans", "scope_spans"]), unknown)
    wholes = st.tuples(*often).map(list)
    odd = st.lists(st.one_of(*often, rest), max_size=4)
    return st.one_of(wholes, wholes, odd).flatmap(st.permutations).map(Members)


def lists(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.lists(items, max_size=3), st.lists(items, max_size=3), st.none())


names = st.fixed_dictionaries({"name": texts})
spans = st.one_of(
    objects(
        ("traceId", st.just(TRACE)), ("spanId", st.just(SPAN)), ("name", texts), ("spans", unknown)
    ),
    st.none(),
    scalars,
)
scopes = objects(("spans", lists(spans)), ("scope", names), ("schemaUrl", texts))
groups = objects(
    ("scopeSpans", lists(st.one_of(scopes, st.none()))),
    ("resource", st.just({"attributes": [{"key": "k", "value": {"stringValue": "v"}}]})),
    ("schemaUrl", texts),
)


whole_requests = objects(("resourceSpans", lists(st.one_of(groups, st.none()))), ("x", unknown))


@st.composite
def requests(draw: st.DrawFn) -> Members:
    """Requests with the list, which may stand twice."""
    request = draw(whole_requests)
    assume(any(key == "resourceSpans" for key, _ in request.pairs))
    return request


def written(value: Any, escape: bool) -> str:
    """Write JSON; `escape`: the first letter of each key as an escape."""
    if isinstance(value, Members):
        inner = (f"{key_of(key, escape)} : {written(v, escape)}" for key, v in value.pairs)
        return "{" + " ,\n".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(item, escape) for item in value) + "]"
    return json.dumps(value)


def key_of(key: str, escape: bool) -> str:
    return f'"\\u{ord(key[0]):04x}{key[1:]}"' if escape else f'"{key}"'


class Outcome(NamedTuple):
    """What became of a request; no spans and no rejects where it is `refused`."""

    refused: bool
    spans: list[tuple[bytes, Envelope]]
    rejected: int


def outcome(body: bytes, size: int) -> Outcome:
    spans, rejected = [], 0
    parts = cut_json(body, "traces", size)
    while True:
        try:
            part = next(parts, None)
            if part is None:
                return Outcome(False, spans, rejected)
            mapped = traces_from_json(part)
            rejected += mapped.rejected
            found = split_traces(mapped.body)
            rejected += found.rejected
            spans += [(span.wire, span.envelope) for span in found.spans]
        except PermanentError as error:
            if not error.items:
                return Outcome(True, [], 0)
            rejected += error.items  # nothing in this part is a span


@given(requests(), st.booleans(), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.integers(1, 120))
def test_a_large_request_ends_as_a_small_one_of_the_same_content(request, escape, bom, size):
    """The same spans with the same resources, as many rejected, or refused all the same."""
    body = bom + written(request, escape).encode()
    assert outcome(body, size) == outcome(body, len(body))


@given(requests(), st.data())
def test_a_request_that_is_cut_off_anywhere_is_refused_before_anything_is_taken(request, data):
    """The rest of it may say anything."""
    body = written(request, escape=False).encode()
    end = data.draw(st.integers(6, len(body) - 1)) if len(body) > 6 else 0
    parts = cut_json(body[:end], "traces", 1)
    try:
        first = next(parts, b"{}")
        traces_from_json(first)
    except PermanentError:
        return
    assert end <= 1
