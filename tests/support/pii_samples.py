"""Texts with personal data made up by a seeded generator, and texts that only look so.

Every value is valid by its own rules (checksums, issuers, numbering plans, areas) and written in
one of its usual forms; what surrounds it, if anything, is drawn apart from it.
"""

import random
import string
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import phonenumbers
from stdnum import iban as iban_numbers
from stdnum import luhn

TYPES = ("email", "phone", "ssn", "credit_card", "iban", "ip")

_REGIONS = "US GB DE FR ES IT NL BE CH AT SE NO DK FI PL PT IE AU NZ CA IN BR MX ZA JP".split()  # noqa: SIM905
_IBAN_FORMS = {"DE": 18, "NL": "AAAA10", "FR": 23, "ES": 20, "BE": 12, "AT": 16, "PL": 24, "PT": 21}
_CARD_FORMS = {"4": 16, "51": 16, "55": 16, "2221": 16, "34": 15, "37": 15, "6011": 16, "3528": 16}
_FIRST = ["anna", "j.miller", "o_brien", "li+news", "maria-jose", "müller", "sales42", "x.y.z"]
_HOSTS = [
    "example.com", "mail.example.co.uk", "firma.de", "exämple.com", "example.org",
    "corp.example.io", "例え.テスト", "sub.domain.example.museum",
]  # fmt: skip
_AROUND = {
    "email": ["Write to {} today.", "Her address is {}", "contact={}", "<{}>", "{}, please.", "{}"],
    "phone": [
        "Call me at {}.", "My number is {}", "Phone: {}", "You can reach her on {} after six.",
        "tel {}", "They do not pick up at {}", "Text {} when you are there", "Fax {}",
        "mobile: {};",
    ],
    "ssn": ["SSN {}", "social security number: {}", "Her SSN is {}.", "{} is on file", "({})"],
    "credit_card": ["card {}", "Charge {} please", "my Visa {} expires soon", "{}", "number: {}."],
    "iban": ["IBAN {}", "Transfer it to {} today", "account {}.", "{}", "({})"],
    "ip": ["logged in from {}", "{} was blocked", "host={}", "client [{}]", "from {}, twice"],
}  # fmt: skip


class Sample(NamedTuple):
    """A text and the one value in it, at `start` to `end`."""

    kind: str
    text: str
    start: int
    end: int


def samples(seed: int, count: int) -> Iterator[Sample]:
    """Yield `count` samples of each type."""
    chance = random.Random(seed)
    for kind in TYPES:
        for _ in range(count):
            value = _MAKERS[kind](chance)
            before, _, after = chance.choice(_AROUND[kind]).partition("{}")
            yield Sample(kind, before + value + after, len(before), len(before) + len(value))


class Document(NamedTuple):
    """A text and what is in it: type, start and end of each value."""

    text: str
    spans: list[tuple[str, int, int]]


_HEADS = {
    "email": "E-mail", "phone": "Phone", "ssn": "SSN", "credit_card": "Card", "iban": "IBAN",
    "ip": "Address of host",
}  # fmt: skip


def documents(seed: int, count: int) -> Iterator[Document]:
    """Yield `count` documents of each sort: tables, JSON, JSON inside a text, forms.

    Each holds three values of every type, beside values that identify nobody.
    """
    chance = random.Random(seed)
    for _ in range(count):
        for mark in (" | ", "|", ",", "\t", ";"):
            yield _filled(
                [("", mark.join(["name", *_HEADS.values()]) + "\n"), *_rows(chance, mark)]
            )
        for quote, end in (('"', "\n"), ('\\"', "\\n")):
            yield _filled(_objects(chance, quote, end))
        yield _filled(_form(chance))


def _filled(parts: Iterable[tuple[str, str]]) -> Document:
    text, spans = "", []
    for kind, part in parts:
        if kind:
            spans.append((kind, len(text), len(text) + len(part)))
        text += part
    return Document(text, spans)


