"""Which claims does an answer make, and what must a source hold to support each?

An answer is split into sentences. Code blocks, the header row of a table, list marks and
citation marks are no text of it. A title (a heading, a line in bold above others, a lead-in that
ends with a colon) claims something only when it holds an amount with a unit, or an address. A
question claims nothing, unless it tells ("Did you know that ..", ".., right?"). A greeting
claims nothing. An apology, an offer of help, an admission of ignorance exempt their own clause
only: "I don't know the price, but it weighs 5 kg" claims the weight. An answer that is JSON,
fenced or not, makes a claim of every value in it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.quantities import decimal_mark
from metrics.quality.refusals import clauses, is_hedge, may_exempt, turns, without_apology
from metrics.quality.terms import has_address_marks
from metrics.quality.units import unit_of

MAX_SENTENCES = 500
_MAX_JSON = 100_000
_MAX_DEPTH = 32
_CLAUSE_WORDS = 3  # with fewer, what follows a comma is rather an item of a list

# The line that opens a block holds no further back-tick, else it is code within a line.
_FENCE = re.compile(
    r"\n[ \t]*(`{3,}|~{3,})(?![^`\n]*`).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_WHOLE_FENCE = re.compile(r"(`{3,}|~{3,})\w*[ \t]*\n(.*)\n[ \t]*\1\Z", re.DOTALL)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{0,120}[^*_\n.!?:。！？](?:\*\*|__)")
_RULE_MARKS = frozenset("|:-=+ \t")
_TITLE_MARKS = " \t#*_:"
_MAX_TITLE = 80
_MAX_GREETING = 4  # words of content beside those of the opener, of which it has three at most
# A line that begins with none of them is neither a heading nor a rule.
_LINE_MARKS = "|:-=+ \t#"
# Each begins with a character, which is quickly found.
_LIST_MARK = re.compile(r"\n[ \t]*(?:[-*•–·]|\(?\d{1,3}[.)]|[A-Za-z]\))[ \t]+")
_CITATION = re.compile(r"\[\^?\d{1,3}(?:[ ,;–-]{1,2}\d{1,3}){0,9}\]")
_WIDE_CITATION = re.compile(r"【[^】]{0,80}】")
_OTHER_SPACES = "\t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
_OPENERS = (
    r"(?ai:hi|hello|hey|dear|thanks|thank you|you're welcome|sure|certainly|of course|"
    r"absolutely|great(?: question| choice| point| idea)|great[!,.]|sorry|hallo|guten tag|danke|"
    r"gerne|bonjour|merci|hola|gracias|ciao|grazie|ol[áÁ]|obrigad[oa])(?:[^A-Za-z0-9_]+|\Z)"
)
_OPENER = re.compile(rf"[^A-Za-z0-9_]*+{_OPENERS}")
_OPENER_OF_LINE = re.compile(rf"\n[^A-Za-z0-9_\n]*+{_OPENERS}")
_TELLING = re.compile(
    r"(?:did|do) you know(?: that)?|(?:have|had) you heard(?: that)?|were you aware(?: that)?|"
    r"isn['’]t it true that|wussten sie,? dass|wusstest du,? dass|saviez-vous que?|savais-tu que?|"
    r"¿?sab[ií]as? (?:usted )?que|lo sapev[io] che|sapev[io] che|(?:você )?sabia que|wist je dat",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",? (?:right|correct|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|"
    r"should)n['’]t (?:it|he|she|they|we|you|there)|nicht wahr|oder|n['’]est-ce pas|verdad|vero|"
    r"certo|não é|toch)\?$",
    re.IGNORECASE,
)
_LONGEST_TAG = 24
_END_MARKS = "\"'”’»)] "
_ASKING = frozenset("?？")
_LEADING_IN = frozenset(":：")


class Part(Struct, frozen=True):
    """What may be a claim: as it is shown, and what it tells.

    `least` is how many words it needs, `title` whether it is a heading or a lead-in.
    """

    text: str
    told: str
    least: int = 1
    title: bool = False


class Parts(Struct, frozen=True):
    """The sentences of an answer, each as its parts; `unread` sentences come too late.

    Where `addressed` is False there is no e-mail address nor URL in any of them.
    """

    sentences: tuple[tuple[Part, ...], ...]
    mark: str | None = None
    unread: int = 0
    addressed: bool = True


# Several metrics ask for the parts of the same answer.
@lru_cache(maxsize=8)
def parts_of(answer: str, language: str) -> Parts:
    """Return what an answer in a language may claim, without looking into it."""
    normal = texts.normalise(answer)
    values = _json_values(normal)
    sentences = _sentences(normal) if values is None else values
    unread = max(0, len(sentences) - MAX_SENTENCES)
    sentences = sentences[:MAX_SENTENCES]
    exempting = may_exempt(sentences)
    found = [
        _parts_in(sentence, exempts=place in exempting) for place, sentence in enumerate(sentences)
    ]
    addressed = values is not None or has_address_marks(normal)
    return Parts(tuple(found), decimal_mark(normal, language), unread, addressed)


def _parts_in(sentence: str, *, exempts: bool) -> tuple[Part, ...]:
    """Return what a sentence may claim: itself as a rule, a clause or two beside a hedge."""
    last = sentence.rstrip(_END_MARKS)[-1:]
    if last in _ASKING:
        sentence = _told(sentence)
    title = last in _LEADING_IN
    rest = without_apology(sentence) if exempts else sentence
    if exempts and is_hedge(rest):
        return tuple(Part(told, told, least, title) for told, least in _beside_hedges(rest))
    return (Part(sentence, rest, 1, title),) if rest else ()


def _told(question: str) -> str:
    """Return what a question tells in passing, "" for a true question."""
    telling = _TELLING.match(question.lstrip("\"'“¿ "))
    if telling:
        return question.lstrip("\"'“¿ ")[telling.end() :].strip()
    tag = _TAG.search(question, len(question) - _LONGEST_TAG)
    return question[: tag.start()] if tag else ""


def _beside_hedges(sentence: str) -> Iterator[tuple[str, int]]:
    """Yield the clauses that are no hedge, and how many words each needs to be a claim."""
    for turn in turns(sentence):
        if not is_hedge(turn):
            yield turn, 1
        else:
            for clause in clauses(turn):
                if not is_hedge(clause):
                    yield clause, _CLAUSE_WORDS


def is_greeting(sentence: str, words: int) -> bool:
    """Whether a sentence that has so many words, less names, is no more than a courtesy."""
    if words > _MAX_GREETING:
        return False
    opener = _OPENER.match(sentence)
    # A greeting may name whom it greets.
    return opener is not None and words <= _opener_words(opener.group()) + 1


def may_greet(sentences: Iterable[str]) -> bool:
    """Whether some of the sentences may be no more than a courtesy."""
    return _OPENER_OF_LINE.search("\n".join(["", *sentences])) is not None


def _opener_words(opener: str) -> int:
    return len(texts.folded_words(opener))


def _sentences(answer: str) -> list[str]:
    """Return the sentences of a normalised answer without code, table headers and marks."""
    if "```" in answer or "~~~" in answer:
        answer = _FENCE.sub("\n\n", f"\n{answer}")[1:]
    if "\n" in answer or answer[:1] in _LINE_MARKS:
        answer = "\n".join(_text_lines(answer.split("\n")))
    plain = _without_marks(answer)
    other = any(map(plain.__contains__, _OTHER_SPACES))
    return [
        " ".join(item.split()) if other or "  " in item or "\n" in item else item
        for item in texts.sentences(plain)
    ]


def _without_marks(text: str) -> str:
    """Return a text with a space for each mark of a list, citation, or mark of emphasis."""
    text = _LIST_MARK.sub("\n ", f"\n{text}")[1:]
    if "[" in text:
        text = _CITATION.sub(" ", text)
    if "【" in text:
        text = _WIDE_CITATION.sub(" ", text)
    return text.replace("*", " ").replace("`", " ")


def _text_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines of text; titles end with a colon, header rows and rules are left out."""
    written = len(lines) - lines.count("") - sum(map(str.isspace, lines))
    rules = [*map(_is_rule, lines), False]
    for line, rule, ruled in zip(lines, rules, rules[1:], strict=False):
        if rule or (ruled and "|" in line):
            continue
        heading = "#" in line and _HEADING.match(line)
        marked = ruled or "**" in line or "__" in line
        if heading or (marked and written > 1 and _is_title(line.strip(), ruled=ruled)):
            yield line.strip(_TITLE_MARKS) + ":\n"
        else:
            yield line


