"""Prints how well grounding ranks labelled data, and what it costs.

    python tests/bench/grounding.py [ranking] [cost]

The ranking is an AUROC with its bootstrap interval, beside that of plain token precision on the
same rows. The cost is CPU time per answer of 2 KB against four contexts of 1 KB, and its ratio to
one `str.split` of the same texts: the least of several runs each, as machines are shared.
"""

import datetime as dt
import gc
import platform
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import labelled
import perturbations

from metrics.quality import passages
from metrics.quality import text as texts
from metrics.quality.grounding import ground

SEED = 1
PAIRS = 100
ROUNDS = 5


def ranking():
    wice, halueval = (
        labelled.rows(name) for name in ("wice_claims_dev.jsonl", "halueval_qa.jsonl")
    )
    show("WiCE dev", wice)
    show("HaluEval as it is (length alone: 0.93)", halueval)
    for how in ("cut", "cut, question", "filled", "filled, question"):
        show(f"HaluEval rewritten, {how}", labelled.of_equal_length(halueval, how))
    made = perturbations.samples([" ".join(row.contexts) for row in wice], SEED, most=5000)
    for kinds in (perturbations.KINDS, *((kind,) for kind in perturbations.KINDS)):
        name = "all" if len(kinds) > 1 else kinds[0]
        chosen = [item for item in made if not item.kind or item.kind in kinds]
        show(
            f"changed: {name}",
            [labelled.Row(item.answer, (item.passage,), "", bool(item.kind)) for item in chosen],
        )


def show(name, rows):
    bad = [row.bad for row in rows]
    ours = [ground(row.answer, row.contexts, row.question).share for row in rows]
    plain = [labelled.token_precision(row.answer, row.contexts) for row in rows]
    print(f"{name:42} {labelled.ranking(ours, bad)}  tokens {labelled.ranking(plain, bad)}")


def cost():
    rows = labelled.rows("wice_claims_dev.jsonl")
    corpus = " ".join(context for row in rows for context in row.contexts)
    chance = random.Random(SEED)
    for name in ("faithful", "unrelated"):
        pairs = []
        for _ in range(PAIRS):
            start = chance.randrange(len(corpus) - 8000)
            contexts = tuple(corpus[start + n * 1000 : start + n * 1000 + 1000] for n in range(4))
            other = chance.randrange(len(corpus) - 8000)
            place = start + 700 if name == "faithful" else other
            pairs.append((corpus[place : place + 2000], contexts))
        for answer, contexts in pairs:
            ground(answer, contexts)  # the stems are known in a running service
        ours = sum(least(lambda a=a, c=c: grounded(a, c)) for a, c in pairs) / PAIRS
        split = sum(least(lambda a=a, c=c: [t.split() for t in (a, *c)]) for a, c in pairs) / PAIRS
        print(f"{name}: {ours:.0f} us, {ours / split:.1f} times str.split ({split:.0f} us)")


def grounded(answer, contexts):
    ground.cache_clear()
    passages.passage_of.cache_clear()
    texts.language_of.cache_clear()
    ground(answer, contexts)


def least(work):
    gc.disable()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    gc.enable()
    return best * 1e6


if __name__ == "__main__":
    print(platform.machine(), platform.python_version(), dt.datetime.now(dt.UTC).date())
    chosen = sys.argv[1:] or ["ranking", "cost"]
    for part in (ranking, cost):
        if part.__name__ in chosen:
            part()
