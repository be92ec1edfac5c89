"""The words around a number that say whether it is that of a phone or of a thing.

In front or behind stand words of the sentence, or the name of a field ("phone_number=",
`"mobilePhone": `, "Fax | "), which may run together from several words.
"""

import re

import re2

from metrics.privacy.labels import Label

_WORDS = (
    r"phone|tel|telephone|mob|mobil|mobile|cell|cellphone|cellular|fax|whatsapp|sms|hotline|helpline|"
    r"voicemail|landline|pager|switchboard|toll[ -]?free|desk|office|telefon|handy|téléphone|tél|"
    r"portable|teléfono|móvil|telefono|cellulare|telefone|celular|telefoon|mobiel|tlf|puhelin|"
    r"τηλ|τηλέφωνο|тел|телефон|моб|мобильный|"
    r"\w{0,9}(?:telefon|telefoon|mobil|handy|fax|ruf)-?nu?mm?er"
)
_UNSPACED = r"電話|电话|手机|手機|携帯|전화|휴대폰|연락처|هاتف|جوال|โทร|☎|📞|📱"
# Where a word begins or ends, also in `work_phone` and `phoneNumber`.
_HUMP = r"(?-i:(?<=[a-z][a-z])(?=[A-Z]))"
_STARTS, _ENDS = rf"(?:(?<![^\W_])|{_HUMP})", rf"(?:(?![^\W_])|{_HUMP})"
_BEFORE = re.compile(
    rf"(?:{_STARTS}(?:{_WORDS}|ph|direct(?: line| dial)?|call|contact|reach|dial|ring|text|"
    r"anrufen|rufen sie|erreichen sie|appele[rz]|ll[aá]m[ae]\w{0,4}|chiam\w{1,4}|ligue)"
    rf"{_ENDS}|{_UNSPACED})[^\d\n]{{0,20}}\Z",
    re.IGNORECASE,
)
# "M: 0176 123456", as under a letter.
_INITIAL = re.compile(
    r"(?:^|[\n|,;·•/(]) {0,2}(?:(?:P|T|M|F|D|C|O|W|H|Ph)[:.] {0,2}|[PTMF] {1,2})\Z"
)
_AFTER = re.compile(
    rf"[ -]{{0,2}}\(?(?:(?:{_WORDS})\b|{_UNSPACED}|(?:call|text|ring) (?:me|us)\b)|"
    rf" (?:by|per|via|por|par) (?:{_WORDS})\b| as (?:my|his|her|our|their|your) (?:\w+ )?number\b|"
    rf",? (?:is|ist|es|est) (?:my|his|her|our|their|the) (?:\w+ )?(?:{_WORDS}|number)\b",
    re.IGNORECASE,
)
# Words of the same sentence that speak of calling somebody ..
_SPOKEN_OF = re.compile(
    rf"{_UNSPACED}|{_STARTS}(?:{_WORDS}|call(?:ed|ing|s|back)?|contact(?:ed)?|"
    r"reach(?:ed|able)?|dial(?:l?ed|l?ing)?|"
    r"r[aiu]ng|answer(?:ed|ing|s)?|pick(?:ed|ing|s)? up|text(?:ed|ing|s)?|messag(?:es?|ed|ing)|"
    r"anruf\w{0,3}|rufen sie|erreich\w{0,3}|appele[rz]|appelle[rz]?|ll[aá]m\w{1,5}|chiam\w{1,5}|"
    r"(?:my|his|her|your|our|their|new|old|work|home|private|this|contact) number|"
    r"(?:mein\w{0,2}|unsere|mon|son|notre|mi|su|il mio|mio|meu|mijn|mitt?) "
    r"(?:nummer|numéro|número|numero)|"
    rf"find (?:me|us)){_ENDS}",
    re.IGNORECASE,
)
# .. and what then stands right before a number that has no groups.
_AT = re.compile(
    r"\b(?:at|on|to|under|via|is|was|dial\w*|registered|number|unter|au|le|el|al|est|es|è|ist)"
    r"[ :,]{1,2}\Z|[:?]\s{0,2}\Z",
    re.IGNORECASE,
)
# A piece of every word of these patterns: where none is, which is quick to know, none matches.
_MAY_SAY = re2.compile(
    r"(?i)phone|t[eé]l|m[oó][bv]|cel|fax|what|sms|line|voice|page|switch|toll|desk|office|hand|fon|"
    r"port|tlf|puhe|ph|direct|call|contact|reach|dial|r[aiu]ng|text|ruf|reich|appel|ll[aá]m|chiam|"
    r"ligue|answer|pick|messag|n[uú]m|find|[^\x00-\xff]"
)
_SENTENCE_END = re.compile(r"[.!;]\s|\n\n|[|\t]")  # what follows a question may answer it
# A line that says something of its own before the number does not go on with the line above.
_OWN_LINE = re.compile(r"\n(?=[^\n]*\w)(?![a-z ,]*\Z)")
_FIELD = re.compile(r"[\"'],? ?[\"'][\w .-]{1,40}[\"'] ?: ?")
_LOOK_BACK, _SENTENCE = 40, 90


def names_phones(title: str) -> bool:
    """Whether a column with this title holds phone numbers."""
    return _announces(title)


def is_announced(text: str, start: int, end: int) -> bool:
    """Whether a word right before or behind text[start:end] says that it is a phone's."""
    return _announces(text[max(0, start - _LOOK_BACK) : start]) or bool(_AFTER.match(text, end))


def _announces(before: str) -> bool:
    return bool(_MAY_SAY.search(before)) and _BEFORE.search(before) is not None


def is_initialled(text: str, start: int) -> bool:
    """Whether a letter in front of `start` stands for "phone", "mobile" or the like."""
    return _INITIAL.search(text, max(0, start - _LOOK_BACK), start) is not None


def is_spoken_of(text: str, start: int, *, is_grouped: bool) -> bool:
    """Whether the sentence in front of `start` speaks of calling somebody."""
    before = text[max(0, start - _SENTENCE) : start]
    if not _MAY_SAY.search(before):
        return False
    for cut in (_SENTENCE_END, _OWN_LINE, _FIELD):
        places = [match.start() for match in cut.finditer(before)]
        before = before[places[-1] :] if places else before
    return bool(_SPOKEN_OF.search(before) and (is_grouped or _AT.search(before)))


def is_labelled(text: str, start: int) -> bool:
    """Whether the words in front say that the number is that of a thing."""
    before = text[max(0, start - _LOOK_BACK) : start]
    label = Label(before)
    if label.is_thing or label.is_record:
        return True
    return label.is_counted and not _announces(before)
