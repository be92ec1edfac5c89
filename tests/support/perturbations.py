"""Faithful paraphrases of passages, and the same with one fact changed: generated, from a seed.

A paraphrase takes three neighbouring sentences of a passage and says them a little otherwise:
what stands first moves to the end, asides go, small words and some verbs are replaced. The
changed ones differ from their paraphrase in one number, date, unit, name, negation or relation.
"""

import random
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

KINDS = ("number", "date", "unit", "name", "negation", "relation")
_SENTENCES = 3

_SYNONYMS = {
    "also": "",
    "however": "",
    "began": "started",
    "located": "situated",
    "big": "large",
    "show": "programme",
    "film": "movie",
    "movie": "film",
    "company": "firm",
    "several": "various",
    "said": "stated",
    "received": "got",
    "approximately": "about",
    "nearly": "almost",
    "because": "since",
    "city": "town",
    "area": "region",
    "help": "assist",
    "released": "published",
    "made": "produced",
    "near": "close to",
    "during": "in",
    "which": "that",
    "although": "though",
}
_UNITS = {
    "miles": "kilometres",
    "mile": "kilometre",
    "km": "miles",
    "kilometers": "miles",
    "feet": "inches",
    "metres": "yards",
    "meters": "yards",
    "years": "months",
    "year": "month",
    "months": "weeks",
    "weeks": "days",
    "days": "hours",
    "day": "hour",
    "hours": "minutes",
    "minutes": "seconds",
    "million": "thousand",
    "billion": "million",
    "percent": "per mille",
    "pounds": "ounces",
    "acres": "hectares",
    "kg": "lbs",
    "tons": "pounds",
    "dollars": "euros",
    "mph": "knots",
    "inches": "feet",
}
_RELATIONS = {
    "before": "after",
    "after": "before",
    "increased": "decreased",
    "decreased": "increased",
    "rose": "fell",
    "fell": "rose",
    "won": "lost",
    "lost": "won",
    "more": "fewer",
    "north": "south",
    "south": "north",
    "east": "west",
    "west": "east",
    "father": "son",
    "son": "father",
    "wife": "sister",
    "husband": "brother",
    "brother": "cousin",
    "first": "last",
    "largest": "smallest",
    "best": "worst",
    "bought": "sold",
    "sold": "bought",
    "opened": "closed",
    "founded": "dissolved",
    "born": "buried",
    "joined": "left",
    "above": "below",
    "higher": "lower",
    "older": "younger",
    "wrote": "read",
    "directed": "produced",
    "member": "opponent",
    "teacher": "pupil",
}
_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_CAPITALISED = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_DATE = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b|\b(?:1[6-9]|20)\d\d\b")
_NUMBER = re.compile(r"(?<![\d.,:/-])\d{1,3}(?:,\d{3})*(?:\.\d+)?\b(?![\d/:-])")
_UNIT_WORDS = "|".join(_UNITS)
_UNIT = re.compile(
    rf"(?<=\d )(?:{_UNIT_WORDS})\b|(?<=\b(?:two|ten|six|one) )(?:{_UNIT_WORDS})\b"
    rf"|(?<=\b(?:three|seven|eight) )(?:{_UNIT_WORDS})\b"
    rf"|(?<=\b(?:four|five|nine) )(?:{_UNIT_WORDS})\b|(?<=\d)%|\$(?=\d)"
)
_AUXILIARY = re.compile(r"\b(?:is|was|are|were|has|have|had|will|can|could|would|should)\b")
_NEGATED = re.compile(r"\b(is|was|are|were|has|have|had|will|could|would|should|did|do|does) not\b")
_PAST = re.compile(
    r"(?<=[a-z] )(won|led|made|became|joined|played|won|used|helped|worked|served)\b"
)
_RELATION = re.compile(rf"\b(?:{'|'.join(_RELATIONS)})\b")
_SPLIT = re.compile(r"(?<=[a-z0-9)][.!])\s+(?=[A-Z])")
_ASIDE = re.compile(r" ?\([^()]{1,80}\)")
_FRONT = re.compile(r"^((?:In|On|At|During|After|Since|By) [^,]{3,40}), (\w[^.!?]*)([.!?])$")
_VERBS = {
    "won": "win",
    "led": "lead",
    "made": "make",
    "became": "become",
    "joined": "join",
    "played": "play",
    "used": "use",
    "helped": "help",
    "worked": "work",
    "served": "serve",
}


class Sample(NamedTuple):
    """An answer against its passage; `kind` is what was changed, "" for a faithful one."""

    answer: str
    passage: str
    kind: str
    pair: int


