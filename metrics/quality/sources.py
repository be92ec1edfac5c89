"""The contexts of an answer, indexed by stem, for the questions that its claims put to them.

All contexts lie in one index, sentence by sentence; a gap parts one context from the next, so
that two neighbouring sentences are always of one context. The work is linear in the contexts,
and a look-up never walks more than `MAX_POSTINGS` places.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import combinations
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import NamedTuple

import re2

from metrics.quality import stems as stemming
from metrics.quality.known import Known
from metrics.quality.passages import Passage, passage_of

MAX_POSTINGS = 64  # a stem with more is taken to be in every sentence
_SIGN_WORDS = ("inus ", "egative ", "oins ", "enos ", "eno ")
_SIGN_ENDS = ("inus", "egativ", "oins", "eno")  # quicker to find: spaces are everywhere
_DASHED = re.compile(r"-\$?\d")
_SIGNED = re2.compile(
    r"(?i)[€£¥₹₩]|(?:^|[\s(\[{:=|,;/*\"'`$])[-–−]\$?\d|\b(?:minus|negative|moins|menos|meno) "
)


_NONE: frozenset[str] = frozenset()
_UNINDEXED = frozenset({"", stemming.END})


class Source:
    """The contexts in one language."""

    def __init__(
        self, contexts: Sequence[str], language: str, wanted: frozenset[str] | None = None
    ) -> None:
        """Index the contexts by the `wanted` stems, by all if it is None."""
        self.language = language
        self._contexts = contexts
        self._texts, read = stemming.read(tuple(contexts), language)
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        self.owners: list[int] = []
        self._sentences: list[list[str]] = []
        self._wanted = wanted
        for owner, stems in enumerate(read):
            self._add([*stems, stemming.END], owner)
        self.places.default_factory = None  # to ask for a stem must not add it
        self._lacking = _NONE if wanted is None else wanted - self.places.keys() - _UNINDEXED

    def _add(self, stems: list[str], owner: int) -> None:
        places, sentences = self.places, self._sentences
        wanted = frozenset(stems) - _UNINDEXED if self._wanted is None else self._wanted
        start, last = 0, len(stems)
        while start < last:
            end = stems.index(stemming.END, start)
            sentence = stems[start:end]
            for stem in wanted.intersection(sentence):
                places[stem].append(len(sentences))
            sentences.append(sentence)
            start = end + 1
        sentences.append([])
        self.owners += [owner] * (len(sentences) - len(self.owners))

    def has(self, stem: str) -> bool:
        """Whether a stem occurs."""
        return stem in self.places

    def sentence(self, number: int) -> list[str]:
        """Return the stems of a sentence, none beyond the last one."""
        return self._sentences[number] if 0 <= number < len(self._sentences) else []

    def words(self, number: int) -> AbstractSet[str]:
        """Return the indexed stems of a sentence without their order."""
        found = frozenset(self.sentence(number))
        return found - _UNINDEXED if self._wanted is None else found & self._wanted

    def quotes(self, stems: Sequence[str]) -> bool:
        """Whether these stems stand just so in a context that has no negative numbers.

        They are among the indexed ones.
        """
        return self._lacking.isdisjoint(stems) and f" {' '.join(stems)} " in self._joined

    @cached_property
    def _joined(self) -> str:
        signed = is_signed("\n".join(self._texts))
        left_out = {owner for owner, text in enumerate(self._texts) if signed and is_signed(text)}
        return "".join(
            [
                f" {' '.join(sentence)} {stemming.END}"
                for sentence, owner in zip(self._sentences, self.owners, strict=True)
                if owner not in left_out
            ]
        )

    def has_pair(self, first: str, second: str) -> bool:
        """Whether two stems stand beside one another."""
        return self.quotes((first, second))

    def has_word(self, word: str) -> bool:
        """Whether a word of letters from A to Z occurs as it is written, in upper or lower case."""
        text = self._written
        place = text.find(word) if word else -1
        while place >= 0:
            end = place + len(word)
            if not (text[place - 1] in ascii_letters or text[end] in ascii_letters):
                return True
            place = text.find(word, end)
        return False

    @cached_property
    def _written(self) -> str:
        return "\n".join(["", *self._texts, ""])

    def acronyms_spelt(self, text: str) -> Iterator[tuple[list[str], AbstractSet[int]]]:
        """Yield the words of each name in a plain text that is an acronym in contexts, and which.

        Contexts are told by their place.
        """
        capitals = self._capitals
        for name in name_runs(text) if capitals else ():
            # To know where a word of capitals stands takes longer, and is seldom asked.
            if name.acronym in capitals and name.acronym in self._acronyms:
                yield name.words, self._acronyms[name.acronym]

    @cached_property
    def _capitals(self) -> AbstractSet[str]:
        """The capitals from A to Z of each word: all acronyms are among them."""
        written = self._written.encode(errors="replace")
        return set(written.translate(_CAPITALS, _SMALL).decode().split())

    @cached_property
    def _acronyms(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for owner, text in enumerate(self._texts):
            for acronym in _ACRONYM.findall(text):
                found.setdefault(acronym, set()).add(owner)
        return found

    @cached_property
    def passages(self) -> list[Passage]:
        """The contexts one by one, indexed for their amounts, which takes longer."""
        return [passage_of(context, self.language) for context in self._contexts]

    @cached_property
    def spelt(self) -> AbstractSet[str]:
        """The acronyms, case-folded, that contexts spell by initials of neighbouring words."""
        return _NONE.union(*self._spelt)

    def spelling(self, acronym: str) -> list[int]:
        """Return which contexts spell an acronym."""
        return [owner for owner, spelt in enumerate(self._spelt) if acronym in spelt]

    @cached_property
    def _spelt(self) -> list[AbstractSet[str]]:
        return [
            _NONE.union(*[name.parts for name in name_runs(context)]) for context in self._contexts
        ]


def is_signed(text: str) -> bool:
    """Whether some number of a plain text may be negative."""
    # Most texts have none of the signs at all, and the pattern costs more.
    if text.isascii() and not ("-" in text and _DASHED.search(text)):
        has = text.__contains__
        if not (any(map(has, _SIGN_ENDS)) and any(map(has, _SIGN_WORDS))):
            return False
    return _SIGNED.search(text) is not None


class Name(NamedTuple):
    """A name of two words or more: its words but for "of" and such, and its acronym, if any.

    `parts` are the acronyms, case-folded, of words within it.
    """

    words: list[str]
    acronym: str
    parts: frozenset[str]


def name_runs(text: str) -> Iterator[Name]:
    """Return each name of two words or more."""
    return map(_KNOWN_RUNS.__getitem__, _NAME_RUN.findall(text))


def _named(run: str) -> Name:
    words = [word for word in _WORD.findall(run) if word.casefold() not in _LINKS]
    initials = "".join([word[0] for word in words])
    parts = [initials[start:end] for start, end in combinations(range(len(initials) + 1), 2)]
    short = [part.lower() for part in parts if _SHORTEST_ACRONYM <= len(part) <= _LONGEST_ACRONYM]
    return Name(words, initials.upper() if short else "", frozenset(short))


_KNOWN_RUNS = Known(_named)
_SHORTEST_ACRONYM, _LONGEST_ACRONYM = 2, 6
_WORD = re.compile(r"[A-Za-z]+")
_LINKS = frozenset({"of", "the", "for", "and", "de", "la", "du", "des", "der", "die", "und", "y"})
_LINK = "|".join(sorted(_LINKS))
_SMALL = ascii_lowercase.encode()
_CAPITALS = bytes(code if chr(code) in ascii_uppercase else 32 for code in range(256))
# A word of capitals alone; it starts with one set of characters, which is quickly found.
_ACRONYM = re.compile(r"[A-Z](?=[A-Z])(?<![A-Za-z].)[A-Z]++(?![a-z])")
# Nothing of it can be read in two ways: to go back would only take time.
_NAME_RUN = re.compile(
    r"[A-Z](?<![A-Za-z].)[A-Za-z]++"
    rf"(?:[ -](?:(?:{_LINK}) ){{0,2}}+[A-Z][A-Za-z]++){{1,8}}+"
)
