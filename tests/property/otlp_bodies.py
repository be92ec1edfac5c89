"""Requests with unknown fields everywhere, and a reader of them that shares no code with ours."""

from hypothesis import strategies as st

from scorer.otlp.wire import Walk, length_delimited

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
    fields = fields_of(body)
    return [body[f.payload : f.stop] for f in fields if f.number == number and f.payload]


def around(group):
    heads = payloads(group, 1)
    others = [group[f.start : f.stop] for f in fields_of(group) if f.number not in (1, LIST)]
    return bool(heads), b"".join(heads), others


def fields_of(body):
    return Walk(body).fields(0, len(body))


# Fields that neither a span nor a log record has, nor what they are grouped in.
foreign = st.one_of(
    st.builds(lambda data: b"\xc2\x3e" + bytes([len(data)]) + data, st.binary(max_size=20)),
    st.sampled_from([b"\xb8\x3e\x07", b"\xbd\x3e1234", b"\xb9\x3e12345678"]),
)
unknown = foreign | st.builds(length_delimited, st.sampled_from([3, 15]), st.binary(max_size=20))
heads = st.builds(length_delimited, st.just(1), st.binary(max_size=20))


@st.composite
def groups(draw, items, level=0):
    """Draw the inside of a ResourceSpans (level 0) or a ScopeSpans, its fields in any order."""
    inner = items if level else groups(items, 1)
    lists = draw(st.lists(inner, max_size=3))
    fields = [length_delimited(LIST, part) for part in lists]
    fields += draw(st.lists(heads, max_size=2)) + draw(st.lists(unknown, max_size=3))
    return b"".join(draw(st.permutations(fields)))


def with_unknown_fields(item):
    """Return items that begin so."""
    return st.lists(foreign, max_size=3).map(lambda fields: item + b"".join(fields))


@st.composite
def bodies(draw, items):
    """Draw a request of such items."""
    inner = draw(st.lists(groups(items), max_size=3))
    return b"".join(length_delimited(1, group) for group in inner)
