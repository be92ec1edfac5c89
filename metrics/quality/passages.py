"""A retrieved passage, indexed for the questions that a claim puts to it.

Does an amount occur? A month, an address? For an amount the value alone
does not count: where the passage says how many years, another number is not that many years,
even if it stands elsewhere ("a two-year warranty .. 3 technicians" is no three-year warranty).
"""

import re
from functools import cache, cached_property, lru_cache
from itertools import combinations

import re2

from metrics.quality import text as texts
from metrics.quality.lexicon import AMBIGUOUS_MONTHS, MONTH_NAMES
from metrics.quality.number_reader import Number, numbers_in
from metrics.quality.quantities import Quantity, date_parts, decimal_mark, described
from metrics.quality.units import UNITS, meanings

_MAX_USES = 64  # different things that one number counts in a passage
_NUMERIC_DATE = re.compile(r"\b\d{4}-(\d{2})-\d{2}|\b(\d{1,2})[./](\d{1,2})[./]\d{2,4}\b")
_MAY_BE_DATE = re2.compile(r"\d{4}-\d\d-\d|\d[./]\d{1,2}[./]\d\d")
_CAPITALISED = re.compile(r"(?<![^\W\d_])(?:May|March|Mar|August|Jan|Mars|Set|Out)\b")


class Amounts:
    """The amounts of a text: which values it has, and what each counts."""

    def __init__(self, found: list[Quantity]) -> None:
        self._uses: dict[str, set[tuple[str, ...]]] = {}
        self._values: dict[str | tuple[str, str], set[str]] = {}
        self._dimensions: dict[str, set[str]] = {}
        for quantity in found:
            for value in (*quantity.readings, *quantity.parts):
                self._add(value, quantity)

    def _add(self, value: str, quantity: Quantity) -> None:
        nouns = _named(quantity)
        uses = self._uses.setdefault(value, set())
        if len(uses) < _MAX_USES:
            uses.add(nouns)
        keys: list[str | tuple[str, str]] = [*nouns, *_pairs(nouns)]
        for key in keys:
            self._values.setdefault(key, set()).add(value)
        if quantity.unit is not None:
            names = self._dimensions.setdefault(quantity.unit.dimension, set())
            names.update(meanings(quantity.unit.name))

    def has_value(self, quantity: Quantity) -> bool:
        """Whether the number occurs at all; a dotted date also in parts."""
        if any(reading in self._uses for reading in quantity.readings):
            return True
        return bool(quantity.parts) and all(part in self._uses for part in quantity.parts)

    def denies(self, quantity: Quantity) -> bool:
        """Whether the text gives another number for what this one counts."""
        nouns = quantity.nouns
        if not nouns or self._shares(quantity, _pairs(nouns)):
            return False
        if self._has_others(quantity, _pairs(nouns)):
            return True
        return not self._shares(quantity, nouns) and self._has_others(quantity, nouns[:1])

    def confirms(self, quantity: Quantity) -> bool:
        """Whether the number occurs, and not only with another unit."""
        if not self.has_value(quantity):
            return False
        if not quantity.nouns or self._shares(quantity, quantity.nouns):
            return True
        uses = [use for value in quantity.readings for use in self._uses.get(value, ())]
        bare = any(not use or use[0] not in _UNIT_NAMES for use in uses) or not uses
        if quantity.unit is None:
            return bare
        rivals = self._dimensions.get(quantity.unit.dimension, set())
        return bare and (not rivals or quantity.unit.name in rivals)

    def holds(self, quantity: Quantity) -> bool:
        """Whether the text has this amount."""
        return not self.denies(quantity) and self.confirms(quantity)

    def gives(self, quantity: Quantity) -> bool:
        """Whether the number occurs for the same, or either does not say what it counts."""
        if not self.has_value(quantity):
            return False
        bare = any(() in self._uses.get(value, ()) for value in quantity.readings)
        return bare or not quantity.nouns or self._shares(quantity, quantity.nouns)

    def _shares(self, quantity: Quantity, keys: "_Keys") -> bool:
        values = (self._values.get(key, ()) for key in keys)
        return any(reading in found for found in values for reading in quantity.readings)

    def _has_others(self, quantity: Quantity, keys: "_Keys") -> bool:
        return any(self._values.get(key, _NONE) - set(quantity.readings) for key in keys)


_Keys = tuple[str, ...] | tuple[tuple[str, str], ...]
_NONE: frozenset[str] = frozenset()
_UNIT_NAMES = frozenset(unit.name for unit in UNITS.values())


def _named(quantity: Quantity) -> tuple[str, ...]:
    """Return the nouns, and what a wide unit ("$") may mean besides."""
    if quantity.unit is None:
        return quantity.nouns
    return (*meanings(quantity.unit.name), *quantity.nouns[1:])


def _pairs(nouns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(combinations(nouns, 2))


@cache
def _names_of(month: int, language: str) -> tuple[str, ...]:
    return tuple(name for name, number in MONTH_NAMES[language].items() if number == month)


def without_markup(text: str) -> str:
    """Return a text without the marks of bold print and of code: "**5** kg" are 5 kg."""
    return text.replace("*", " ").replace("`", " ")


class Passage:
    """A text, indexed by its words, amounts, months and addresses."""

    def __init__(self, text: str, language: str) -> None:
        self._text = texts.normalise(text)
        self._language = language

    @cached_property
    def words(self) -> set[str]:
        """The tokens, case-folded."""
        return set(texts.folded_words(self._text))

    def has_month(self, month: int) -> bool:
        """Whether the month (1 to 12) occurs, by name or in a date."""
        if month in self._dated:
            return True
        return any(self._names(name) for name in _names_of(month, self._language))

    def _names(self, month: str) -> bool:
        if month in AMBIGUOUS_MONTHS:
            name = month.capitalize()
            return name in self._text and name in _CAPITALISED.findall(self._text)
        return month in self._folded and month in self.words

    def has_address(self, address: str) -> bool:
        """Whether the e-mail address or URL (case-folded, without scheme) occurs."""
        return address in self._folded

    def holds(self, amount: Quantity) -> bool:
        """Whether the text has this amount."""
        # Most texts do not have the number at all: what it counts need not be read.
        values = [value.lstrip("-") for value in (*amount.readings, *amount.parts)]
        return not self._values.isdisjoint(values) and self.amounts.holds(amount)

    @cached_property
    def _values(self) -> set[str]:
        values = {reading for _, _, readings in self._numbers for reading in readings}
        return values.union(*map(date_parts, values))

    @cached_property
    def _numbers(self) -> list[Number]:
        mark = decimal_mark(self._text, self._language)
        return numbers_in(self._unmarked, self._language, mark)

    @cached_property
    def amounts(self) -> Amounts:
        """The numbers of the text and what they count."""
        return Amounts(described(self._unmarked, self._language, self._numbers))

    @cached_property
    def _unmarked(self) -> str:
        return without_markup(self._text)

    @cached_property
    def _dated(self) -> set[int]:
        if not _MAY_BE_DATE.search(self._text):
            return set()
        return {int(part) for date in _NUMERIC_DATE.findall(self._text) for part in date if part}

    @cached_property
    def _folded(self) -> str:
        return self._text.casefold()


# The same passage is often retrieved again.
@lru_cache(maxsize=32)
def passage_of(text: str, language: str) -> Passage:
    """Return the indexed text."""
    return Passage(text, language)
