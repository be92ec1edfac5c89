"""What is sent next, and what becomes of each answer."""

import pytest

from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.sinks.otlp.target import OverloadedError, RefusedError, Sent

LATER = RetryableError("later", retry_after_s=0)
OVERLOADED = OverloadedError("full", retry_after_s=0)
BAD = PermanentError("bad")


def take_all(line):
    """Have the target take everything there is, waiting where that is asked for."""
    while not line.plan.is_empty:
        line.wait()
        line.plan.taken(line.next(), Sent())


def test_nothing_is_sent_when_there_is_nothing(line):
    """And nothing has to be waited for."""
    made = line()
    assert made.next() is None
    assert made.plan.due() == float("inf")
    assert made.plan.is_empty


def test_waiting_parcels_of_one_signal_make_one_request(line):
    """Their bodies one after the other."""
    made = line()
    made.add("abc")
    assert made.next().body == b"abc"


def test_a_request_is_not_larger_than_its_bound(line):
    """The rest goes into the next one."""
    made = line(max_request_size=2, concurrency=3)
    made.add("abc")
    assert [made.next().body, made.next().body, made.next()] == [b"ab", b"c", None]


def test_a_parcel_over_the_bound_goes_alone(line):
    """It cannot be cut."""
    made = line(max_request_size=0, concurrency=2)
    made.add("ab")
    assert made.next().body == b"a"


def test_signals_do_not_share_a_request(line):
    """The one that has waited longest goes first."""
    made = line(concurrency=2)
    made.add("a", "logs")
    made.add("b", "traces")
    made.add("c", "logs")
    first, second = made.next(), made.next()
    assert (first.signal, first.body, second.signal, second.body) == ("logs", b"ac", "traces", b"b")


def test_only_so_many_requests_are_under_way(line):
    """What comes meanwhile waits."""
    made = line(concurrency=2, max_request_size=1)
    made.add("abc")
    first = made.next()
    assert made.next() is not None
    assert (made.next(), made.plan.due()) == (None, float("inf"))
    made.plan.taken(first, Sent())
    assert made.next().body == b"c"


def test_what_was_taken_is_done(line):
    """Its bytes leave the queue."""
    made = line()
    made.add("ab")
    assert made.plan.queued_bytes == 2
    made.plan.taken(made.next(), Sent())
    assert (made.done, made.arrived, made.plan.queued_bytes) == ("ab", "ab", 0)


def test_what_is_not_taken_now_is_sent_again_later(line):
    """After a wait; nothing of it is done before."""
    made = line()
    made.add("ab")
    made.plan.not_now(made.next(), LATER, made.now)
    assert (made.next(), made.plan.due(), made.done) == (None, 101.0, "")
    take_all(made)
    assert (made.arrived, made.tally.retries, made.tally.gone) == ("ab", 1, [])


def test_what_the_target_asks_for_is_waited_for(line):
    """For everything that goes there."""
    made = line(concurrency=2, max_request_size=1)
    made.add("ab")
    made.plan.not_now(made.next(), RetryableError("", retry_after_s=60), made.now)
    assert (made.next(), made.plan.due()) == (None, 160.0)


def test_waits_get_longer_up_to_a_bound(line):
    """Doubled with each failure in a row."""
    made, waits = line(), []
    made.add("a")
    for _ in range(6):
        made.wait()
        made.plan.not_now(made.next(), LATER, made.now)
        waits.append(made.plan.due() - made.now)
    assert waits == [1, 2, 4, 8, 8, 8]


def test_requests_that_fail_together_are_one_failure(line):
    """Else four at a time would make the first wait as long as the fourth."""
    made = line(concurrency=4, max_request_size=1)
    made.add("abcd")
    for batch in [made.next() for _ in range(4)]:
        made.plan.not_now(batch, LATER, made.now)
    assert made.plan.due() == 101.0


def test_a_target_that_fails_gets_one_request_at_a_time(line):
    """Until it takes one."""
    made = line(concurrency=4, max_request_size=1)
    made.add("abcd")
    made.plan.not_now(made.next(), LATER, made.now)
    made.wait()
    probe = made.next()
    assert made.next() is None
    made.plan.taken(probe, Sent())
    assert made.next() is not None
    assert made.next() is not None


def test_order_is_kept_when_the_target_comes_back(line):
    """Apart from the second request, which was tried in between."""
    made = line(max_request_size=1)
    made.add("abcdef")
    for _ in range(3):
        made.plan.not_now(made.next(), LATER, made.now)
        made.wait()
    take_all(made)
    assert made.arrived == "bacdef"


def test_a_target_that_is_down_for_long_loses_nothing(line):
    """A hundred failures, whatever kind may pass."""
    made = line(max_request_size=3)
    made.add("abcdefghij")
    for count in range(100):
        made.wait()
        made.plan.not_now(made.next(), (LATER, OVERLOADED)[count % 2], made.now)
    take_all(made)
    assert sorted(made.arrived) == list("abcdefghij")
    assert made.tally.gone == []


