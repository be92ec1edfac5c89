"""What was split and is joined again has lost nothing: spans, and all that stands around them."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.otlp.join import join
from scorer.otlp.split import split_logs, split_traces
from scorer.otlp.wire import Walk, length_delimited
from scorer.receivers.files import StoredFiles

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SPANSCORE_CORPUS", ROOT.parent / "shared" / "corpus"))
SPAN = b"\x0a\x10" + b"t" * 16 + b"\x12\x08" + b"s" * 8
LOG = b"\x4a\x10" + b"t" * 16
LIST = 2


def surrounded(body, number=1):
    """Yield each item of a request with what stands around it, seen by a parser of nothing else.

    Of a resource or scope: whether it is there, and its bytes; of all else its bytes, in order.
    """
    for group in payloads(body, number):
        for scope in payloads(group, LIST):
            for item in payloads(scope, LIST):
                yield item, around(group), around(scope)


def payloads(body, number):
    fields = Walk(body).fields(0, len(body))
    return [body[f.payload : f.stop] for f in fields if f.number == number and f.payload]


def around(group):
    heads = payloads(group, 1)
    others = [group[f.start : f.stop] for f in fields_of(group) if f.number not in (1, LIST)]
    return bool(heads), b"".join(heads), others


def fields_of(body):
    return Walk(body).fields(0, len(body))


def joined(signal, body):
    if signal == "logs":
        split = split_logs(body)
        return join([*((log.wire, log.envelope) for log in split.records), *split.untraced])
    return join((span.wire, span.envelope) for span in split_traces(body).spans)


unknown = st.one_of(
    st.builds(lambda data: length_delimited(3, data), st.binary(max_size=20)),  # the schema URL
    st.builds(lambda data: length_delimited(15, data), st.binary(max_size=20)),
    st.builds(lambda data: b"\xc2\x3e" + bytes([len(data)]) + data, st.binary(max_size=20)),
    st.sampled_from([b"\x38\x07", b"\x4d1234", b"\x5112345678"]),
)
heads = st.builds(lambda data: length_delimited(1, data), st.binary(max_size=20))


@st.composite
def groups(draw, items, level=0):
    """Draw the inside of a ResourceSpans (level 0) or a ScopeSpans, its fields in any order."""
    inner = items if level else groups(items, 1)
    lists = draw(st.lists(inner, max_size=3))
    fields = [length_delimited(LIST, part) for part in lists]
    fields += draw(st.lists(heads, max_size=2)) + draw(st.lists(unknown, max_size=3))
    return b"".join(draw(st.permutations(fields)))


@st.composite
def bodies(draw, item):
    extra = st.lists(unknown.filter(lambda field: field[0] >> 3 not in {4, 9}), max_size=3)
    items = extra.map(lambda fields: item + b"".join(fields))
    inner = draw(st.lists(groups(items), max_size=3))
    return b"".join(length_delimited(1, group) for group in inner)


@given(bodies(SPAN))
def test_spans_keep_their_bytes_and_all_that_surrounds_them(body):
    """Resource, scope, schema URLs and unknown fields, wherever they stand and however often."""
    assert list(surrounded(joined("traces", body))) == list(surrounded(body))


@given(bodies(LOG))
def test_log_records_keep_theirs(body):
    """Their request has the same form."""
    assert list(surrounded(joined("logs", body))) == list(surrounded(body))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus here")
def test_nothing_of_the_corpus_is_lost():
    """Whatever instrumentation made it."""
    count = 0
    for request in StoredFiles([str(CORPUS)]).requests():
        if request.signal != "metrics":
            before = sorted(surrounded(request.body))
            assert sorted(surrounded(joined(request.signal, request.body))) == before
            count += len(before)
    assert count > 1000
