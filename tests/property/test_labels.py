"""The bounds of labels, for any input."""

from hypothesis import given
from hypothesis import strategies as st

from scorer.sinks.labels import MAX_LENGTH, OTHER, Children, LabelValues, SeriesBudget, clean

texts = st.text(max_size=300) | st.text(alphabet=st.characters(), max_size=20)


def nothing():
    return None


@given(texts)
def test_a_clean_value_is_short_printable_and_encodable(text):
    """No value is longer than 128, and none holds a control character or half a character."""
    value = clean(text)
    assert len(value) <= MAX_LENGTH
    assert value.isprintable()
    value.encode()
    assert clean(value) == value


@given(st.lists(texts, max_size=60), st.integers(1, 8))
def test_a_label_never_takes_more_than_its_limit_and_other(values, limit):
    """Whatever comes, a label has at most `limit` values, and `other`."""
    labels = LabelValues(limit, nothing)
    shown = {labels.bound(value) for value in values} - {""}
    assert len(shown) <= limit + 1
    assert len(shown - {OTHER}) <= limit


@given(st.lists(texts, max_size=60), st.integers(1, 8))
def test_the_first_values_that_come_stay(values, limit):
    """Which values are shown depends on the order of their first coming, and on nothing else."""
    labels = LabelValues(limit, nothing)
    shown = [labels.bound(value) for value in values]
    first = list(dict.fromkeys(clean(value) for value in values if value))[:limit]
    expected = ["" if not v else clean(v) if clean(v) in first else OTHER for v in values]
    assert shown == expected
    assert [labels.bound(value) for value in values] == shown


@given(st.lists(texts, max_size=60), st.integers(1, 8))
def test_each_value_that_falls_is_counted(values, limit):
    """The overflow is counted once for each value that a label did not take."""
    fallen = []
    labels = LabelValues(limit, lambda: fallen.append(1))
    known = set(list(dict.fromkeys(clean(value) for value in values if value))[:limit])
    for value in values:
        labels.bound(value)
    assert len(fallen) == sum(1 for value in values if value and clean(value) not in known)


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.text("xyz", max_size=3)), max_size=80),
    st.integers(0, 20),
    st.integers(1, 6),
)
def test_children_never_cost_more_than_the_budget_and_one_other_each(keys, limit, cost):
    """Series from spans stay within the budget; `other` comes on top once for each fixed label."""
    made = []
    fallen = []
    children = Children(
        lambda *values: made.append(values) or values,
        SeriesBudget(limit, lambda: fallen.append(1)),
        cost=cost,
        open_labels=frozenset({1}),
    )
    got = [children[key] for key in keys]
    assert all(child in {key, (key[0], OTHER)} for child, key in zip(got, keys, strict=True))
    from_spans = [values for values in made if values[1] not in ("", OTHER)]
    assert len(from_spans) * cost <= limit
    assert len(made) == len(set(made)) <= len(from_spans) + 4
    assert len(fallen) == sum(child != key for child, key in zip(got, keys, strict=True))
