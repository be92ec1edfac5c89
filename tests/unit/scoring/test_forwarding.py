"""Waiting for several targets."""

import asyncio

from scorer.scoring.forwarding import NoForwarder, Stray, all_done


def future():
    return asyncio.get_running_loop().create_future()


async def test_all_of_nothing_is_done():
    """Where nothing is passed on, nothing is waited for."""
    assert all_done([]).done()
    assert NoForwarder().forward([], []).done()
    assert NoForwarder().pass_on(Stray("logs", "", b"", b"", 1)).done()


async def test_it_is_done_with_the_last():
    """In whatever order they come."""
    parts = [future(), future()]
    whole = all_done(parts)
    parts[1].set_result(None)
    await asyncio.sleep(0)
    assert not whole.done()
    parts[0].set_result(None)
    await asyncio.sleep(0)
    assert whole.done()


async def test_one_that_is_cancelled_never_ends():
    """The service ended before it was accepted: it must not look as if it was."""
    before, after = future(), future()
    before.cancel()
    wholes = [all_done([before]), all_done([after])]
    after.cancel()
    await asyncio.sleep(0)
    assert not any(whole.done() for whole in wholes)
