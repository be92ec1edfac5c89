"""Traces of several spans in several requests, from senders that do not give up.

Each request is repeated until it is acknowledged, as exporters do; now and then it is sent
twice. Some traces get a late span. What was acknowledged, and in which life of the service, is
remembered.
"""

import threading
import time
from random import Random

from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.testing import TraceBuilder

from .service import TRACES, unreachable, wait_for

ATTRIBUTES = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5}
_PAUSE_S = 0.01
_TIMEOUT_S = 10
_LATE_AFTER_S = 0.6


class PlannedTrace:
    """One trace: its parts, the root in the last of them, and maybe a late span."""

    def __init__(self, number, rng, *, late=False, size=0):
        builder = TraceBuilder(number)
        self.id = builder.trace_id.hex()
        root = builder.span("agent", **ATTRIBUTES)
        text = {"padding": "x" * size} if size else {}
        for _ in range(rng.randrange(1, 6)):
            builder.span("chat", parent=root, **ATTRIBUTES, **text)
        children = builder.spans[1:]
        rng.shuffle(children)
        cut = rng.randrange(1, len(children) + 1)
        parts = children[:cut], [*children[cut:], root]
        self.parts = [builder.request(*part) for part in parts]
        self.span_count = len(builder.spans)
        self.late = builder.request(builder.span("late", parent=root)) if late else None
        self.lives = set()  # in which its parts were acknowledged
        self.late_life = None  # in which its late span was
        self.is_sent = False

    @property
    def least(self):
        """How many spans the last revision must have."""
        if not self.is_sent:
            return 0
        # Late spans join what this life has closed; after a restart they may come too late.
        joined = self.late_life is not None and self.lives == {self.late_life}
        return self.span_count + joined

    @property
    def most(self):
        return self.span_count + (self.late is not None)


class Load:
    """Sends to whichever life of the service there is; `service` is set from outside."""

    def __init__(self, seed, *, count=None, late=0.2, twice=0.1, size=0, senders=4):
        self.rng = Random(seed)
        self.traces = []
        self._left = count  # None = until `end`
        self._late, self._size = late, size
        self.service = None
        self.life = 0
        self.stop = threading.Event()
        self._twice = twice
        self._lock = threading.Lock()
        self._faults = []
        self._threads = [
            threading.Thread(target=self._guarded, args=(Random(self.rng.random()),), daemon=True)
            for _ in range(senders)
        ]

    def plan(self, *, late=False):
        """Return a trace; who asks for it sends it."""
        number = self.rng.getrandbits(128) | 1
        self.traces.append(PlannedTrace(number, self.rng, late=late, size=self._size))
        return self.traces[-1]

    def begin(self):
        for thread in self._threads:
            thread.start()

    def point_at(self, service):
        """Send to a new life from now on."""
        with self._lock:
            self.service, self.life = service, self.life + 1

    def finish(self, seconds=60):
        """Begin no new trace, and wait until all is sent."""
        with self._lock:
            if self._left is None:
                self._left = 0
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0))
            assert not thread.is_alive(), "the senders do not come to an end"
        assert self._faults == []

    def finish_in(self, service):
        """Send what is left to a last life, which ends well when all is scored and passed on."""
        self.point_at(service)
        self.finish()
        service.wait_until_scored()
        wait_for(lambda: service.series("spanscore_unforwarded_traces") == 0)
        service.stop()

    @property
    def is_finished(self):
        return not any(thread.is_alive() for thread in self._threads)

    def check(self, scores):
        """Assert that what was acknowledged is in the scores, and nothing that was not sent."""
        scores.assert_one_value_each()
        emitted = scores.of_traces()
        missing = []
        for trace in self.traces:
            revisions = emitted.pop(trace.id, [])
            last = revisions[-1].span_count if revisions else 0
            if not trace.least <= last <= trace.most:
                missing.append((trace.id, trace.least, trace.most, trace.lives, revisions))
        assert missing == []
        assert emitted == {}

    def _guarded(self, rng):
        try:
            self._run(rng)
        except Exception as error:  # told to the test, which is in another thread
            self._faults.append(error)

    def _run(self, rng):
        waiting = []
        while not self.stop.is_set():
            trace = self._next()
            if trace is None:
                break
            self._send_trace(trace, rng)
            self.stop.wait(_PAUSE_S)
            if trace.late is not None and trace.is_sent:
                waiting.append((time.monotonic() + _LATE_AFTER_S, trace))
            while waiting and waiting[0][0] <= time.monotonic():
                self._send_late(waiting.pop(0)[1])
        for due, trace in waiting:
            self.stop.wait(max(due - time.monotonic(), 0))
            self._send_late(trace)

    def _next(self):
        with self._lock:
            if self._left == 0:
                return None
            if self._left is not None:
                self._left -= 1
            return self.plan(late=self.rng.random() < self._late)

    def _send_trace(self, trace, rng):
        for body in trace.parts:
            for _ in range(1 + (rng.random() < self._twice)):
                life = self._insist(body)
                if life is None:
                    return
                trace.lives.add(life)
        trace.is_sent = True

    def _send_late(self, trace):
        trace.late_life = self._insist(trace.late)

    def _insist(self, body):
        """Send until it is acknowledged; returns in which life that was, None = told to stop."""
        while not self.stop.is_set():
            with self._lock:
                service, life = self.service, self.life
            try:
                self._send(service, body)
            except Exception as error:
                if not unreachable(error):
                    raise
                self.stop.wait(_PAUSE_S)
            else:
                return life
        return None

    def _send(self, service, body):
        channel = None if service is None else service.channel
        if channel is None:
            raise ConnectionError
        channel.unary_unary(TRACES)(body, timeout=_TIMEOUT_S)


def request_of(*bodies):
    """Return several requests as one."""
    merged = trace_pb2.TracesData()
    for body in bodies:
        merged.MergeFromString(body)
    return merged.SerializeToString()
