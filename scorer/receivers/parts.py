"""Takes large bodies part by part, with pauses for other work."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from scorer.errors import PermanentError, RetryableError
from scorer.otlp.cut import PART_SIZE, cut
from scorer.receivers.take import Accepted, Take

_SMALLEST_LIMIT = 4 * 2**20  # the batches of common exporters are smaller
# A message of so many characters says enough; each part of a large request may have its own.
_LONG_MESSAGE = 400


def size_limit(configured: int, memory: int) -> int:
    """Return the largest request that is read, in bytes.

    A sixteenth of the memory budget at most: while it is received and taken, it is there up to
    four times, and others are received beside it.
    """
    return min(configured, max(memory // 16, _SMALLEST_LIMIT))


async def take_protobuf(
    take: Take, body: bytes, tenant: str, turn: asyncio.Lock | None = None
) -> Accepted:
    """Take a body, in parts when it is large, and return the answer for the whole.

    Of all the large bodies with the same `turn` one part is taken at a time.

    Raises:
        SpanscoreError: As `take_each`.
    """
    if len(body) <= PART_SIZE:
        return take(body, tenant=tenant)
    return await take_each(partial(take, tenant=tenant), cut(body), turn)


async def take_each(
    take: Callable[[bytes], Accepted], parts: Iterator[bytes], turn: asyncio.Lock | None = None
) -> Accepted:
    """Take the parts of a request and return the answer for the whole.

    Without `turn`, a part of each of many large requests would be taken before anybody else gets
    a turn; a part of one huge item takes a second.

    Raises:
        SpanscoreError: As `take`. What is wrong with one part ends it; when one is refused for
            now, the others are tried all the same, for they may belong to open traces. A part
            in which nothing is of the signal is wrong only where all the others are so too.
    """
    total, refusal, foreign, is_any_right = Accepted(), "", None, False
    turn = turn or asyncio.Lock()
    while True:
        async with turn:
            try:
                part = next(parts, None)
                if part is None:
                    break
                total = both(total, take(part))
                is_any_right = True
            except RetryableError as error:
                refusal = refusal or str(error)
            except PermanentError as error:
                if not error.items:
                    raise
                text, count = str(error), error.items
                foreign = foreign or text
                total = both(total, Accepted(count, text))
            await asyncio.sleep(0)
    if refusal:
        raise RetryableError(refusal, retry_after_s=2)
    if foreign and not is_any_right:
        raise PermanentError(foreign)
    return total


def both(one: Accepted, other: Accepted) -> Accepted:
    """Return one answer for two parts of a request; its message has a bounded length."""
    message, offset = one.message, max(one.offset, other.offset)
    if other.message not in message and len(message) < _LONG_MESSAGE:
        message = f"{message}; {other.message}" if message else other.message
    first = min((part.first for part in (one, other) if part.offset), default=0)
    return Accepted(one.rejected + other.rejected, message, offset, first)
