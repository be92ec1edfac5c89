"""Prints what each metric of the default group costs a span, on the load of the benchmarks.

    python tests/bench/catalogue.py

CPU microseconds of this process, the median of several rounds; no test. Once with the texts of the
load, which repeat, and once with fresh ones of the same length in each place: what is remembered of
texts does not help there.
"""

import datetime as dt
import platform
import random
import re
import statistics
import time
from pathlib import Path

from load import TEXTS, Requests
from normalise import closed_traces

from scorer.config import parse_config
from scorer.scoring.engine import build_engine

ROUNDS = 9
TARGET_US = 25
_WORDS = re.findall(r"[A-Za-z]+", Path(__file__).parents[2].joinpath("README.md").read_text())


def freshened(body, rng):
    """Return a request with other texts of the same lengths."""

    def fresh(match):
        sentences, size = "", len(match[0])
        while len(sentences) < size:
            words = " ".join(rng.choices(_WORDS, k=12))
            sentences += f"{words.capitalize()} {rng.randrange(100)}. "
        return sentences[:size].encode()

    return re.sub(b"|".join(re.escape(text.encode()) for text in TEXTS), fresh, body)


def costs(engine, requests):
    """Return the cost of each metric; each round has requests of its own.

    As in a worker, all metrics see one trace before the next: what they share is paid by the first.
    """
    single = [loaded for loaded in engine.metrics if not loaded.combines]
    rounds = {loaded.spec.name: [] for loaded in single}
    for _ in range(ROUNDS):
        traces = closed_traces(requests)
        spans = sum(len(trace.spans) for trace in traces)
        seconds = dict.fromkeys(rounds, 0.0)
        for trace in traces:
            view = engine.view(trace)
            for loaded in single:
                started = time.process_time()
                loaded.metric.score(view)
                seconds[loaded.spec.name] += time.process_time() - started
        for name, taken in seconds.items():
            rounds[name].append(taken / spans * 1e6)
    return {name: statistics.median(times) for name, times in rounds.items()}


def main():
    engine, rng = build_engine(parse_config({})), random.Random(1)
    repeated = costs(engine, iter(Requests()))
    fresh = costs(engine, (freshened(body, rng) for body in Requests()))
    print(f"{dt.datetime.now(dt.UTC):%Y-%m-%d} {platform.machine()}, {platform.python_version()}")
    print(f"  {'us CPU a span, of texts that':28} {'repeat':>8} {'are fresh':>10}")
    for name in sorted(fresh, key=fresh.__getitem__, reverse=True):
        print(f"  {name:28} {repeated[name]:8.2f} {fresh[name]:10.2f}")
    print(f"  {'all':28} {sum(repeated.values()):8.2f} {sum(fresh.values()):10.2f}")
    print(f"target: at most {TARGET_US}")


if __name__ == "__main__":
    main()
