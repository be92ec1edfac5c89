"""Units of measure and currencies: which words mean the same one, and what they measure.

A few words and signs are wider than one unit: "$" is any dollar, "pound" a weight or money.
`meanings` says which names may stand for the same.
"""

from typing import Final

from msgspec import Struct


class Unit(Struct, frozen=True):
    """A unit by its short name, and the dimension it measures."""

    name: str
    dimension: str


_TABLE: Final = {
    "currency": {
        "dollar": "$ dollar dollars dólar dólares dollari",
        "usd": "usd us$",
        "cad": "cad c$",
        "aud": "aud a$",
        "eur": "€ eur euro euros euri",
        "gbp": "£ gbp sterling",
        "jpy": "jpy yen",
        "cny": "cny rmb yuan renminbi 元",
        "yen sign": "¥",
        "円": "円",
        "inr": "₹ inr rupee rupees",
        "chf": "chf franken",
        "brl": "brl reais",
        "krw": "₩ krw won 원",
        "cent": "cents ¢",
    },
    "mass": {
        "mg": "mg milligram milligrams milligramm milligrammes miligramos milligrammi",
        "g": "gram grams gramm gramme grammes gramos grammi gramas",
        "kg": "kg kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramos "
        "chilogrammi chili quilogramas quilos",
        "lb": "lb lbs",
        "pound": "pound pounds pfund livres libras libbre",
        "oz": "oz ounce ounces",
        "tonne": "tonne tonnes ton tons tonnen toneladas tonnellate",
    },
    "length": {
        "mm": "mm millimeter millimeters millimetre millimetres milímetros millimetri",
        "cm": "cm centimeter centimeters centimetre centimetres zentimeter centímetros centimetri",
        "metre": "meter meters metre metres mètre mètres metro metros metri",
        "km": "km kms kilometer kilometers kilometre kilometres kilomètre kilomètres kilómetro "
        "kilómetros chilometro chilometri quilômetro quilômetros",
        "inch": "inch inches zoll pouces pulgadas pollici polegadas",
        "foot": "ft foot feet fuß pieds pies piedi pés",
        "yard": "yard yards",
        "mile": "mile miles meile meilen millas miglia milhas",
    },
    "time": {
        "ms": "ms millisecond milliseconds millisekunden",
        "second": "sec secs second seconds sekunde sekunden seconde secondes segundo segundos "
        "secondo secondi seconden",
        "minute": "min mins minute minutes minuten minuto minutos minuti minuut",
        "hour": "hr hrs hour hours stunde stunden heure heures hora horas ora ore uur uren std",
        "day": "day days tag tage tagen jour jours día días giorno giorni dia dias dag dagen",
        "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken",
        "month": "month months monat monate monaten mois mes meses mese mesi mês maand maanden",
        "year": "year years yr yrs jahr jahre jahren an ans année années año años anno anni ano "
        "anos jaar jaren",
        "decade": "decade decades jahrzehnt jahrzehnte décennie décennies década décadas decennio",
        "century": "century centuries jahrhundert jahrhunderte siècle siècles siglo siglos secolo "
        "secoli século séculos eeuw eeuwen",
    },
    "temperature": {
        "celsius": "°c celsius centigrade",
        "fahrenheit": "°f fahrenheit",
        "kelvin": "kelvin",
        "degree": "° degree degrees grad degré degrés grado grados gradi grau graus graden",
    },
    "share": {
        "percent": "% percent prozent procent pct",
        "permille": "‰ promille",
    },
    "data": {
        "byte": "byte bytes",
        "kb": "kb kib kilobyte kilobytes",
        "mb": "mb mib megabyte megabytes",
        "gb": "gb gib gigabyte gigabytes",
        "tb": "tb tib terabyte terabytes",
        "pb": "pb petabyte petabytes",
    },
    "volume": {
        "ml": "ml milliliter milliliters millilitre millilitres mililitros",
        "litre": "liter liters litre litres litro litros litri",
        "gallon": "gallon gallons",
    },
    "area": {"hectare": "ha hectare hectares hektar", "acre": "acre acres"},
    "speed": {"km/h": "km/h kph kmh", "mph": "mph", "m/s": "m/s"},
    "power": {"watt": "watt watts", "kw": "kw kilowatt kilowatts", "mw": "mw megawatt megawatts"},
    "energy": {"kwh": "kwh", "kcal": "kcal", "kj": "kj", "calorie": "cal calorie calories"},
    "frequency": {"hz": "hz hertz", "khz": "khz", "mhz": "mhz", "ghz": "ghz"},
}

_WIDER: Final = {
    "dollar": ("usd", "cad", "aud"),
    "pound": ("lb", "gbp"),
    "yen sign": ("jpy", "cny", "円"),
    "円": ("jpy",),
    "degree": ("celsius", "fahrenheit", "kelvin"),
    "m": ("metre", "minute"),
}
# One letter is a unit only in this case, and right behind a number.
_LETTERS: Final = {
    "m": Unit("m", "length"),
    "g": Unit("g", "mass"),
    "h": Unit("hour", "time"),
    "l": Unit("litre", "volume"),
    "L": Unit("litre", "volume"),
    "W": Unit("watt", "power"),
}

_MEANINGS: Final = {
    name: (name, *_WIDER.get(name, ()), *(wide for wide, all_ in _WIDER.items() if name in all_))
    for name in {*_WIDER, *(name for all_ in _WIDER.values() for name in all_)}
}

UNITS: Final[dict[str, Unit]] = {
    word: Unit(name, dimension)
    for dimension, units in _TABLE.items()
    for name, words in units.items()
    for word in words.split()
}


def unit_of(token: str) -> Unit | None:
    """Return the unit that a token right behind a number is, None if it is none."""
    return (
        _LETTERS.get(token) if len(token) == 1 and token.isalpha() else UNITS.get(token.casefold())
    )


def meanings(name: str) -> tuple[str, ...]:
    """Return the names that a unit may be matched by: its own, narrower and wider ones."""
    return _MEANINGS.get(name, (name,))
