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


@pytest.mark.parametrize("text", ["1e-6", "1E-06", "+1e-6", "1.0e-6", ".000001", "0.1e-5"])
def test_a_number_with_an_exponent_is_a_number(text):
    """With or without a point, as JSON writes it; PyYAML alone takes `1e-6` for a text."""
    assert load_yaml(text) == pytest.approx(1e-6)


@pytest.mark.parametrize("text", ["1e", "e5", "1e-6s", "0xe5e", "a1e5"])
def test_what_only_resembles_one_is_no_exponent(text):
    """A text, or what it was before."""
    assert not isinstance(load_yaml(text), float)
