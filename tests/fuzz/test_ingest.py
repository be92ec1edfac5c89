"""Whatever comes in whatever order: every span is accounted for."""

from hypothesis import given

from scorer.errors import SpanscoreError

from .budget import fuzz
from .house import SMALL, House
from .wire import GOOD_TRACES, TRACE_IDS, random_logs, random_metrics, random_traces, seeds

_MAKERS = {"traces": random_traces, "logs": random_logs, "metrics": random_metrics}
# Traces that end themselves and others; as logs or metrics they are of the wrong signal.
_REAL = [GOOD_TRACES.replace(TRACE_IDS[0], bytes([n] * 16)) for n in range(1, 8)]
_REAL += [body.replace(b"trace.end", b"no.marker") for body in _REAL]
_STEPS = ["traces"] * 12 + ["logs"] * 3 + ["metrics", "again", "again", "score", "wait", "wait"]


def random_sequence(rng):
    """Return steps: what happens, and for a request its body and its tenant."""
    steps = []
    for _ in range(rng.randrange(5, 60)):
        kind = rng.choice(_STEPS)
        if kind == "wait":
            steps.append((kind, rng.choice([0.1, 1.5, 3.0, 31.0])))
        elif kind in _MAKERS:
            body = rng.choice([*_REAL, _MAKERS[kind](rng), _MAKERS[kind](rng)])
            steps.append((kind, body, rng.choice(["", "", "a", "b"])))
        else:
            steps.append((kind,))
    if rng.random() < 0.2:
        steps.insert(len(steps) * 3 // 4, ("stop",))
    return steps


SEQUENCES = seeds.map(random_sequence)


@fuzz("ingest")
@given(SEQUENCES)
def test_any_sequence_keeps_the_balance(steps):
    """After each request, wait, repeated request and scoring, and when all has been closed."""
    house, last = House(**SMALL), None
    for kind, *given_with in steps:
        if kind == "wait":
            house.clock.advance(*given_with)
            house.ingest.poll()
        elif kind == "score":
            house.score()
        elif kind == "stop":
            house.ingest.stop()
        else:
            last = last if kind == "again" else (kind, *given_with)
            if last:
                offer(house, *last)
        house.check()
    house.clock.advance(1e6)
    house.ingest.poll()
    house.score()
    house.check()
    assert house.telemetry.value("spanscore_open_spans") == 0


def offer(house, signal, body, tenant):
    """Send a request as a receiver does; only errors that are meant for a sender may come back."""
    try:
        answer = getattr(house.ingest, signal)(body, tenant=tenant)
    except SpanscoreError:
        return
    assert bool(answer.rejected) <= bool(answer.message)