def _rows(chance: random.Random, mark: str) -> Iterator[tuple[str, str]]:
    for _ in range(3):
        yield "", chance.choice(("Ann Lee", "Bo", "Li Wei"))
        for kind in TYPES:
            yield "", mark
            yield kind, _MAKERS[kind](chance)
        yield "", "\n"


def _objects(chance: random.Random, quote: str, end: str) -> Iterator[tuple[str, str]]:
    for _ in range(3):
        yield "", f"{{{quote}version{quote}: {quote}{_version(chance)}{quote}"
        for kind in TYPES:
            yield "", f", {quote}{kind}{quote}: {quote}"
            yield kind, _MAKERS[kind](chance)
            yield "", f"{quote}, {quote}orderId{quote}: {quote}{_digits(chance, 10)}{quote}"
        yield "", f"}}{end}"


def _form(chance: random.Random) -> Iterator[tuple[str, str]]:
    for _ in range(3):
        for kind in TYPES:
            yield "", f"- **{_HEADS[kind]}**: "
            yield kind, _MAKERS[kind](chance)
            yield "", f"\n- Note: {chance.choice(_NEGATIVES)(chance)}\n"


def hard_negatives(seed: int, count: int) -> Iterator[str]:
    """Yield `count` sentences of each sort with a value that identifies nobody."""
    chance = random.Random(seed)
    for _ in range(count):
        for make in _NEGATIVES:
            yield make(chance)


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choices(string.digits, k=count))


def _email(chance: random.Random) -> str:
    return f"{chance.choice(_FIRST)}@{chance.choice(_HOSTS)}"


def _phone(chance: random.Random) -> str:
    region = chance.choice(_REGIONS)
    kinds = (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE)
    example = phonenumbers.example_number_for_type(region, chance.choice(kinds))
    national = str(example.national_number)
    for _ in range(50):
        other = national[:-4] + _digits(chance, 4)
        number = phonenumbers.parse(f"+{example.country_code}{other}")
        if phonenumbers.is_valid_number(number):
            break
    else:
        number = example
    forms = phonenumbers.PhoneNumberFormat
    form = chance.choice((forms.NATIONAL, forms.NATIONAL, forms.INTERNATIONAL, forms.E164))
    return phonenumbers.format_number(number, form)


def _ssn(chance: random.Random) -> str:
    area = chance.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03}-{chance.randint(1, 99):02}-{chance.randint(1, 9999):04}"


def _card(chance: random.Random) -> str:
    prefix, length = chance.choice(list(_CARD_FORMS.items()))
    body = prefix + _digits(chance, length - len(prefix) - 1)
    number = body + luhn.calc_check_digit(body)
    mark = chance.choice(["", "", " ", "-"])
    if length == 15:
        return mark.join((number[:4], number[4:10], number[10:]))
    return mark.join(number[i : i + 4] for i in range(0, 16, 4))


def _iban(chance: random.Random) -> str:
    while True:
        country, form = chance.choice(list(_IBAN_FORMS.items()))
        body = _digits(chance, form) if isinstance(form, int) else "ABNA" + _digits(chance, 10)
        check = iban_numbers.calc_check_digits(f"{country}00{body}")
        number = f"{country}{check}{body}"
        if iban_numbers.is_valid(number):
            return iban_numbers.format(number) if chance.random() < 0.5 else number


def _ip(chance: random.Random) -> str:
    if chance.random() < 0.6:
        return ".".join(str(chance.randint(1, 254)) for _ in range(4))
    groups = [f"{chance.randint(1, 65535):x}" for _ in range(chance.choice((4, 8)))]
    if len(groups) == 8:
        return ":".join(groups)
    return ":".join(["2001", *groups[:1]]) + "::" + ":".join(groups[1:])


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "email": _email,
    "phone": _phone,
    "ssn": _ssn,
    "credit_card": _card,
    "iban": _iban,
    "ip": _ip,
}


def _order(chance: random.Random) -> str:
    count = chance.choice((7, 8, 9, 10, 11, 12))
    form = chance.choice(
        ("Order {} was shipped on Monday.", "Your order number is {}.", "order #{}")
    )
    return form.format(_digits(chance, count))