def test_a_refused_request_is_cut_until_the_parcel_at_fault_is_alone(line):
    """All others arrive; that one is lost, and counted."""
    made = line()
    made.add("abcdefgh")
    while (batch := made.next()) is not None:
        made.plan.never(batch, BAD) if b"f" in batch.body else made.plan.taken(batch, Sent())
    assert (made.arrived, made.tally.gone) == ("abcdegh", [(1, "refused")])
    assert made.done == "abcdefgh"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BAD, "refused"),
        (TooLargeError("big"), "too_large"),
        (RefusedError("x", reason="internal"), "internal"),
    ],
)
def test_the_reason_of_a_loss_is_told(line, error, reason):
    """From few words, for a label."""
    made = line()
    made.add("a")
    made.plan.never(made.next(), error)
    assert made.tally.gone == [(1, reason)]


def test_a_refusal_that_is_not_about_the_data_is_not_tried_in_parts(line):
    """A target that does not know logs knows no half of them."""
    made = line()
    made.add("abc")
    made.plan.never(made.next(), RefusedError("", reason="unimplemented", is_about_data=False))
    assert made.tally.gone == [(1, "unimplemented")] * 3
    assert made.plan.is_empty


def serve(made, answer, limit=400):
    """Let the target answer each request by `answer(body)`, None = taken."""
    for _ in range(limit):
        made.wait()
        batch = made.next()
        if batch is None:
            return
        error = answer(batch.body)
        if error is None:
            made.plan.taken(batch, Sent())
        else:
            made.plan.not_now(batch, error, made.now)


def test_a_request_that_upsets_the_target_does_not_stop_the_others(line):
    """Even when it is never refused for good; it stays, for it may be taken yet."""
    made = line(max_request_size=2)
    made.add("abcdefgh")
    serve(made, lambda body: LATER if b"a" in body else None, limit=40)
    assert (sorted(made.arrived), made.tally.gone) == (list("bcdefgh"), [])
    assert not made.futures["a"].done()


def test_what_is_too_much_for_the_target_is_cut(line):
    """A slow one may take half of it in time."""
    made = line()
    made.add("abcdefgh")
    serve(made, lambda body: LATER if len(body) > 3 else None)
    assert sorted(made.arrived) == list("abcdefgh")


def test_exhausted_is_believed_only_while_others_are_taken(line):
    """Ten times, for OTLP calls it final but queues that are full say it too."""
    made = line(max_request_size=1)
    made.add("a")
    serve(made, lambda body: OVERLOADED, limit=50)
    assert made.tally.gone == []

    serve(made, trickle(made, OVERLOADED), limit=100)
    assert made.tally.gone == [(1, "overloaded")]
    assert made.futures["a"].done()


def trickle(made, error):
    """Return a target that never takes "a", and always has something else to take."""

    def answer(body):
        made.add("x")
        made.now += 1
        return error if body == b"a" else None

    return answer


def test_what_may_pass_is_never_believed_to_be_final(line):
    """However many others are taken meanwhile."""
    made = line(max_request_size=1)
    made.add("a")
    serve(made, trickle(made, LATER), limit=300)
    assert made.tally.retries > 20
    assert made.tally.gone == []


def test_what_the_target_asks_for_holds_for_all_even_when_one_request_is_at_fault(line):
    """A hint is about the target."""
    made = line(max_request_size=1)
    made.add("ab")
    first = made.next()
    made.plan.not_now(first, LATER, made.now)
    made.wait()
    made.plan.taken(made.next(), Sent())
    assert made.next() is first
    made.plan.not_now(first, RetryableError("", retry_after_s=60), made.now)
    made.add("c")
    assert (made.next(), made.plan.due()) == (None, made.now + 60)


def test_what_cannot_be_delivered_in_time_is_given_up(line):
    """Where a time is set: what has been tried, and what waits behind it."""
    made = line(max_request_size=1, max_elapsed_s=10)
    made.add("ab")
    first = made.next()
    made.now += 9
    made.add("c")
    made.now += 1
    made.plan.not_now(first, LATER, made.now)
    assert made.tally.gone == [(1, "expired")] * 2
    assert made.done == "ab"


def test_what_was_put_back_is_sent_again(line):
    """It was under way when we stopped."""
    made = line()
    made.add("ab")
    made.plan.put_back(made.next())
    assert not made.plan.is_empty
    assert made.next().body == b"ab"


def test_a_future_that_its_owner_cancelled_harms_nobody(line):
    """The parcel goes its way."""
    made = line()
    made.add("ab")
    made.futures["a"].cancel()
    made.plan.taken(made.next(), Sent())
    assert made.arrived == "ab"
