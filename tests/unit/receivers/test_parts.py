"""Large bodies are taken part by part."""

import asyncio

import pytest

from scorer.errors import PermanentError, RetryableError
from scorer.otlp.cut import PART_SIZE
from scorer.otlp.split import split_traces
from scorer.receivers.parts import both, size_limit, take_protobuf
from scorer.receivers.take import Accepted
from scorer.testing import RecordingIngest, TraceBuilder


class Answering(RecordingIngest):
    """Answers each request in turn; an exception is raised."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)

    def traces(self, body, *, tenant=""):
        answer = self.answers.pop(0) if self.answers else Accepted()
        super().traces(body, tenant=tenant)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def body():
    """A request of 30 spans of 100 KB."""
    builder = TraceBuilder(1)
    for _ in range(30):
        builder.span("chat", padding="x" * 100_000)
    return builder.request()


async def test_a_small_body_is_taken_as_it_is():
    """Nothing is cut that is not larger than a part."""
    ingest = RecordingIngest()
    assert await take_protobuf(ingest.traces, b"\x0a\x00", "acme") == Accepted()
    assert ingest.requests == [("traces", b"\x0a\x00", "acme")]


async def test_a_large_body_is_taken_in_parts(body):
    """Together they hold the spans, in order and for the same tenant."""
    ingest = RecordingIngest()
    await take_protobuf(ingest.traces, body, "acme")
    parts = ingest.of("traces")
    assert len(parts) == 4
    assert all(len(part) < PART_SIZE + 110_000 for part in parts)
    spans = [span.wire for part in parts for span in split_traces(part).spans]
    assert spans == [span.wire for span in split_traces(body).spans]
    assert {request.tenant for request in ingest.requests} == {"acme"}


async def test_what_is_rejected_is_summed_up(body):
    """Every reason is told."""
    ingest = Answering(Accepted(1, "one"), Accepted(), Accepted(2, "two"))
    assert await take_protobuf(ingest.traces, body, "") == Accepted(3, "one; two")


async def test_a_refused_part_does_not_keep_out_the_others(body):
    """Their spans may be of open traces; the sender is told to come again all the same."""
    ingest = Answering(RetryableError("full; send it again"))
    with pytest.raises(RetryableError, match="full"):
        await take_protobuf(ingest.traces, body, "")
    assert len(ingest.requests) == 4


async def test_a_wrong_part_ends_it(body):
    """Sending it again would not help."""
    ingest = Answering(PermanentError("wrong"))
    with pytest.raises(PermanentError, match="wrong"):
        await take_protobuf(ingest.traces, body, "")
    assert len(ingest.requests) == 1


async def test_a_part_without_any_span_costs_only_itself(body):
    """As in a small request, where spans without ids are rejected beside good ones."""
    ingest = Answering(Accepted(), PermanentError("none of 7 spans has ids", items=7), Accepted(1))
    accepted = await take_protobuf(ingest.traces, body, "")
    assert accepted == Accepted(8, "none of 7 spans has ids")
    assert len(ingest.requests) == 4


async def test_a_request_without_any_span_is_wrong(body):
    """Most likely it is of another signal."""
    ingest = Answering(*(PermanentError("none has ids", items=7) for _ in range(4)))
    with pytest.raises(PermanentError, match="none has ids"):
        await take_protobuf(ingest.traces, body, "")


def test_many_parts_have_no_endless_message():
    """It goes back to the sender, and each part may say something else, or all the same."""
    total = Accepted()
    for number in range(1000):
        total = both(total, Accepted(1, f"wrong {number % 7} of {number}"))
    assert total.rejected == 1000
    assert len(total.message) < 500


def test_a_text_is_told_once():
    """Each part of a request may have the same fault."""
    same = both(Accepted(1, "wrong"), Accepted(2, "wrong"))
    late = both(same, Accepted(0, "late"))
    assert late == Accepted(3, "wrong; late")
    assert both(late, Accepted(1, "wrong")).message == "wrong; late"


def test_a_request_takes_at_most_a_sixteenth_of_the_memory():
    """While it is taken it is there several times; batches of exporters always fit."""
    mib = 2**20
    assert size_limit(64 * mib, 512 * mib) == 32 * mib
    assert size_limit(64 * mib, 1024 * mib) == 64 * mib
    assert size_limit(64 * mib, 10 * mib) == 4 * mib
    assert size_limit(1 * mib, 512 * mib) == 1 * mib


async def test_of_many_large_bodies_one_part_is_taken_before_others_get_a_turn(body):
    """However many large requests there are, nobody waits for more than one part."""
    ingest, turn, most = RecordingIngest(), asyncio.Lock(), 0
    tasks = [asyncio.create_task(take_protobuf(ingest.traces, body, "", turn)) for _ in range(5)]
    while not all(task.done() for task in tasks):
        before = len(ingest.requests)
        await asyncio.sleep(0)
        most = max(most, len(ingest.requests) - before)
    assert most == 1
    assert len(ingest.requests) == 20


def test_an_answer_waits_for_all_parts_that_are_in_the_log():
    """From the first of them to the last; a part that is in none does not count."""
    first, nothing, last = Accepted(offset=5, first=4), Accepted(), Accepted(offset=9, first=9)
    whole = both(both(both(Accepted(), first), nothing), last)
    assert (whole.first, whole.offset) == (4, 9)
