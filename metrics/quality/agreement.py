"""Do two texts that are not equal say the same? A comparison by words, with guards.

The share of common words alone is a poor judge: "The capital is Lyon" has most words of "The
capital is Paris", and "The capital of France is Paris" few of "Paris". So the words in which a
contradiction shows are looked at first: yes and no, numbers with their units, names, negations.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.lexicon import STOPWORDS
from metrics.quality.terms import Terms

CONTRADICTED = 0.2  # at most, where the answer says something else

_YES = frozenset(
    "yes yeah yep true correct ja jawohl wahr richtig oui vrai sí verdadero sì vero sim verdadeiro "  # noqa: SIM905 - a table
    "waar juist".split()
)
_NO = frozenset(
    "no nope false incorrect wrong nein falsch non faux falso não nee onwaar onjuist".split()  # noqa: SIM905 - a table
)
_NEGATION = {
    "english": r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot)\b|n['’]t\b",
    "german": r"\b(?:nicht|nichts|nie|niemals|niemand|kein\w*)\b",
    "french": r"\b(?:pas|jamais|aucun\w*)\b",
    "spanish": r"\b(?:no|nunca|jamás|ning[uú]n\w*|nada|nadie)\b",
    "italian": r"\b(?:non|mai|nessun\w*|niente|nulla)\b",
    "portuguese": r"\b(?:não|nunca|jamais|nenhum\w*|nada|ninguém)\b",
    "dutch": r"\b(?:niet|nooit|geen|niets|niemand)\b",
}
_NEGATIONS = {name: re.compile(words, re.IGNORECASE) for name, words in _NEGATION.items()}
_OR = frozenset({"or", "oder", "ou", "o", "of"})
_MARK = "\x1f"  # between tokens; none holds it
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_STRESS = " \t\r\n*_\"'“”«»¡¿("


class Verdict(Struct, frozen=True):
    """A value from 0 to 1, the rule that gave it, and why; `overlap` = precision and recall."""

    value: float
    rule: str
    why: str
    overlap: tuple[float, float] | None = None


def agreement(answer: str, reference: str, question: str = "") -> Verdict:
    """Compare an answer with a reference that it does not equal; the question is known to both."""
    language = texts.language_of(reference, answer, question)
    mine, theirs = Terms(answer, language), Terms(reference, language)
    polarity = _polarities(mine, theirs, language)
    if polarity is not None:
        return polarity
    precision, recall = overlap(mine.tokens, theirs.tokens)
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    given = Terms(question, language)
    why = contradiction(mine, theirs, given, language)
    if why is not None:
        return Verdict(min(f1, CONTRADICTED), "contradiction", why, (precision, recall))
    if _contains(mine.tokens, theirs.tokens, language):
        return Verdict(
            1.0, "contained", "the answer holds the whole reference", (precision, recall)
        )
    if question and _is_rest(mine, theirs, set(given.tokens), language):
        why = "the answer holds all of the reference but what the question says"
        return Verdict(1.0, "contained", why, (precision, recall))
    why = f"{precision:.0%} of the answer's words and {recall:.0%} of the reference's are common"
    return Verdict(f1, "tokens", why, (precision, recall))


def overlap(answer: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
    """Return precision and recall of the answer's tokens, as multisets."""
    if not answer or not reference:
        return 0.0, 0.0
    common = (Counter(answer) & Counter(reference)).total()
    return common / len(answer), common / len(reference)


def tokens(text: str, language: str) -> list[str]:
    """Return the case-folded tokens of a text, each number as its value."""
    return Terms(text, language).tokens


def _polarities(mine: Terms, theirs: Terms, language: str) -> Verdict | None:
    answer, reference = _says_yes(mine, language), _says_yes(theirs, language)
    if answer is None or reference is None:
        return None
    if answer != reference:
        return Verdict(0.0, "polarity", "one says yes, the other no")
    if len(mine.tokens) == 1 == len(theirs.tokens):
        return Verdict(1.0, "polarity", "both say yes" if answer else "both say no")
    return None


def _says_yes(side: Terms, language: str) -> bool | None:
    """Whether a text starts with a yes or a no, as a word of its own."""
    text = side.text.lstrip(_STRESS)
    match = _FIRST_WORD.match(text)
    word = match.group().casefold() if match else ""
    if match is None or word not in _YES | _NO:
        return None
    following = text[match.end() :]
    next_word = _FIRST_WORD.match(following.lstrip())
    if following[:1].isspace() and next_word is not None:
        # "No evidence", "True love"
        return word in _YES if next_word.group().casefold() in STOPWORDS[language] else None
    return word in _YES


