from scorer.cli.unread import unread


def lines(*args):
    return [line.plain for line in unread(*args)]


def test_where_all_was_read_there_is_nothing_to_say():
    """No problem, no line."""
    assert lines(0, (), ()) == []


def test_the_first_problems_are_told_and_the_others_counted():
    """A file of garbage must not flood the terminal."""
    found = lines(25, [f"f: line {n}: bad" for n in range(25)], ())
    assert found[0] == "25 parts of the input could not be read:"
    assert len(found) == 12
    assert found[-1] == "  … and 15 more"


def test_skipped_files_are_named():
    """Up to ten of them."""
    assert lines(0, (), ("a", "b")) == ["2 files without OTLP were skipped: a, b"]
    assert lines(0, (), [str(n) for n in range(12)])[0].endswith("8, 9 … and 2 more")


def test_names_cannot_drive_the_terminal():
    """File names come from outside, too."""
    assert "\x1b" not in "".join(lines(1, ["a\x1b[2J: bad"], ["b\x1b[2J"]))
