"""Journals in a folder of the test, closed at its end."""

import pytest

from scorer.journal import Journal

KIB = 1024


@pytest.fixture
def open_journal(tmp_path):
    """Return a function that opens the journal of the test, again and again."""
    opened = []

    def open_it(**settings):
        for journal in opened:
            journal.close()
        defaults = {"fsync": "off", "max_size": 1024 * KIB, "segment_size": 4 * KIB}
        opened.append(Journal(tmp_path / "journal", **(defaults | settings)))
        return opened[-1]

    yield open_it
    for journal in opened:
        journal.close()


@pytest.fixture
def files(tmp_path):
    """Return a function that lists the segment files, in order."""
    return lambda: sorted((tmp_path / "journal").glob("*.seg"))
