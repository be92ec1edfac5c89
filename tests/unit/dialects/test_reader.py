import pytest

from scorer.dialects.reader import reader
from scorer.model.span_facts import SpanFacts


class Asked:
    """A dialect that counts how often it is asked."""

    name = "asked"

    def __init__(self, matches_by_keys):
        self.matches_by_keys = matches_by_keys
        self.times = 0

    def matches(self, span, logs):
        self.times += 1
        return "k" in span.attributes

    def read(self, span, logs):
        return SpanFacts(agent_name=span.attributes["k"])


def test_spans_with_the_same_keys_are_matched_once(span):
    """The values differ, so every span is read."""
    dialect = Asked(matches_by_keys=True)
    read = reader([dialect]).read
    facts = [read(span("1", {"k": name}), ())[1].agent_name for name in ("a", "b")]
    assert (facts, dialect.times) == (["a", "b"], 1)


def test_other_keys_or_another_scope_are_matched_anew(span):
    """Both may tell a dialect."""
    dialect = Asked(matches_by_keys=True)
    read = reader([dialect]).read
    found = [
        read(span("1", {"k": 1}), ())[0],
        read(span("1", {"x": 1}), ())[0],
        read(span("1", {"k": 1}, scope="other"), ())[0],
    ]
    assert (found, dialect.times) == ([("asked",), (), ("asked",)], 3)


def test_a_dialect_that_does_not_say_so_is_always_asked(span):
    """A plug-in may look at values."""
    dialect = Asked(matches_by_keys=False)
    read = reader([dialect]).read
    for _ in range(2):
        read(span("1", {"k": "a"}), ())
    assert dialect.times == 2


def test_spans_with_events_or_logs_are_always_matched(span, log):
    """Those may hold the content."""
    dialect = Asked(matches_by_keys=True)
    read = reader([dialect]).read
    for _ in range(2):
        read(span("1", {"k": "a"}, events=[("e", {})]), ())
        read(span("1", {"k": "a"}), (log("1", "e", "body"),))
    assert dialect.times == 4


def test_combinations_without_end_are_not_kept(span):
    """Keys come from spans, so what is remembered of them is bounded."""
    dialect = Asked(matches_by_keys=True)
    kept = reader([dialect])
    for number in range(3_000):
        kept.read(span("1", {f"key {number}": 1}), ())
    kept.read(span("1", {"x" * 5_000: 1}), ())
    assert len(kept._known) <= 1_024
    assert all(sum(map(len, keys)) <= 4_096 for keys in kept._known)


def test_a_dialect_with_keys_is_asked_where_one_of_them_is(span):
    """However many dialects there are, a span costs the asking of a few."""
    dialect = Asked(matches_by_keys=False)
    dialect.keys = frozenset({"k"})
    read = reader([dialect]).read
    found = [read(span("1", attributes), ())[0] for attributes in ({"x": 1}, {"k": 1}, {"k": 2})]
    assert (found, dialect.times) == ([(), ("asked",), ("asked",)], 2)


@pytest.mark.parametrize(
    ("attributes", "fields", "notable"),
    [
        ({"k": 1}, {}, False),
        ({"spanscore.energy_kwh": 1}, {}, True),
        ({"langfuse.environment": "x"}, {}, True),
        ({"gen_ai.evaluation.name": "x"}, {}, True),
        ({}, {"scope": "spanscore"}, True),
        ({"spanscore.energy_kwh": 1}, {"events": [("e", {})]}, True),
        ({"k": 1}, {"events": [("e", {})]}, False),
    ],
)
def test_what_keys_say_beside_facts_is_noted(span, attributes, fields, notable):
    """So that nobody looks for it in every span."""
    assert reader([]).read(span("1", attributes, **fields), ())[2] is notable
