"""The contexts of an answer, indexed by stem, for the questions that its claims put to them.

All contexts lie in one index, sentence by sentence; a gap parts one context from the next, so
that two neighbouring sentences are always of one context. The work is linear in the contexts,
and a look-up never walks more than `MAX_POSTINGS` places.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from string import ascii_letters

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
        self.tokens: list[str] = []
        self.starts: list[int] = [0]
        self.places: dict[str, list[int]] = {}
        self.owners: list[int] = []
        self._sets: list[AbstractSet[str]] = []
        self._bounds = [0]
        for stems in read:
            self._add(stems[:], frozenset(stems) - {""} if wanted is None else wanted)

    def _add(self, stems: list[str], wanted: frozenset[str]) -> None:
        places, sets = self.places, self._sets
        begin, start, sentence = len(self.tokens), 0, len(sets)
        last = len(stems)
        stems += [stemming.END, stemming.END]
        while start <= last:
            end = stems.index(stemming.END, start)
            known = wanted.intersection(stems[start:end])
            sets.append(known)
            for stem in known:
                if stem in places:
                    places[stem].append(sentence)
                else:
                    places[stem] = [sentence]
            sentence += 1
            start = end + 1
            self.starts.append(begin + start)
        sets.append(_NONE)
        self.tokens += stems
        self.starts.append(len(self.tokens))
        self.owners += [len(self._bounds) - 1] * (sentence + 1 - len(self.owners))
        self._bounds.append(len(self.tokens))

    def has(self, stem: str) -> bool:
        """Whether a stem occurs."""
        return stem in self.places

    def sentence(self, number: int) -> list[str]:
        """Return the stems of a sentence, none beyond the last one."""
        if not 0 <= number < len(self.starts) - 1:
            return []
        return self.tokens[self.starts[number] : self.starts[number + 1] - 1]

    def words(self, number: int) -> AbstractSet[str]:
        """Return the indexed stems of a sentence without their order."""
        return self._sets[number] if 0 <= number < len(self._sets) else _NONE

    def quotes(self, stems: Sequence[str]) -> bool:
        """Whether these stems stand just so in a context that has no negative numbers.

        They are among the indexed ones.
        """
        if not self.places.keys() >= set(stems) - _UNINDEXED:
            return False
        return f" {' '.join(stems)} " in self._joined

    @cached_property
    def _joined(self) -> str:
        if not is_signed("\n".join(self._texts)):
            return f" {' '.join(self.tokens)} "
        return f" {' '.join(' '.join(tokens) for tokens in self._unsigned())} "

    def _unsigned(self) -> Iterator[list[str]]:
        """Yield the stems of each context without a negative number: "-5 degrees" are not 5."""
        for text, start, end in zip(self._texts, self._bounds, self._bounds[1:], strict=False):
            if not is_signed(text):
                yield self.tokens[start:end]

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
        capitals = "".join(_INITIAL.findall(text)) if self._acronyms else ""
        if any(map(capitals.__contains__, self._acronyms)):
            for initials, words in name_runs(text):
                owners = self._acronyms.get(initials.upper())
                if owners is not None:
                    yield words, owners

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

    def spelling(self, acronym: str) -> list[int]:
        """Return which contexts spell a case-folded acronym by initials of neighbouring words."""
        if not (acronym.isascii() and acronym.isalpha()) or len(acronym) < _SHORTEST_ACRONYM:
            return []
        # Most acronyms do not even fit the capitals, which are found much sooner than the names.
        if acronym.upper() not in self._capitals:
            return []
        return [owner for owner, initials in enumerate(self._initials) if acronym in initials]

    @cached_property
    def _capitals(self) -> str:
        return "".join(_INITIAL.findall("\n".join(self._contexts)))

    @cached_property
    def _initials(self) -> list[str]:
        return [
            " ".join(initials for initials, _ in name_runs(context)) for context in self._contexts
        ]


def is_signed(text: str) -> bool:
    """Whether some number of a plain text may be negative."""
    # Most texts have none of the signs at all, and the pattern costs more.
    if text.isascii() and not ("-" in text and _DASHED.search(text)):
        has = text.__contains__
        if not (any(map(has, _SIGN_ENDS)) and any(map(has, _SIGN_WORDS))):
            return False
    return _SIGNED.search(text) is not None


def name_runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Return the initials, case-folded, and the words of each name of two words or more."""
    return map(_KNOWN_RUNS.__getitem__, _NAME_RUN.findall(text))


def _named(run: str) -> tuple[str, list[str]]:
    words = [word for word in _WORD.findall(run) if word.casefold() not in _LINKS]
    return "".join(word[0] for word in words).casefold(), words


_KNOWN_RUNS = Known(_named)
_SHORTEST_ACRONYM = 2
_WORD = re.compile(r"[A-Za-z]+")
_LINKS = frozenset({"of", "the", "for", "and", "de", "la", "du", "des", "der", "die", "und", "y"})
_LINK = "|".join(sorted(_LINKS))
# A word of capitals alone; it starts with one set of characters, which is quickly found.
_ACRONYM = re.compile(r"[A-Z](?=[A-Z])(?<![A-Za-z].)[A-Z]++(?![a-z])")
# The capital that begins a word, but for links.
_INITIAL = re.compile(rf"[A-Z](?<![A-Za-z].)(?=[A-Za-z])(?<!(?=(?i:{_LINK})(?![A-Za-z])).)")
_NAME_RUN = re.compile(rf"(?:[A-Z][A-Za-z]+[ -](?:(?:{_LINK}) ){{0,2}}){{1,8}}[A-Z][A-Za-z]+")
