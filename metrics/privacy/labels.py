"""The name of a thing right in front of a number: "part no. 555-123-4567", `"orderId": "123`.

What has such a name is the number of an order, a book, a build, and no phone's or person's.
"""

import re

_WORD = re.compile(r"[^\W\d_a-z]?[a-zà-ÿ]+|[^\W\d_]+")
_BEHIND = " .:#=-\"'*[]("
_VERBS = frozenset({"is", "was", "ist", "est", "es"})
_NUMBERED = frozenset(
    "no nos nr num núm numéro número numero nummer number numbers code id ids".split()  # noqa: SIM905 - a table
)
_THINGS = frozenset(
    "part model item product article order invoice ticket case claim policy tracking shipment "  # noqa: SIM905 - a table
    "serial batch lot sku isbn issn doi pmid pmc arxiv ean gtin upc asin cas ref reference "
    "transaction confirmation booking zip postcode postal plz build version release hash commit "
    "patent grant epoch timestamp code bestellung artikel rechnung auftrag sendung commande "
    "facture pedido factura ordine fattura fatura factuur bestelling".split()
)
# These name a thing only with "number", "id" or the like behind.
_HOLDERS = _THINGS | frozenset(
    "customer client member account user employee request session trace span job process bestell "  # noqa: SIM905 - a table
    "rechnungs auftrags kunden sendungs serien teile".split()
)
_OF_PLACES = frozenset({"area", "country", "city", "dialing", "dialling"})  # codes to dial
_SIGNS = ("#", "№")
_GLUED = ("nummer", "nr", "id")
_COUNTS = frozenset({"no", "nos", "nr", "id", "ids"})
_LONGEST = 28
_MIN_PLURAL = 4


class Label:
    """The words in front of a number, as far as they may name it; `before` ends at the number."""

    def __init__(self, before: str) -> None:
        plain = before.rstrip(_BEHIND)
        words = _WORD.findall(plain[-_LONGEST:].rstrip()) if plain[-1:].isalpha() else []
        if len(words) > 1 and words[-1].casefold() in _VERBS:
            words.pop()
        self._last = words[-1].casefold() if words else ""
        self._second = words[-2].casefold() if len(words) > 1 else ""
        self._has_sign = before.rstrip(" .:=-\"'").endswith(_SIGNS)

    @property
    def is_thing(self) -> bool:
        """Whether it is the name of a thing."""
        last, second = self._last, self._second
        if last == "code" and second in _OF_PLACES:
            return False
        if last in _THINGS or (len(last) > _MIN_PLURAL and last.removesuffix("s") in _THINGS):
            return True
        return last in _NUMBERED and second.removesuffix("s") in _THINGS

    @property
    def is_record(self) -> bool:
        """Whether it is the number, id or code of a thing or of somebody's record."""
        if self._last in _NUMBERED:
            return self._second in _HOLDERS
        ends = (end for end in _GLUED if self._last.endswith(end))
        return any(self._last.removesuffix(end) in _HOLDERS for end in ends)

    @property
    def is_counted(self) -> bool:
        """Whether it is "no.", "id" or "#"."""
        return self._has_sign or self._last in _COUNTS
