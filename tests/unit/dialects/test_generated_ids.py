import pytest

from scorer.dialects.generated_ids import made_together

RUN = "01a22b9b-60e1-7706-8b4f-1f26fddd0cb8"


def test_ids_of_one_moment_were_made_together():
    """The first 48 bits of a version 7 UUID are the milliseconds of its making."""
    assert made_together("01a22b9b-60e2-7106-8b4f-1f26fddd0cb9", RUN)


@pytest.mark.parametrize(
    "session",
    [
        "01a22b9b-70e1-7706-8b4f-1f26fddd0cb8",  # of another moment: an earlier turn
        "01a22b9b-60e1-4706-8b4f-1f26fddd0cb8",  # version 4 holds no time
        "session-7f3a",
        "zza22b9b-60e1-7706-8b4f-1f26fddd0cb8",
        None,
    ],
)
def test_every_other_id_was_not(session):
    """A given id ties runs, and so does that of an earlier turn."""
    assert not made_together(session, RUN)
    assert not made_together(session, None)
