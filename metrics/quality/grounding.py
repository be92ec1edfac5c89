"""How well the contexts of an answer support it, by words: the work behind two metrics.

An answer is split into claims (see `claims`); the support of each is a share from 0 to 1 (see
`support`). An answer is as faithful as its claims are on average, and as the weakest of them is:
one invented sentence spoils a long answer. So its faithfulness is half the mean and half the
least of the supports.

The language is that of the answer and the question: contexts that come or go do not change how
an answer is read.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from itertools import compress
from typing import Literal

from msgspec import Struct

from metrics.privacy.masking import all_quoted
from metrics.quality import stems as stemming
from metrics.quality import text as texts
from metrics.quality.claims import Part, is_greeting, may_greet, parts_of
from metrics.quality.embedding import Embedder, installed_embedder
from metrics.quality.figures import Told, figures, holds_amounts
from metrics.quality.lexicon import AMBIGUOUS_MONTHS
from metrics.quality.passages import Passage, passage_of
from metrics.quality.said import Heard, Said, heard, said_of, say_plainly, terms_in
from metrics.quality.sources import Source, is_signed
from metrics.quality.support import CONTRADICTED_LEFT, Support, support_of
from metrics.quality.terms import addresses_in
from metrics.quality.units import UNITS
from scorer.api import AgentTrace, Unscored

SUPPORTED = 0.5  # at least so much, and nothing decisive against it

THRESHOLD_REASON = (
    "an answer beyond one half has a claim that misses most of its words, or one with a number, "
    "a name or a negation that no context has"
)

LIKENESS = 0.3  # the part of an embedder in the support of a claim
MAX_EMBEDDED = 200  # sentences; at about 15 ms each

_CONTRARY = frozenset({"negation", "opposite", "order"})
_MAX_SHOWN = 10
_MAX_SHOWN_LENGTH = 199
_WHY = {
    "number": "a number, date or address that no context has for it",
    "name": "a name that no context has",
    "negation": "a negation that only one side has",
    "opposite": "the opposite of what a context says",
    "order": "two names that have changed places",
    "words": "too few of its words",
}


GroundingMethod = Literal["lexical", "embedding"]


class Unsupported(Struct, frozen=True):
    """A claim without support: its text, masked and cut, and what speaks against it."""

    text: str
    why: tuple[str, ...]


class Grounding(Struct, frozen=True):
    """How well the claims of an answer are supported, and (some of) those that are not.

    `share` is the faithfulness from 0 to 1, 1.0 without a claim. `unclaimed` counts the
    sentences that claim nothing, `unread` those beyond the first 500.
    """

    claims: int
    supported: int
    share: float = 1.0
    weakest: float = 1.0
    unsupported: tuple[Unsupported, ...] = ()
    unclaimed: int = 0
    unread: int = 0


class _Read(Struct, frozen=True):
    """A part of an answer, what it says, and the place of its sentence."""

    part: Part
    heard: Heard
    addresses: frozenset[str]
    sentence: int


_NOTHING: frozenset[str] = frozenset()
_QUOTED = Support(1.0)


class _Judged(Struct, frozen=True):
    text: str
    support: Support


# Two metrics ask for the same grounding.
@lru_cache(maxsize=4)
def ground(
    answer: str,
    contexts: tuple[str, ...],
    given: str = "",
    embedder: Embedder | None = None,
    ids: tuple[str, ...] = (),
) -> Grounding:
    """Look each claim of an answer up in the contexts; `given` is what the user said.

    `ids` are those of the documents, which an answer may cite: figures and addresses only, so
    that a document that goes changes nothing else. With an embedder the support of a claim is in
    part how alike the nearest sentence is.
    """
    language = texts.language_of(answer, given)
    cited = "\n".join([given, *ids]) if ids else given
    told = passage_of(cited, language) if cited else None
    parts = parts_of(answer, language)
    asked = frozenset(heard([stemming.plain(given)], language)[0].stems) if given else _NOTHING
    read = _read(answer, language)
    stems = _NOTHING.union(*[item.heard.stems for item in read])
    source = Source(contexts, language, stems - {""})
    plain = _plain_quotes(read, source)
    judged: list[_Judged] = []
    claiming: set[int] = set()
    for place, item in enumerate(read):
        support = _QUOTED if place in plain else _support(item, parts.mark, source, asked, told)
        if support is not None:
            judged.append(_Judged(item.part.text, support))
            claiming.add(item.sentence)
    if embedder is not None and judged:
        judged = _with_likeness(judged, embedder, contexts)
    return _summary(judged, len(parts.sentences) - len(claiming), parts.unread)


def _with_likeness(
    judged: Sequence[_Judged], embedder: Embedder, contexts: Sequence[str]
) -> list[_Judged]:
    """Blend the support of each claim with its likeness to the nearest sentence."""
    alike = embedder.nearest([item.text for item in judged], sentences_of(contexts))
    found = []
    for item, cosine in zip(judged, alike, strict=True):
        against = item.support.against
        # A sentence and its negation are very alike.
        contrary = not _CONTRARY.isdisjoint(against)
        likeness = max(0.0, min(1.0, cosine)) * (CONTRADICTED_LEFT if contrary else 1.0)
        value = (1 - LIKENESS) * item.support.value + LIKENESS * likeness
        found.append(_Judged(item.text, Support(value, against)))
    return found


def sentences_of(contexts: Sequence[str]) -> list[str]:
    """Return the sentences of the contexts."""
    return [item for context in contexts for item in texts.sentences(stemming.plain(context))]


# Two metrics ask for the same answer.
@lru_cache(maxsize=8)
def _read(answer: str, language: str) -> tuple[_Read, ...]:
    """Return what the parts of all sentences say, whether they claim it or not."""
    parts = parts_of(answer, language)
    flat = [(part, place) for place, sentence in enumerate(parts.sentences) for part in sentence]
    apart = [
        addresses_in(part.told) if parts.addressed else (part.told, _NOTHING) for part, _ in flat
    ]
    cut = heard([stemming.plain(text) for text, _ in apart], language)
    return tuple(
        [
            _Read(part, said, addresses, place)
            for (part, place), said, (_, addresses) in zip(flat, cut, apart, strict=True)
        ]
    )


def _support(
    read: _Read, mark: str | None, source: Source, asked: frozenset[str], given: Passage | None
) -> Support | None:
    """Return the support of a part of a sentence, None if it claims nothing."""
    claim = said_of(read.heard, source.language, asked)
    if not _is_claim(read.part, claim, read.addresses):
        return None
    told = Told(read.heard.text, read.addresses, mark)
    found = figures(told, claim, source, given)
    return support_of(claim, source, found, partial(holds_amounts, told, source, given))


def _plain_quotes(read: Sequence[_Read], source: Source) -> AbstractSet[int]:
    """Return the places of the parts that claim something and stand in the source just so.

    That is all there is to say of them; a part in which anything might need a second look is not
    among them. What most answers have nowhere is looked for in all of the parts at once.
    """
    places = [
        place
        for place, item in enumerate(read)
        if item.part.least == 1
        and not (item.part.title or item.addresses)
        and source.quotes(item.heard.stems)
    ]
    said = say_plainly([read[place].heard for place in places], source.language)
    places = list(compress(places, said))
    if is_signed("\n".join([read[place].heard.text for place in places])):
        places = [place for place in places if not is_signed(read[place].heard.text)]
    if may_greet([read[place].part.told for place in places]):
        places = [place for place in places if not is_greeting(read[place].part.told, 0)]
    return frozenset(places)


def _is_claim(part: Part, claim: Said, addresses: AbstractSet[str]) -> bool:
    if part.title:
        return bool(addresses) or bool(claim.numbers and not _UNITS.isdisjoint(claim.stems))
    if claim.numbers or addresses or claim.months - AMBIGUOUS_MONTHS:
        return True
    if claim.count() < part.least:
        return False
    return not is_greeting(part.told, claim.count(names=False))


class Claim(Struct, frozen=True):
    """A claim: its text, the stems that it claims something with, and its addresses."""

    text: str
    terms: frozenset[str]
    addresses: AbstractSet[str]


def claims_of(answer: str, language: str) -> list[Claim]:
    """Return the claims of an answer in a language (that of its function words)."""
    found = []
    for item in _read(answer, language):
        part, addresses = item.part, item.addresses
        terms = terms_in(item.heard.stems, language)
        # Of most parts it need not be read which words are names.
        plain = not part.title and len(terms) >= part.least and not is_greeting(part.told, 0)
        if plain or _is_claim(part, said_of(item.heard, language, _NOTHING), addresses):
            found.append(Claim(part.text, terms, addresses))
    return found


_UNITS = frozenset(unit.name for unit in UNITS.values()) | {"$"}


def _summary(judged: Sequence[_Judged], unclaimed: int, unread: int) -> Grounding:
    if not judged:
        return Grounding(0, 0, unclaimed=unclaimed, unread=unread)
    values = [item.support.value for item in judged]
    missed = [item for item in judged if item.support.value < SUPPORTED or item.support.against]
    shown = sorted(missed, key=lambda item: item.support.value)[:_MAX_SHOWN]
    return Grounding(
        claims=len(judged),
        supported=len(judged) - len(missed),
        share=(sum(values) / len(values) + min(values)) / 2,
        weakest=min(values),
        unsupported=_shown(shown),
        unclaimed=unclaimed,
        unread=unread,
    )


def _shown(judged: Sequence[_Judged]) -> tuple[Unsupported, ...]:
    texts_ = all_quoted([_on_one_line(item.text) for item in judged], _MAX_SHOWN_LENGTH)
    return tuple(
        Unsupported(text, item.support.against or ("words",))
        for text, item in zip(texts_, judged, strict=True)
    )


def _on_one_line(text: str) -> str:
    """Return a text with nothing but single spaces between its words; most have no others."""
    plain = text.isprintable() and "  " not in text and text == text.strip()
    return text if plain else " ".join(text.split())


def context_texts(trace: AgentTrace) -> tuple[str, ...] | Unscored:
    """Return the texts of the trace's contexts, or why there are none."""
    if not trace.contexts:
        return Unscored("no_contexts")
    found = tuple(item.text for item in trace.contexts if item.text and item.text.strip())
    return found or Unscored("context_text_not_captured")


