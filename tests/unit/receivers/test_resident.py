"""The memory that the process takes."""

from scorer.receivers.resident import give_back, resident_bytes


def test_resident_memory_is_that_of_this_process():
    """A block that is written to is seen."""
    before = resident_bytes()
    assert 2 * 10**7 < before < 10**10
    block = b"x" * 10**8
    assert resident_bytes() - before > 9 * 10**7
    del block


def test_what_is_freed_can_be_given_back():
    """Half of many small blocks leaves the other half as it is."""
    blocks = [bytes(1000) for _ in range(1000)]
    del blocks[::2]
    give_back()
    assert all(block == bytes(1000) for block in blocks)