def contradiction(mine: Terms, theirs: Terms, given: Terms, language: str) -> str | None:
    """Say what the answer has instead of what the reference has, None if nothing."""
    if _has_other_numbers(mine, theirs, given):
        return "the answer lacks a number of the reference and has another"
    if _has_other_names(mine, theirs, given):
        return "the answer lacks a name of the reference and has another"
    for kind in ("months", "addresses"):
        answer, reference = getattr(mine, kind), getattr(theirs, kind)
        if answer - reference and reference - answer:
            return f"the answer lacks one of the {kind} of the reference and has another"
    if _is_swapped(mine, theirs, language):
        return "one word differs, and it is a name"
    if _is_negated(mine, theirs, language):
        return "one of the two is negated"
    return None


def _has_other_numbers(mine: Terms, theirs: Terms, given: Terms) -> bool:
    missing = (n for n in theirs.numbers if not mine.amounts.holds(n))
    others = (n for n in mine.numbers if not theirs.amounts.holds(n) and not given.amounts.gives(n))
    return any(missing) and any(others)


def _has_other_names(mine: Terms, theirs: Terms, given: Terms) -> bool:
    missing = (name for name in _names(theirs) if not mine.has_any(name))
    others = (name for name in _names(mine) if not theirs.has_any(name) and not given.has_any(name))
    return any(missing) and any(others)


def _names(side: Terms) -> list[list[str]]:
    """Return the names, each with all its words: one in common makes two names one."""
    found: list[list[str]] = []
    previous = None
    names, folded = side.names, side.folded
    places = [place for place, word in enumerate(folded) if word in names]
    if folded and folded[0] not in names and _begins(side):
        places.insert(0, 0)
    for place in places:
        if previous == place - 1 and found:
            found[-1].append(folded[place])
        else:
            found.append([folded[place]])
        previous = place
    return found


def _begins(side: Terms) -> bool:
    """Whether the first word may be a part of the name behind it."""
    if not side.written[0][0].isupper() or side.names.isdisjoint(side.folded[1:2]):
        return False
    return side.folded[0] in side.words


def _is_swapped(mine: Terms, theirs: Terms, language: str) -> bool:
    """Whether the texts differ in one word only, which has a capital letter in both."""
    if len(set(mine.tokens) ^ set(theirs.tokens)) > 2:
        return False
    answer, reference = Counter(mine.tokens), Counter(theirs.tokens)
    ours, others = list((answer - reference).elements()), list((reference - answer).elements())
    if len(ours) != 1 or len(others) != 1 or len(mine.tokens) < 3:
        return False
    if texts.stem(language, ours[0]) == texts.stem(language, others[0]):
        return False
    return _is_capitalised(ours[0], mine) and _is_capitalised(others[0], theirs)


def _is_capitalised(word: str, side: Terms) -> bool:
    written = zip(side.folded, side.written, strict=True)
    return word in side.words and any(token[0].isupper() for form, token in written if form == word)


def _is_negated(mine: Terms, theirs: Terms, language: str) -> bool:
    """Whether the sentence of the answer that is nearest to a reference of one is negated."""
    if len(texts.sentences(theirs.text)) != 1:
        return False
    wanted = theirs.words | {number.readings[0] for number in theirs.numbers}
    nearest, most = "", 0
    for sentence in texts.sentences(mine.text):
        common = len(wanted.intersection(tokens(sentence, language)))
        if common > most:
            nearest, most = sentence, common
    if 2 * most < len(wanted) or not most:
        return False
    negation = _NEGATIONS[language]
    return bool(negation.search(nearest)) != bool(negation.search(theirs.text))


def _contains(answer: Sequence[str], reference: Sequence[str], language: str) -> bool:
    """Whether the answer holds the reference's tokens in one piece, not as one of two options."""
    polar = len(reference) == 1 and reference[0] in _YES | _NO
    if not polar and not any(token not in STOPWORDS[language] for token in reference):
        return False
    whole, piece = (_MARK.join(["", *tokens, ""]) for tokens in (answer, reference))
    found = whole.find(piece)
    if found < 0:
        return False
    first = whole.count(_MARK, 0, found)
    last = first + len(reference)
    beside = {*answer[max(0, first - 1) : first], *answer[last : last + 1]}
    return beside.isdisjoint(_OR)


def _is_rest(mine: Terms, theirs: Terms, asked: set[str], language: str) -> bool:
    """Whether all that the answer leaves out of the reference stands in the question."""
    stopwords = STOPWORDS[language]
    answer, reference = set(mine.tokens) - stopwords, set(theirs.tokens) - stopwords
    return bool(answer - asked) and answer <= reference and reference - answer <= asked