def samples(passages: Iterable[str], seed: int, most: int = 2000) -> list[Sample]:
    """Return a paraphrase of each passage that has three sentences, and its changed ones."""
    found: list[Sample] = []
    names = sorted({name for text in passages for name in _CAPITALISED.findall(text)})
    for number, passage in enumerate(dict.fromkeys(passages)):
        chance = random.Random(f"{seed}/{number}")
        said = _excerpt(passage, chance)
        if not said:
            continue
        faithful = [_paraphrased(sentence, chance) for sentence in said]
        found.append(Sample(" ".join(faithful), passage, "", number))
        for kind, changed in _changes(faithful, names, chance):
            found.append(Sample(" ".join(changed), passage, kind, number))
        if len(found) >= most:
            break
    return found


def _excerpt(passage: str, chance: random.Random) -> list[str]:
    sentences = [text.strip() for text in _SPLIT.split(passage)]
    starts = [
        start
        for start in range(len(sentences) - _SENTENCES + 1)
        if all(
            7 <= len(text.split()) <= 40 and text[-1] in ".!"
            for text in sentences[start : start + _SENTENCES]
        )
    ]
    if not starts:
        return []
    start = chance.choice(starts)
    return sentences[start : start + _SENTENCES]


def _paraphrased(sentence: str, chance: random.Random) -> str:
    sentence = _ASIDE.sub("", sentence)
    front = _FRONT.match(sentence)
    if front and chance.random() < 0.7:
        lead, rest, end = front.groups()
        sentence = f"{rest[0].upper()}{rest[1:]} {lead[0].lower()}{lead[1:]}{end}"
    words = [
        _SYNONYMS.get(word, word) if chance.random() < 0.7 else word for word in sentence.split()
    ]
    plain = " ".join(word for word in words if word)
    return plain[0].upper() + plain[1:]


def _changes(
    sentences: list[str], names: list[str], chance: random.Random
) -> Iterator[tuple[str, list[str]]]:
    for kind in KINDS:
        order = list(range(len(sentences)))
        chance.shuffle(order)
        for place in order:
            other = _changed(kind, sentences[place], names, chance)
            if other and other != sentences[place]:
                yield kind, [*sentences[:place], other, *sentences[place + 1 :]]
                break


def _changed(kind: str, sentence: str, names: list[str], chance: random.Random) -> str | None:
    if kind == "negation":
        return _negated(sentence)
    if kind == "relation":
        return _related(sentence, chance)
    pattern = {"number": _NUMBER, "date": _DATE, "unit": _UNIT, "name": _CAPITALISED}[kind]
    places = [
        match
        for match in pattern.finditer(sentence)
        if kind not in {"number", "name"} or not _DATE.fullmatch(match.group())
    ]
    if not places:
        return None
    match = chance.choice(places)
    return (
        sentence[: match.start()]
        + _other(kind, match.group(), names, chance)
        + sentence[match.end() :]
    )


def _other(kind: str, old: str, names: list[str], chance: random.Random) -> str:
    if kind == "unit":
        return {"%": " dollars", "$": "€"}.get(old) or _UNITS[old]
    if kind == "name":
        return chance.choice([name for name in names if not set(name.split()) & set(old.split())])
    if old in _MONTHS:
        return chance.choice([month for month in _MONTHS if month != old])
    if kind == "date":
        return str(int(old) + chance.choice([-7, -3, -1, 1, 2, 11]))
    whole = old.replace(",", "").split(".")[0]
    other = str(int(whole) + chance.choice([1, 2, 3, 7, 10]))
    return f"{int(other):,}" if "," in old else other + old[len(whole) :] * ("." in old)


def _negated(sentence: str) -> str | None:
    if negated := _NEGATED.search(sentence):
        return sentence[: negated.start()] + negated.group(1) + sentence[negated.end() :]
    if auxiliary := _AUXILIARY.search(sentence):
        return sentence[: auxiliary.end()] + " not" + sentence[auxiliary.end() :]
    if past := _PAST.search(sentence):
        return f"{sentence[: past.start()]}did not {_VERBS[past.group()]}{sentence[past.end() :]}"
    return None


def _related(sentence: str, chance: random.Random) -> str | None:
    found = list(_RELATION.finditer(sentence))
    if found:
        match = chance.choice(found)
        return sentence[: match.start()] + _RELATIONS[match.group()] + sentence[match.end() :]
    names = list(re.finditer(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*", sentence))
    pairs = [
        (one, other)
        for one, other in pairwise(names)
        if re.search(
            r" [a-z]+ed | (?:won|led|made|wrote|beat|met) ", sentence[one.end() : other.start()]
        )
        and " by " not in sentence[one.end() : other.start()]
    ]
    if not pairs:
        return None
    one, other = pairs[0]
    between = sentence[one.end() : other.start()]
    return (
        f"{sentence[: one.start()]}{other.group()}{between}{one.group()}{sentence[other.end() :]}"
    )
