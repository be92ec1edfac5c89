"""Number words of the languages that the lexical metrics know, with their values.

"One" is left out: it is an article or a pronoun as often as a number. It counts where it
follows tens ("twenty-one"). Ordinals have the value of their cardinal ("third" = "3rd" = 3);
left out are those that are rather other words ("second", "cuarto", "quarto").
"""

from functools import cache
from typing import Final

from msgspec import Struct

_Words = dict[str, int]


def _listed(words: str, first: int, step: int = 1) -> _Words:
    """Number the groups of a list; the words of a group ("a|b") have the same value."""
    return {
        word: first + step * place
        for place, group in enumerate(words.split())
        for word in group.split("|")
    }


def _joined(units: _Words, tens: _Words, link: str) -> _Words:
    """Germanic compounds: the unit first, "fünfundzwanzig"."""
    return {
        f"{unit}{link}{ten}": value + many
        for unit, value in units.items()
        for ten, many in tens.items()
    }


_GERMAN_UNITS = _listed("ein zwei|zwo drei vier fünf sechs sieben acht neun", 1)
_GERMAN_TENS = _listed(
    "zwanzig dreißig|dreissig vierzig fünfzig sechzig siebzig achtzig neunzig", 20, 10
)
_DUTCH_UNITS = _listed("een twee drie vier vijf zes zeven acht negen", 1)
_DUTCH_TENS = _listed("twintig dertig veertig vijftig zestig zeventig tachtig negentig", 20, 10)
_ITALIAN_UNITS = _listed("uno due tre|tré quattro cinque sei sette otto nove", 1)
_ITALIAN_TENS = _listed("venti trenta quaranta cinquanta sessanta settanta ottanta novanta", 20, 10)

