"""How much of an answer its contexts support, by words: the work behind two metrics.

An answer is split into sentences. Questions, greetings, offers of help, lead-ins ("Here it
is:") and admissions of ignorance claim nothing about the world and are left out; a sentence
without a content word too. A remaining sentence, a *claim*, is supported when one context
alone holds all its numbers and names and at least 60 % of its content words.

- Content words are compared by stem, in the language that the function words suggest.
- Numbers compare by value: "1,000", "1000" and "1000.0" are one, "two" is 2.
- Names are words with an upper-case letter, except a sentence's first word (it may be any
  word), unless it holds more than one capital or a digit. German capitalises every noun, so
  there only the latter count as names.

It knows no synonyms and no negation: a fluent lie in the words of its source passes.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

import re2
from msgspec import Struct

from metrics.quality import text as texts
from metrics.quality.lexicon import NUMBER_WORDS, STOPWORDS
from scorer.api import AgentTrace, Unscored

SUPPORT_SHARE = 0.6

_MAX_CLAIMS = 500
_MAX_SHOWN = 10
_MAX_SHOWN_LENGTH = 200
_SHORT_SENTENCE = 4

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP = re.compile(
    r"^#{1,6}[ \t].*$"  # headings
    r"|^[ \t]*(?:[-*•–·]|\(?\d{1,3}[.)]|[A-Za-z]\))[ \t]+"  # list markers
    r"|\[\^?\d{1,3}(?:[ ,;–-]{1,2}\d{1,3}){0,9}\]|【[^】]{0,80}】"  # citations
    r"|[*`]",
    re.MULTILINE,
)
_OPENER = re2.compile(
    r"(?i)^\W*(?:hi|hello|hey|dear|thanks|thank you|you're welcome|sure|certainly|of course|"
    r"absolutely|great|sorry|hallo|guten tag|danke|gerne|bonjour|merci|hola|gracias|ciao|grazie|"
    r"olá|obrigad[oa])\b"
)
_NO_CLAIM = re2.compile(
    r"(?i)\b(?:let me know|feel free|(?:this|that) helps|happy to (?:help|assist)|"
    r"glad to (?:help|assist)|(?:any|more|further|other|additional) questions|anything else|"
    r"(?:more|further|any|additional) (?:help|assistance)|"
    r"i(?:'m| am|’m) (?:sorry|afraid|not sure|unable|not able)|"
    r"i (?:do not|don't|don’t|cannot|can't|can’t|could not|couldn't|couldn’t|did not|didn't) "
    r"(?:know|have|find|see|answer|access|provide|determine)|"
    r"(?:context|documents?|information|sources?|passages?|text|articles?)(?: \w+)? "
    r"(?:does not|do not|did not|doesn't|doesn’t|don't|don’t) "
    r"(?:mention|contain|include|specify|say|provide|state|cover|give)|"
    r"no (?:relevant |such |specific )?information|"
    r"not (?:mentioned|specified|stated|provided|found|given) (?:in|by) the|"
    r"ich weiß (?:es )?(?:leider )?nicht|keine (?:angaben?|informationen)|"
    r"je ne (?:sais|trouve|peux) pas|aucune information|no hay información|"
    r"no (?:lo )?sé|non lo so|não sei)\b"
)


class Grounding(Struct, frozen=True):
    """How many claims an answer makes, how many are supported, and (some of) the others.

    `unclaimed` counts the sentences that claim nothing.
    """

    claims: int
    supported: int
    unsupported: tuple[str, ...] = ()
    unclaimed: int = 0

    @property
    def share(self) -> float:
        """Supported claims / claims; 1.0 without a claim."""
        return self.supported / self.claims if self.claims else 1.0


class Terms(Struct, frozen=True):
    """What a claim needs to be supported: content words, numbers (by reading), and names."""

    words: frozenset[str]
    numbers: frozenset[tuple[str, ...]]
    names: frozenset[str]


class Passage:
    """A context, indexed by its words, their stems, and its numbers."""

    def __init__(self, text: str, language: str) -> None:
        self._language = language
        self.words = set(texts.folded_words(texts.normalise(text)))
        digits = [word for word in self.words if texts.is_number(word)]
        self.numbers = {reading for number in digits for reading in texts.readings(number)}
        self.numbers.update(part for number in digits for part in texts.parts_of(number))
        spelt = NUMBER_WORDS[language]
        self.numbers.update(spelt[word] for word in self.words & spelt.keys())

    @cached_property
    def stems(self) -> set[str]:
        """The stems of the words, worked out when a word itself is not found."""
        language = self._language
        return {texts.stem(language, word) for word in self.words if not texts.is_number(word)}

    def has(self, word: str) -> bool:
        """Whether the word, or another form of it, occurs."""
        return word in self.words or texts.stem(self._language, word) in self.stems

    def has_number(self, readings: tuple[str, ...]) -> bool:
        """Whether the number occurs in any of its readings."""
        return any(reading in self.numbers for reading in readings)


# Three metrics ask for the same contexts one after the other, two for the same grounding.
@lru_cache(maxsize=32)
def passage_of(text: str, language: str) -> Passage:
    """Return the indexed context."""
    return Passage(text, language)


@lru_cache(maxsize=4)
def ground(answer: str, contexts: tuple[str, ...]) -> Grounding:
    """Split the answer into claims and look each one up in the contexts."""
    language = texts.language_of(answer, contexts[0])
    passages = [passage_of(context, language) for context in contexts]
    claims = supported = unclaimed = 0
    unsupported: list[str] = []
    for sentence in sentences_of(answer):
        terms = terms_of(sentence, language)
        if not is_claim(sentence, terms):
            unclaimed += 1
            continue
        claims += 1
        if any(supports(passage, terms) for passage in passages):
            supported += 1
        elif len(unsupported) < _MAX_SHOWN:
            unsupported.append(_cut(sentence))
    return Grounding(claims, supported, tuple(unsupported), unclaimed)


def sentences_of(answer: str) -> list[str]:
    """Return the sentences of an answer without code blocks, headings, list and citation marks."""
    plain = _MARKUP.sub(" ", _FENCE.sub("\n", texts.normalise(answer)))
    return texts.sentences(plain)[:_MAX_CLAIMS]


def is_claim(sentence: str, terms: Terms) -> bool:
    """Whether a sentence says something that a context could support."""
    if sentence.rstrip("\"'”’»)] ")[-1:] in {"?", "？", ":", "："}:
        return False
    if not terms.words and not terms.numbers:
        return False
    if len(sentence.split()) <= _SHORT_SENTENCE and _OPENER.search(sentence):
        return False
    return not _NO_CLAIM.search(sentence)


def terms_of(sentence: str, language: str) -> Terms:
    """Return the content words, numbers and names of a normalised sentence."""
    stopwords, spelt = STOPWORDS[language], NUMBER_WORDS[language]
    content: set[str] = set()
    numbers: set[tuple[str, ...]] = set()
    names: set[str] = set()
    for position, token in enumerate(texts.words(sentence)):
        word = token.casefold()
        if token[0].isdigit():
            numbers.add(texts.readings(token))
        elif word in spelt:
            numbers.add((spelt[word],))
        elif word in stopwords or (len(word) == 1 and token.islower()):
            continue
        else:
            content.add(word)
            if not token.islower() and _is_name(token, position, language):
                names.add(word)
    return Terms(frozenset(content), frozenset(numbers), frozenset(names))


def _is_name(token: str, position: int, language: str) -> bool:
    """Whether a token that is not in lower case is a name."""
    if any(letter.isdigit() or letter.isupper() for letter in token[1:]):
        return True
    return position > 0 and language != "german" and token[0].isupper()


def supports(passage: Passage, terms: Terms) -> bool:
    """Whether one passage holds all numbers and names and 60 % of the content words."""
    if not all(passage.has_number(number) for number in terms.numbers):
        return False
    if not all(passage.has(name) for name in terms.names):
        return False
    # Numbers are content words too; all of them have been found.
    total = len(terms.words) + len(terms.numbers)
    found = len(terms.numbers) + sum(passage.has(word) for word in terms.words)
    return found >= SUPPORT_SHARE * total


def context_texts(trace: AgentTrace) -> tuple[str, ...] | Unscored:
    """Return the texts of the trace's contexts, or why there are none."""
    if not trace.contexts:
        return Unscored("no_contexts")
    found = tuple(item.text for item in trace.contexts if item.text and item.text.strip())
    return found or Unscored("context_text_not_captured")


