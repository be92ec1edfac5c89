"""Labelled data, and how well a score ranks it: AUROC with a bootstrap interval.

The data lie in the folder that SPANSCORE_LABELLED names, else in `../shared/labelled`.
"""

import json
import os
import random
import re
from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(
    os.environ.get("SPANSCORE_LABELLED", Path(__file__).parents[2].parent / "shared" / "labelled")
)
_WORD = re.compile(r"\w+")
# Function words that claim nothing, to make sentences of equal length.
_FILLING = "as it is what there is to be said on this by those who have been there before".split()  # noqa: SIM905


class Row(NamedTuple):
    """An answer against its contexts; `bad` is the label: hallucinated, or not supported."""

    answer: str
    contexts: tuple[str, ...]
    question: str
    bad: bool


class Ranking(NamedTuple):
    """An AUROC and its 95 % interval; `rows` is how many were ranked."""

    auroc: float
    low: float
    high: float
    rows: int

    def __str__(self) -> str:
        return f"{self.auroc:.3f} [{self.low:.3f}, {self.high:.3f}] n={self.rows}"


def rows(name: str) -> list[Row]:
    """Return the rows of a file of the folder, none if it is not there."""
    path = FOLDER / name
    if not path.exists():
        return []
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Row(row["answer"], tuple(row["contexts"]), row.get("question") or "", bool(row["label"]))
        for row in found
    ]


def of_equal_length(pairs: list[Row], how: str = "cut") -> list[Row]:
    """Rewrite each right answer and the wrong one after it as sentences of equal length.

    `cut`: to the words of the shorter; `filled`: with function words up to the longer; and each
    with the question before it.
    """
    found = []
    for right, wrong in zip(pairs[::2], pairs[1::2], strict=True):
        lengths = [len(row.answer.split()) for row in (right, wrong)]
        for row in (right, wrong):
            words = row.answer.rstrip(".").split()
            if how.startswith("cut"):
                words = words[: min(lengths)]
            else:
                words += (_FILLING * 9)[: max(lengths) - len(words)]
            asked = f" to {row.question.rstrip('? ')}" if how.endswith("question") else ""
            found.append(row._replace(answer=f"The answer{asked} is {' '.join(words)}."))
    return found


def token_precision(answer: str, contexts: tuple[str, ...]) -> float:
    """Return the share of the words of an answer that occur in its contexts."""
    known = set(_WORD.findall(" ".join(contexts).lower()))
    words = _WORD.findall(answer.lower())
    return sum(word in known for word in words) / len(words) if words else 1.0


def ranking(goodness: list[float], bad: list[bool], times: int = 300, seed: int = 1) -> Ranking:
    """Return how well a score puts the good above the bad."""
    good = [value for value, is_bad in zip(goodness, bad, strict=True) if not is_bad]
    other = [value for value, is_bad in zip(goodness, bad, strict=True) if is_bad]
    chance = random.Random(seed)
    drawn = sorted(
        _auroc(chance.choices(good, k=len(good)), chance.choices(other, k=len(other)))
        for _ in range(times)
    )
    low, high = drawn[int(times * 0.025)], drawn[int(times * 0.975)]
    return Ranking(_auroc(good, other), low, high, len(bad))


def _auroc(good: list[float], bad: list[float]) -> float:
    ranked = sorted(bad)
    below = sum(bisect_left(ranked, value) + bisect_right(ranked, value) for value in good)
    return below / 2 / len(good) / len(bad)