def grounding_of(trace: AgentTrace, method: GroundingMethod = "lexical") -> Grounding | Unscored:
    """Return the grounding of the trace's answer, or why there is none."""
    if trace.answer is None:
        return Unscored("no_answer")
    contexts = context_texts(trace)
    if isinstance(contexts, Unscored):
        return contexts
    embedder = None
    if method == "embedding":
        embedder = installed_embedder()
        if embedder is None:
            return Unscored("embedder_not_installed", "skipped")
        if len(sentences_of((trace.answer, *contexts))) > MAX_EMBEDDED:
            return Unscored("too_long_to_embed", "skipped")
    ids = tuple(item.id for item in trace.contexts or () if item.id)
    grounding = ground(trace.answer, contexts, trace.question or "", embedder, ids)
    return grounding if grounding.claims else Unscored("no_claims")


def explain(grounding: Grounding) -> str:
    """Name the unsupported sentences in one line, the weakest first, and why."""
    counts = f"{grounding.supported} of {grounding.claims} claims are supported"
    if not grounding.unsupported:
        return f"{counts} by a context"
    named = "; ".join(f'"{item.text}" ({_reason(item)})' for item in grounding.unsupported[:3])
    return f"{counts}; not by any context: {named}"


def _reason(item: Unsupported) -> str:
    return ", ".join(_WHY[why] for why in item.why)


def detail(grounding: Grounding) -> dict[str, object]:
    """Return the counts, and why at most ten sentences, masked and cut, are unsupported."""
    found: dict[str, object] = {
        "claims": grounding.claims,
        "supported": grounding.supported,
        "no_claim": grounding.unclaimed,
        "weakest": round(grounding.weakest, 4),
        "unsupported": [item.text for item in grounding.unsupported],
        "why": [list(item.why) for item in grounding.unsupported],
    }
    if grounding.unread:
        found["unread"] = grounding.unread
    return found
