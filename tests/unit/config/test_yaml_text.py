"""YAML, stricter than PyYAML."""

import pytest
import yaml

from scorer.config.yaml_text import load_yaml


def test_plain_data_comes_out():
    """As from any YAML reader; only plain types."""
    assert load_yaml("a: [1, x]\nb: {c: null}") == {"a": [1, "x"], "b": {"c": None}}
    with pytest.raises(yaml.YAMLError):
        load_yaml("!!python/object/apply:os.getcwd []")


@pytest.mark.parametrize("text", ["a: 1\na: 2", "{b: {a: 1, a: 1}}", "[{a: 1, 'a': 2}]"])
def test_a_key_that_stands_twice_is_an_error(text):
    """At any depth; one of the values would be lost."""
    with pytest.raises(yaml.YAMLError, match="'a' stands twice"):
        load_yaml(text)


def test_a_merged_key_may_be_given_again():
    """That is what merging is for."""
    assert load_yaml("a: &x {k: 1}\nb: {<<: *x, k: 2}")["b"] == {"k": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("-2E3", -2000.0),
        ("1.5e3", 1500.0),
        (".5e1", 5.0),
        ("1e", "1e"),
        ("12e5x", "12e5x"),
    ],
)
def test_a_number_with_an_exponent_needs_neither_point_nor_sign(text, value):
    """In YAML 1.1, PyYAML's, 1e-6 and 1.5e3 are texts."""
    assert load_yaml(text) == value