def _epoch(chance: random.Random) -> str:
    seconds = chance.randint(1_500_000_000, 1_900_000_000)
    scale = chance.choice((1, 1000, 1_000_000))
    return f"The event at {seconds * scale} was recorded by the collector."


def _uuid(chance: random.Random) -> str:
    digits = f"{chance.getrandbits(128):032x}"
    cut = [digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))]
    return f"The request {'-'.join(cut)} failed."


def _version(chance: random.Random) -> str:
    parts = [str(chance.randint(0, 40)) for _ in range(chance.choice((3, 4)))]
    form = chance.choice(("Upgrade to version {}.", "v{} fixes it", "We run release {} here."))
    return form.format(".".join(parts))


def _isbn(chance: random.Random) -> str:
    middle = f"{chance.randint(10, 99)}-{_digits(chance, 6)}"
    return chance.choice(
        (f"ISBN 978-3-{middle}-{chance.randint(0, 9)}", f"ISBN-10: 0-306-{_digits(chance, 5)}-X")
    )


def _doi(chance: random.Random) -> str:
    parts = [_digits(chance, count) for count in (4, 5, 3, 5)]
    return "See doi:10.{}/s{}-{}-{}-1.".format(*parts)


def _coordinates(chance: random.Random) -> str:
    return f"It lies at {chance.uniform(-90, 90):.6f}, {chance.uniform(-180, 180):.6f}."


def _sku(chance: random.Random) -> str:
    return chance.choice(
        (
            f"SKU {_digits(chance, 4)}-{_digits(chance, 4)}-{_digits(chance, 2)} is sold out.",
            f"Item AB-{_digits(chance, 3)}-{_digits(chance, 3)}-{_digits(chance, 4)} is back.",
            f"part no. {_digits(chance, 3)}-{_digits(chance, 3)}-{_digits(chance, 4)}",
        )
    )


def _times(chance: random.Random) -> str:
    day = f"20{chance.randint(10, 29)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    clock = f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:{chance.randint(0, 59):02}"
    return f"It ran from {day} {clock} to {day}T{clock}.{_digits(chance, 3)}Z."


def _hardware(chance: random.Random) -> str:
    pairs = [f"{chance.randint(0, 255):02x}" for _ in range(6)]
    return f"The adapter {':'.join(pairs)} has hash {chance.getrandbits(160):040x}."


def _amounts(chance: random.Random) -> str:
    return (
        f"Revenue rose from {chance.randint(10**6, 10**9):,} to ${chance.uniform(1e6, 1e9):,.2f}."
    )


def _ranges(chance: random.Random) -> str:
    year = chance.randint(1800, 2000)
    return f"Between {year}-{year + 20} there were {_digits(chance, 3)}-{_digits(chance, 3)} cases."


def _tracking(chance: random.Random) -> str:
    return f"Tracking number 1Z999AA1{_digits(chance, 10)}, ticket INC{_digits(chance, 8)}."


def _long_id(chance: random.Random) -> str:
    number = chance.choice("3456") + _digits(chance, chance.choice((14, 15, 18)))
    form = chance.choice(
        ("order {} is late", "tracking id: {}", "https://example.com/status/{}", "trace_id={}")
    )
    return form.format(number)


def _log_line(chance: random.Random) -> str:
    return (
        f"pid={_digits(chance, 7)} addr=0x{chance.getrandbits(48):012x} "
        f"issue #{_digits(chance, 7)} arn:aws:iam::{_digits(chance, 12)}:role/x "
        f"took {_digits(chance, 9)} ns, zip 90210-1234"
    )


_NEGATIVES: tuple[Callable[[random.Random], str], ...] = (
    _order, _epoch, _uuid, _version, _isbn, _doi, _coordinates, _sku, _times, _hardware, _amounts,
    _ranges, _tracking, _long_id, _log_line,
)  # fmt: skip
