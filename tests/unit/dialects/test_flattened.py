from scorer.dialects.flattened import grouped, rows


def test_indices_are_sorted_as_numbers_and_may_have_gaps():
    """Attribute limits drop keys, and "10" comes after "9"."""
    attributes = {"p.10.a": 3, "p.9.a": 2, "p.0.a.b": 1}
    assert rows(attributes, "p.") == [{"a.b": 1}, {"a": 2}, {"a": 3}]


def test_several_prefixes_are_gathered_in_one_pass():
    """Input and output messages stand side by side."""
    attributes = {"in.0.x": 1, "out.0.x": 2, "else": 3}
    assert grouped(attributes, ("in.", "out.")) == {"in.": [{"x": 1}], "out.": [{"x": 2}]}


def test_a_key_without_a_usable_index_is_ignored():
    """A hostile index neither crashes nor allocates."""
    assert rows({"p.x.a": 1, "p.99999999999.a": 1, "p.²": 1}, "p.") == []
