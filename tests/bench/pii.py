"""Prints what finding personal data costs, per 2 KB answer and against one pass of `str.split`.

    python tests/bench/pii.py [FOLDER]

FOLDER (default: SPANSCORE_LABELLED or ../shared/labelled) has `halueval_qa.jsonl`; its contexts,
cut to 2 KB, are the answers. `some` has an e-mail address and a phone number in every tenth,
`all` has them in each. Figures are CPU seconds, the median of several rounds. This is no test.
"""

import datetime as dt
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path

from metrics.privacy.patterns import KINDS, Finder
from metrics.privacy.pii_leakage import PiiLeakage
from scorer.api import AgentTrace

ROUNDS = 5
SIZE = 2048
CONTACT = " Write to jane@example.com or call (212) 555-0123. "
DEFAULT = Path(__file__).parents[2].parent / "shared" / "labelled"
HOSTILE = ("1 ", "a@", "4111.", "+1 ", "street ", "password ", "eyJ", "12:", "Abc ", "id: 12 ")


def answers(folder):
    """Cut the contexts into answers of 2 KB."""
    path = folder / "halueval_qa.jsonl"
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    text = " ".join(context for row in rows for context in row["contexts"])
    return [text[at : at + SIZE] for at in range(0, len(text) - SIZE, SIZE)]


def microseconds(work, texts):
    """Return the CPU time of one text, the median of several rounds."""
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for text in texts:
            work(text)
        rounds.append((time.process_time() - start) / len(texts) * 1e6)
    return statistics.median(rounds)


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SPANSCORE_LABELLED", DEFAULT)
    plain = answers(Path(given))
    marked = [text[: -len(CONTACT)] + CONTACT for text in plain]
    sets = {
        "ascii": [text for text in plain if text.isascii()],
        "none": plain,
        "some": [
            m if i % 10 == 0 else p for i, (p, m) in enumerate(zip(plain, marked, strict=True))
        ],
        "all": marked,
    }
    metric = PiiLeakage()
    now = f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC"
    print(f"{now}, {platform.machine()}, {os.cpu_count()} cores")
    for name, texts in sets.items():
        cost = microseconds(lambda text: metric.score(AgentTrace(trace_id="t", answer=text)), texts)
        split = microseconds(str.split, texts)
        print(
            f"{name:6} {len(texts):4} answers: {cost:6.1f} us each, {cost / split:5.1f} x str.split"
        )
    finder = Finder(KINDS)
    for unit in HOSTILE:
        short, long = (unit * (size // len(unit)) for size in (20_000, 80_000))
        ratio = microseconds(finder.find, [long]) / microseconds(finder.find, [short])
        print(f"hostile {unit!r:11}: 4 x the text takes {ratio:4.1f} x the time")


if __name__ == "__main__":
    main()
