"""Prints how well grounding ranks labelled data, and what it costs.

    python tests/bench/grounding.py [ranking] [cost]

The ranking is an AUROC with its bootstrap interval, beside that of plain token precision on the
same rows. The cost is CPU time per trace with an answer of 2 KB, four contexts of 1 KB, a question
and a reference answer of 2 KB: median and least of several rounds. As machines are shared, it is
also told as a multiple of one `str.split` of answer and contexts, and of a loop of 10,000 steps.
Every trace of a round is new; the words are known from other texts, as in a running service.
"""

import datetime as dt
import gc
import platform
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import labelled
import perturbations

from metrics.quality.answer_correctness import AnswerCorrectness
from metrics.quality.faithfulness import Faithfulness
from metrics.quality.grounding import ground
from metrics.quality.hallucination_rate import HallucinationRate
from metrics.quality.retrieval_quality import RetrievalQuality
from scorer.api import AgentTrace, Document, Reference

SEED = 1
TRACES = 40  # per round
ROUNDS = 15
WARM = 1000  # traces, of texts that are not measured
ALONE = (Faithfulness(),)
ALL = (*ALONE, HallucinationRate(), RetrievalQuality(), AnswerCorrectness())


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
    known, new = corpus[: len(corpus) // 2], corpus[len(corpus) // 2 :]
    chance = random.Random(SEED)
    score(ALL, [trace(known, chance, faithful=place % 2) for place in range(WARM)])
    for faithful in (True, False):
        for name, metrics in (("faithfulness", ALONE), ("all four", ALL)):
            rounds = [round_of(metrics, new, chance, faithful) for _ in range(ROUNDS)]
            ours, split, loop = (statistics.median(part) for part in zip(*rounds, strict=True))
            least = min(taken for taken, _, _ in rounds)
            kind = "faithful" if faithful else "unrelated"
            print(
                f"{kind}, {name}: median {ours:.0f} us, least {least:.0f}; {ours / split:.1f} times"
                f" str.split ({split:.0f} us), {ours / loop:.1f} times the loop ({loop:.0f} us)"
            )


def round_of(metrics, corpus, chance, faithful):
    """Return the microseconds of the metrics, of the split (each per trace), and of the loop."""
    traces = [trace(corpus, chance, faithful) for _ in range(TRACES)]
    ours = cpu(lambda: score(metrics, traces)) / TRACES
    return ours, cpu(lambda: split_all(traces)) / TRACES, cpu(loop)


def trace(corpus, chance, faithful):
    start, other = (chance.randrange(len(corpus) - 8000) for _ in range(2))
    contexts = [corpus[start + n * 1000 : start + n * 1000 + 1000] for n in range(4)]
    place = start + 700 if faithful else other
    answer = corpus[place : place + 2000]
    return AgentTrace(
        trace_id="t",
        question=f"What is {answer[100:160]}?",
        answer=answer,
        contexts=tuple(
            Document(text, span_id="s", id=f"doc-{n}") for n, text in enumerate(contexts)
        ),
        reference=Reference(answer=corpus[place + 200 : place + 2200]),
    )


def score(metrics, traces):
    for item in traces:
        for metric in metrics:
            metric.score(item)


def split_all(traces):
    for item in traces:
        for text in (item.answer, *(context.text for context in item.contexts)):
            text.split()


def loop():
    total = 0
    for number in range(10_000):
        total += number & 7


def cpu(work):
    gc.disable()
    start = time.process_time()
    work()
    taken = time.process_time() - start
    gc.enable()
    return taken * 1e6


if __name__ == "__main__":
    print(platform.machine(), platform.python_version(), dt.datetime.now(dt.UTC).date())
    chosen = sys.argv[1:] or ["ranking", "cost"]
    for part in (ranking, cost):
        if part.__name__ in chosen:
            part()