def grounding_of(trace: AgentTrace) -> Grounding | Unscored:
    """Return the grounding of the trace's answer, or why there is none."""
    if trace.answer is None:
        return Unscored("no_answer")
    contexts = context_texts(trace)
    if isinstance(contexts, Unscored):
        return contexts
    grounding = ground(trace.answer, contexts)
    return grounding if grounding.claims else Unscored("no_claims")


def explain(grounding: Grounding) -> str:
    """Name the unsupported sentences in one line."""
    counts = f"{grounding.supported} of {grounding.claims} claims are supported"
    if not grounding.unsupported:
        return f"{counts} by a context"
    return f"{counts}; not by any context: {_quoted(grounding.unsupported[:3])}"


def detail(grounding: Grounding) -> dict[str, object]:
    """Return the counts and at most ten unsupported sentences of at most 200 characters."""
    return {
        "claims": grounding.claims,
        "supported": grounding.supported,
        "no_claim": grounding.unclaimed,
        "unsupported": list(grounding.unsupported),
    }


def _quoted(sentences: Sequence[str]) -> str:
    return "; ".join(f'"{sentence}"' for sentence in sentences)


def _cut(sentence: str) -> str:
    sentence = " ".join(sentence.split())
    if len(sentence) <= _MAX_SHOWN_LENGTH:
        return sentence
    return sentence[: _MAX_SHOWN_LENGTH - 1] + "…"
