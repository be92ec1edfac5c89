from scorer.dialects import flattened
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


def test_what_is_remembered_of_keys_is_bounded():
    """Whoever sends ever new or ever longer keys fills no memory."""
    longest = "bound.0." + "k" * flattened._MAX_LENGTH
    for number in range(flattened._MAX_KNOWN + 5):
        assert rows({f"bound.0.{number}": 1, longest: 2}, "bound.")[0][str(number)] == 1
    known = flattened._KNOWN["bound.",]
    assert len(known) == 5
    assert longest not in known


def test_a_remembered_key_still_belongs_to_its_own_prefix():
    """The same key may be looked at with other prefixes."""
    attributes = {"a.0.b.1.c": 1}
    for _ in range(2):
        assert rows(attributes, "a.") == [{"b.1.c": 1}]
        assert rows(attributes, "a.0.b.") == [{"c": 1}]
