"""Every registered dialect keeps the promises of `scorer.api.Dialect`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import registry
from scorer.api import Dialect, Resource, Scope, Span, SpanFacts

NAMES = registry.names("dialects")
DIALECTS = registry.load_dialects()

# Of each dialect one key by which it tells its spans.
KEYS = [
    "ai.operationId",
    "gcp.vertex.agent.llm_request",
    "gen_ai.operation.name",
    "langfuse.observation.type",
    "llm.openai.messages",
    "mlflow.spanType",
    "openinference.span.kind",
    "pydantic_ai.all_messages",
    "request_data",
    "traceloop.span.kind",
]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def span(attributes, name="span"):
    return Span(
        "0" * 31 + "1",
        "0" * 15 + "1",
        "",
        name,
        1,
        1,
        2,
        attributes,
        (),
        (),
        0,
        "",
        0,
        0,
        0,
        0,
        Resource({}, "s"),
        Scope(),
    )


@pytest.mark.parametrize("dialect", DIALECTS, ids=NAMES)
class TestDialect:
    def test_it_is_a_dialect_under_its_own_name(self, dialect):
        """Entry point and `name` agree."""
        assert isinstance(dialect, Dialect)
        assert dialect.name in NAMES

    def test_it_does_not_match_a_plain_span(self, dialect):
        """A span of another library is not claimed."""
        assert not dialect.matches(span({"http.request.method": "GET"}), ())

    @given(attributes=st.dictionaries(st.text(), values, max_size=5), name=st.text())
    def test_it_never_raises(self, dialect, attributes, name):
        """Whatever the attributes are, the answer is facts."""
        odd = span(attributes, name)
        assert dialect.matches(odd, ()) in {True, False}
        assert isinstance(dialect.read(odd, ()), SpanFacts)

    @given(keys=st.sets(st.text() | st.sampled_from(KEYS), max_size=5), data=st.data())
    def test_it_matches_by_keys_where_it_says_so(self, dialect, keys, data):
        """Then it is asked once for all spans with the same keys, whatever their values are."""
        if not getattr(dialect, "matches_by_keys", False):
            pytest.skip("it looks at values")
        drawn = [data.draw(st.fixed_dictionaries(dict.fromkeys(keys, values))) for _ in range(2)]
        names = [data.draw(st.text()) for _ in range(2)]
        first, second = (span(a, n) for a, n in zip(drawn, names, strict=True))
        assert dialect.matches(first, ()) == dialect.matches(second, ())