_ENGLISH: Final = (
    _listed("two three four five six seven eight nine ten eleven twelve thirteen fourteen", 2)
    | _listed("fifteen sixteen seventeen eighteen nineteen", 15)
    | _listed("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
    | _listed("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 3)
    | _listed("thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth", 13)
    | _listed(
        "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", 20, 10
    )
    | {"dozen": 12, "hundred": 100, "hundredth": 100}
)
_GERMAN: Final = (
    _listed("zwei|zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn", 2)
    | _listed("fünfzehn sechzehn siebzehn achtzehn neunzehn", 15)
    | _GERMAN_TENS
    | _joined(_GERMAN_UNITS, _GERMAN_TENS, "und")
    | {f"{unit}hundert": 100 * value for unit, value in _GERMAN_UNITS.items()}
    | {
        f"{unit}{ending}": value
        for unit, value in _listed("dritt viert fünft sechst siebt acht neunt zehnt", 3).items()
        for ending in ("e", "en", "er", "es", "em")
    }
    | {"dutzend": 12, "hundert": 100}
)
_FRENCH: Final = (
    _listed("deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze", 2)
    | _listed("seize", 16)
    | _listed("vingt|vingts trente quarante cinquante soixante septante", 20, 10)
    | _listed("huitante|octante nonante", 80, 10)
    | _listed("deuxième troisième quatrième cinquième sixième septième huitième neuvième", 2)
    | {"dixième": 10, "douzaine": 12, "cent": 100, "cents": 100}
)
_SPANISH: Final = (
    _listed("dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince", 2)
    | _listed("dieciséis diecisiete dieciocho diecinueve veinte veintiuno|veintiún veintidós", 16)
    | _listed("veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho", 23)
    | _listed("veintinueve", 29)
    | _listed("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10)
    | _listed("tercero|tercera|tercer", 3)
    | _listed("quinto|quinta sexto|sexta séptimo|séptima octavo|octava noveno|novena", 5)
    | _listed("doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas", 200, 100)
    | _listed("quinientos|quinientas seiscientos|seiscientas setecientos|setecientas", 500, 100)
    | _listed("ochocientos|ochocientas novecientos|novecientas", 800, 100)
    | {"docena": 12, "cien": 100, "ciento": 100}
)
_ITALIAN: Final = (
    _listed("due tre quattro cinque sei sette otto nove dieci undici dodici tredici", 2)
    | _listed("quattordici quindici sedici diciassette diciotto diciannove", 14)
    | _ITALIAN_TENS
    | {
        # "ventuno", "ventotto": the vowel falls before another one.
        f"{ten[:-1] if unit[0] in 'uo' else ten}{unit}": many + value
        for unit, value in _ITALIAN_UNITS.items()
        for ten, many in _ITALIAN_TENS.items()
    }
    | {f"{unit}cento": 100 * value for unit, value in _ITALIAN_UNITS.items() if value > 1}
    | _listed("terzo|terza", 3)
    | _listed("quinto|quinta sesto|sesta settimo|settima ottavo|ottava nono|nona", 5)
    | {"dozzina": 12, "cento": 100}
)
_PORTUGUESE: Final = (
    _listed("dois|duas três quatro cinco seis sete oito nove dez onze doze treze", 2)
    | _listed("catorze|quatorze quinze dezesseis|dezasseis dezessete|dezassete dezoito", 14)
    | _listed("dezenove|dezanove vinte", 19)
    | _listed("trinta quarenta cinquenta sessenta setenta oitenta noventa", 30, 10)
    | _listed("terceiro|terceira", 3)
    | _listed("quinto|quinta sexto|sexta sétimo|sétima oitavo|oitava nono|nona", 5)
    | _listed("duzentos|duzentas trezentos|trezentas quatrocentos|quatrocentas", 200, 100)
    | _listed("quinhentos|quinhentas seiscentos|seiscentas setecentos|setecentas", 500, 100)
    | _listed("oitocentos|oitocentas novecentos|novecentas", 800, 100)
    | {"dúzia": 12, "cem": 100, "cento": 100}
)
_DUTCH: Final = (
    _listed("twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien", 2)
    | _listed("vijftien zestien zeventien achttien negentien", 15)
    | _DUTCH_TENS
    | _joined(_DUTCH_UNITS, _DUTCH_TENS, "en")
    | _joined({"twee": 2, "drie": 3}, _DUTCH_TENS, "ën")
    | _listed("derde vierde vijfde zesde zevende achtste negende tiende", 3)
    | {"dozijn": 12, "honderd": 100}
)

NUMBER_WORDS: Final[dict[str, _Words]] = {
    "english": _ENGLISH,
    "german": _GERMAN,
    "french": _FRENCH,
    "spanish": _SPANISH,
    "italian": _ITALIAN,
    "portuguese": _PORTUGUESE,
    "dutch": _DUTCH,
}


def _glued(units: _Words, ending: str, value: int) -> _Words:
    return {f"{unit}{ending}": value * count for unit, count in units.items() if count > 1}


# What multiplies the number before it; on its own it is that many ("a million").
MAGNITUDES: Final[dict[str, _Words]] = {
    "english": {
        "thousand": 10**3,
        "million": 10**6,
        "billion": 10**9,
        "trillion": 10**12,
        "lakh": 10**5,
        "crore": 10**7,
    },
    "german": {"tausend": 10**3, "million": 10**6, "milliarde": 10**9, "billion": 10**12}
    | _glued(_GERMAN_UNITS, "tausend", 10**3),
    "french": {"mille": 10**3, "million": 10**6, "milliard": 10**9, "billion": 10**12},
    "spanish": {"mil": 10**3, "millón": 10**6, "billón": 10**12},
    "italian": {"mille": 10**3, "milione": 10**6, "miliardo": 10**9}
    | _glued(_ITALIAN_UNITS, "mila", 10**3),
    "portuguese": {"mil": 10**3, "milhão": 10**6, "bilhão": 10**9, "trilhão": 10**12},
    "dutch": {"duizend": 10**3, "miljoen": 10**6, "miljard": 10**9, "biljoen": 10**12},
}

# What multiplies too, but is no number on its own: "millions of stars".
PLURALS: Final[dict[str, _Words]] = {
    "english": {
        "hundreds": 100,
        "thousands": 10**3,
        "millions": 10**6,
        "billions": 10**9,
        "trillions": 10**12,
        "mn": 10**6,
        "mln": 10**6,
        "bn": 10**9,
        "tn": 10**12,
    },
    "german": {
        "tsd": 10**3,
        "mio": 10**6,
        "millionen": 10**6,
        "mrd": 10**9,
        "milliarden": 10**9,
        "billionen": 10**12,
    },
    "french": {"millions": 10**6, "milliards": 10**9, "billions": 10**12},
    "spanish": {"millones": 10**6, "billones": 10**12},
    "italian": {"mila": 10**3, "milioni": 10**6, "mln": 10**6, "miliardi": 10**9, "mld": 10**9},
    "portuguese": {"milhões": 10**6, "bilhões": 10**9, "trilhões": 10**12},
    "dutch": {"mln": 10**6, "mld": 10**9},
}

DOZENS: Final = frozenset({"dozen", "dutzend", "douzaine", "docena", "dozzina", "dúzia", "dozijn"})
_LINKS: Final[dict[str, tuple[str, ...]]] = {
    "english": (" ", "-", " and "),
    "french": (" ", "-", " et ", "-et-"),
    "spanish": (" ", "-", " y "),
    "italian": (" ", "-", " e "),
    "portuguese": (" ", "-", " e "),
}


class Numerals(Struct, frozen=True):
    """The number words of a language.

    `values` are numbers on their own, `factors` multiply the digits before them, `all` are
    both, and `links` may stand between two words of one number.
    """

    values: _Words
    factors: _Words
    all: _Words
    links: tuple[str, ...]


@cache
def numerals(language: str) -> Numerals:
    """Return the number words of a language."""
    values = NUMBER_WORDS[language] | MAGNITUDES[language]
    every = values | PLURALS[language]
    factors = {
        word: value for word, value in every.items() if word in DOZENS or _is_power_of_ten(value)
    }
    return Numerals(values, factors, every, _LINKS.get(language, (" ", "-")))


def _is_power_of_ten(value: int) -> bool:
    return value >= 100 and str(value).strip("0") == "1"
