"""A target that does as it is told, and time that only a test moves."""

import asyncio

from scorer.sinks.otlp.target import Sent
from scorer.testing import ManualClock


class ScriptedTarget:
    """Answers by `answer(signal, body)`: what it returns, or raises; None = taken."""

    def __init__(self, answer=lambda signal, body: None):
        self.answer = answer
        self.taken = []
        self.tries = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.is_closed = False

    async def send(self, signal, body):
        self.tries += 1
        await self.gate.wait()
        sent = self.answer(signal, body) or Sent()
        self.taken.append((signal, body))
        return sent

    async def close(self):
        self.is_closed = True

    @property
    def arrived(self):
        return b"".join(body for _, body in self.taken).decode()


class Timers:
    """The `clock` and `call_later` of a courier."""

    def __init__(self):
        self.clock = ManualClock()
        self._pending = []

    def call_later(self, delay_s, callback):
        timer = _Timer(self._pending, self.clock.now + delay_s, callback)
        self._pending.append(timer)
        return timer

    def fire(self):
        """Go to the next timer; return how long that took."""
        timer = min(self._pending, key=lambda timer: timer.at)
        waited = timer.at - self.clock.now
        self.clock.now = timer.at
        timer.callback()
        return waited


class _Timer:
    def __init__(self, pending, at, callback):
        self._pending, self.at, self.callback = pending, at, callback

    def cancel(self):
        self._pending.remove(self)


async def settled():
    """Let all tasks go as far as they can without time passing."""
    for _ in range(20):
        await asyncio.sleep(0)