def _is_rule(line: str) -> bool:
    """Whether a line holds no text but parts others: "---", "|:--|--:|"."""
    return ("-" in line or "=" in line) and _RULE_MARKS.issuperset(line)


def _is_title(line: str, *, ruled: bool) -> bool:
    """Whether a line is one in bold, or a short one that is underlined."""
    if _BOLD.fullmatch(line):
        return True
    return ruled and 0 < len(line) <= _MAX_TITLE and line[-1] not in ".!?:"


def _json_values(answer: str) -> list[str] | None:
    """Return the values of an answer that is JSON, each with what its key says it counts."""
    document = answer.strip()
    fenced = _WHOLE_FENCE.fullmatch(document)
    document = fenced.group(2).strip() if fenced else document
    if document[:1] not in {"{", "["} or len(document) > _MAX_JSON:
        return None
    try:
        value = json.loads(document)
    except (ValueError, RecursionError):
        return None
    return list(_leaves("", value, 0))


def _leaves(key: str, value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for name, item in value.items():
            yield from _leaves(name, item, depth + 1)
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _leaves(key, item, depth + 1)
    elif isinstance(value, str):
        # An escape in a string may stand for any character.
        yield from texts.sentences(texts.normalise(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        counted = next(
            (word for word in re.findall(r"[^\W\d_]+", texts.normalise(key)) if unit_of(word)), ""
        )
        yield f"{value} {counted}".strip()
