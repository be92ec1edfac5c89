"""Bounded labels, case by case."""

import pytest

from scorer.sinks.labels import Children, LabelValues, SeriesBudget, clean


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("shop", "shop"),
        ("Kaufhaus Süd 🛒", "Kaufhaus Süd 🛒"),
        ('a"b\\c', 'a"b\\c'),
        ("a\nb\r\x00\x7f", "a_b___"),
        ("a\u2028b\u202ec", "a_b_c"),
        ("\ud800", "_"),
        ("x" * 129, "x" * 128),
    ],
)
def test_a_value_is_cut_and_cleaned(text, shown):
    """Quotes and backslashes are the exposition's to escape; control characters become `_`."""
    assert clean(text) == shown


def test_nothing_captured_is_no_value():
    """An absent label takes no place and never falls into `other`."""
    fallen = []
    labels = LabelValues(1, lambda: fallen.append(1))
    assert [labels.bound(value) for value in ("a", None, "", "b")] == ["a", "", "", "other"]
    assert fallen == [1]


def test_a_long_flood_is_not_remembered():
    """A million values that fall take no memory."""
    labels = LabelValues(2, lambda: None)
    for number in range(10_000):
        labels.bound(f"service-{number}")
    assert len(labels._known) == 2


def test_beyond_the_budget_only_labels_from_spans_become_other():
    """The labels that the configuration fixes stay; the new combination is counted."""
    fallen = []
    children = Children(
        lambda *values: list(values),
        SeriesBudget(2, lambda: fallen.append(1)),
        cost=1,
        open_labels=frozenset({1, 2}),
    )
    assert children["m", "a", ""] == ["m", "a", ""]
    assert children["m", "b", "x"] == ["m", "b", "x"]
    assert children["m", "c", "y"] == ["m", "other", "other"]
    assert children["m", "c", ""] == ["m", "other", ""]
    assert children["n", "c", "y"] == ["n", "other", "other"]
    assert children["m", "a", ""] is children["m", "a", ""]
    assert len(fallen) == 3
