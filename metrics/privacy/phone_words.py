"""The words around a number that say whether it is that of a phone or of a thing."""

import re

_WORDS = (
    r"phone|tel|telephone|mobile?|cell|fax|whatsapp|sms|hotline|helpline|voicemail|landline|desk|"
    r"office|telefon|handy|téléphone|tél|portable|teléfono|móvil|telefono|cellulare|telefone|"
    r"celular|telefoon"
)
_BEFORE = re.compile(
    rf"\b(?:{_WORDS}|ph|call|contact|reach|dial|ring|anrufen|appele[rz]|llam[ae]\w{{0,4}})\b"
    r"[^\d\n]{0,20}$",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"[ -]{{0,2}}\(?(?:{_WORDS})\b", re.IGNORECASE)
_NUMBERED = r"(?:nos?|nr|num|núm|numéro|número|numero|nummer|number|code|ids?)\b"
_END = r"[ .:#=-]*(?:(?:is|was|ist|est|es)\b[ :]*)?\Z"
# "part no. 555-123-4567": the words in front name the thing whose number it is.
_LABELLED = re.compile(
    r"\b(?:part|model|item|product|article|order|invoice|ticket|case|claim|policy|tracking|"
    r"shipment|serial|batch|lot|sku|isbn|doi|ref|reference|transaction|confirmation|booking|"
    r"bestellung|artikel|rechnung|auftrag|sendung|commande|facture|pedido|factura|ordine|"
    rf"fattura|fatura|factuur|bestelling)s?\b[ .:#-]*(?:{_NUMBERED})?{_END}"
    r"|\b(?:customer|client|member|account|user|employee|bestell|artikel|rechnungs|auftrags|"
    rf"kunden|sendungs|serien|teile)[ .:#-]*{_NUMBERED}{_END}",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?:\b(?:nos?|nr|ids?)\b|[#№])[ .:#=-]*\Z", re.IGNORECASE)
# Words of the same sentence that speak of calling somebody ..
_SPOKEN_OF = re.compile(
    rf"\b(?:{_WORDS}|call(?:ed|ing|s|back)?|contact(?:ed)?|reach(?:ed|able)?|dial(?:l?ed|l?ing)?|"
    r"r[aiu]ng|answer(?:ed|ing|s)?|pick(?:ed|ing|s)? up|text(?:ed|ing|s)?|messag(?:es?|ed|ing)|"
    r"(?:my|his|her|your|our|their|new|old|work|home|private|this|contact) number|"
    r"find (?:me|us))\b",
    re.IGNORECASE,
)
# .. and what then stands right before a number that has no groups.
_AT = re.compile(
    r"\b(?:at|on|to|under|via|is|was|dial\w*|registered|number)[ :,]{1,2}\Z|[:?]\s{0,2}\Z",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!;]\s|\n\n")  # what follows a question may answer it
_LOOK_BACK, _SENTENCE = 40, 90


def is_announced(text: str, start: int, end: int) -> bool:
    """Whether a word right before or behind text[start:end] says that it is a phone's."""
    before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    return bool(before or _AFTER.match(text, end))


def is_spoken_of(text: str, start: int, *, is_grouped: bool) -> bool:
    """Whether the sentence in front of `start` speaks of calling somebody."""
    before = text[max(0, start - _SENTENCE) : start]
    cuts = [match.end() for match in _SENTENCE_END.finditer(before)]
    before = before[cuts[-1] :] if cuts else before
    return bool(_SPOKEN_OF.search(before) and (is_grouped or _AT.search(before)))


def is_labelled(text: str, start: int) -> bool:
    """Whether the words in front say that the number is that of a thing."""
    before = text[max(0, start - _LOOK_BACK) : start]
    if _LABELLED.search(before):
        return True
    return _COUNTED.search(before) is not None and _BEFORE.search(before) is None
