"""Where an input batch stood in its log."""

from typing import NamedTuple


class Position(NamedTuple):
    """A place in an input log; positions of one (source, partition) are ordered by offset."""

    source: str
    partition: int
    offset: int
