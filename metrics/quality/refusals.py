"""Phrases by which an answer claims nothing: admissions of ignorance, apologies, courtesies.

They exempt the clause they stand in, not the facts beside it.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate

import re2

_SOURCE = (
    r"(?:context|documents?|information|sources?|passages?|text|articles?|search results?|data)"
)
_LACKS = r"(?:mention|contain|include|specify|say|state|provide|cover|give|indicate|answer|address)"
_FAILS = (
    r"(?:know|have|find|found|see|seen|answer|access|provide|determine|help|assist|confirm|"
    r"verify|locate|tell|say|discuss|share)"
)
_ABOUT = r"(?:is|was|are|were|on|about|of|in|regarding|available)"
_TOLD = r"(?:mentioned|specified|stated|provided|found|given|covered|included|available|contained)"
_GIVEN = r"(?:provided |given |available |retrieved |above )*"
_FUENTE = r"(?:informaci[oó]n|documentos?|contexto|fuentes?|textos?)"
_NOT = r"(?:do|does|did|is|are|was|were|can|could|would|have|has)(?:n't|n’t| not)"

# One alternative a line.
_PHRASES = rf"""
let me know|feel free|hope (?:this|that) helps|happy to (?:help|assist)|glad to (?:help|assist)
(?:any|more|further|other|additional) questions|anything else (?:i|you)
(?:need|want|like|require) (?:any |more |further )(?:help|assistance|information|details)
i(?:'m|’m| am| was|'ve been|’ve been)(?: very| so| truly| really)? (?:sorry|afraid|not sure|unsure)
i(?:'m|’m| am| was|'ve been|’ve been) (?:unable|not able|not aware|not certain)
(?:i|we)(?:'ve|’ve| have)? (?:found|find|see|saw|have|had|know) (?:no|nothing|little)\b
(?:i|we)(?: {_NOT}| cannot| can't| can’t)(?: \w+)? {_FAILS}
{_SOURCE}(?: \w+){{0,2}} (?:{_NOT}(?: \w+)? {_LACKS}|lacks?)
no (?:relevant |such |specific |further )*(?:information|mention|details) {_ABOUT}
(?:not enough|insufficient|lack of|lacks) information
(?:not|\w+n't|\w+n’t) (?:\w+ )?{_TOLD}?(?: ?in| ?by) (?:the |my |your |any )?{_GIVEN}{_SOURCE}
can(?:not|'t|’t)(?: \w+)? be (?:determined|answered|verified|confirmed)
as an ai\b|(?:i am|i'm|i’m)(?: just| only)? (?:an? )?(?:ai|language model|assistant)
(?:kann|konnte|weiß|weiss|habe|finde|darf) (?:ich|wir)(?: [^.;]{{0,80}})? (?:nichts?|kein\w*)
(?:ich|wir) (?:kann|können|konnte|weiß|weiss|habe|finde)(?: [^.;]{{0,80}})? (?:nichts?|kein\w*)
(?:keine|nicht genügend|nicht genug) (?:\w+ )?(?:angaben?|information(?:en)?|hinweise)
(?:dokument\w*|kontext|quellen?|text\w*|unterlagen)\b[^.;]{{0,60}}\b(?:nichts?|keine?)\b
(?:je|nous) n(?:e |['’])[^.;]{{0,60}}\b(?:pas|rien|aucun\w*)\b
aucune (?:\w+ )?(?:information|mention|donnée)
(?:documents?|contexte|sources?|textes?)\b[^.;]{{0,40}}\bn(?:e |['’])[^.;]{{0,40}}\b(?:pas|rien)\b
no (?:lo )?(?:sé|puedo|tengo|encuentro|encontré|dispongo|podemos|tenemos)
no (?:hay|existe|se (?:encuentra|menciona|especifica|indica))\b[^.;]{{0,40}}\b{_FUENTE}
ninguna información|{_FUENTE}\b[^.;]{{0,40}}\bno (?:mencion|contien|especific|indic|inclu|dic)\w*
non (?:lo )?(?:so|posso|ho|trovo|sono in grado|dispongo|possiamo)\b
(?:documenti|documento|contesto|testo)\b[^.;]{{0,40}}\bnon (?:menzion|conten|specific|indic)\w*
nessuna informazione|non ci sono informazioni
não (?:sei|posso|tenho|encontrei|consigo|consegui|disponho|podemos)\b
(?:documentos?|contexto|fontes?|texto)\b[^.;]{{0,40}}\bnão (?:mencion|cont[eé]m|especific|indic)\w*
(?:não há|nenhuma) informaç\w+
(?:ik|we|wij) (?:kan|kon|weet|heb|vind|kunnen|hebben)\b[^.;]{{0,80}}\b(?:niets?|geen)\b
(?:kan|kon|weet|heb|vind) (?:ik|we|wij)\b[^.;]{{0,80}}\b(?:niets?|geen)\b
(?:documenten|document|context|bronnen|tekst)\b[^.;]{{0,60}}\b(?:niets?|geen)\b
geen (?:\w+ )?informatie
"""
_HEDGES = "|".join(_PHRASES.split("\n")[1:-1])
_APOLOGIES = (
    r"(?:i(?:'m|’m| am) )?(?:very |so |truly |really )?(?:sorry|afraid)|apologies|"
    r"i apologi[sz]e|(?:es )?tut mir (?:sehr |wirklich )?leid|entschuldigung|leider|"
    r"je suis (?:vraiment )?désolée?|désolée?|malheureusement|lo siento(?: mucho)?|"
    r"lamentablemente|desafortunadamente|mi dispiace|purtroppo|desculpe|sinto muito|lamento|"
    r"infelizmente|het spijt me|helaas|unfortunately|regrettably"
)
_HEDGE = re2.compile(rf"(?i)\b(?:{_HEDGES})")
_EXEMPTING = re2.compile(rf"(?i)\b(?:{_HEDGES}|{_APOLOGIES})")
_APOLOGY = re.compile(
    rf"\W*(?:{_APOLOGIES})\b"
    r"(?P<more> (?:to|for|about|that (?:i|you|we)|für|pour|por|per|voor)\b)?"
    r"[\s,:;.!–—-]*(?:(?:but|aber|mais|pero|ma|mas|maar|that|dass)\b)?[\s,]*",
    re.IGNORECASE,
)
_TURN = re.compile(
    r" ?(?:[;:]|[–—]| -) |,? (?:but|however|yet|although|though|nevertheless|aber|jedoch|"
    r"allerdings|sondern|obwohl|mais|cependant|toutefois|pero|sin embargo|aunque|però|tuttavia|"
    r"mas|porém|contudo|maar|echter)[, ]",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r", (?:(?:and|while|whereas|so|because|und|et|y|e|en) )?"
    r"(?=(?:the|its?|this|these|they|he|she|you|your|there|der|die|das|er|sie|es|le|la|les|il|"
    r"elle|ils|el|los|las|lo|os|as|het|de) )",
    re.IGNORECASE,
)


def is_hedge(clause: str) -> bool:
    """Whether a clause admits ignorance or is a courtesy."""
    return _HEDGE.search(clause) is not None


def may_exempt(sentences: Sequence[str]) -> set[int]:
    """Return the places of the sentences that may have a hedge or an apology."""
    # A search in all of them is far cheaper than one in each; most answers exempt nothing.
    matches = list(_EXEMPTING.finditer("\n".join(sentences)))
    ends = list(accumulate(len(sentence) + 1 for sentence in sentences)) if matches else []
    found: set[int] = set()
    for match in matches:
        first, last = bisect(ends, match.start()), bisect(ends, match.end() - 1)
        found.update(range(first, last + 1))
    return found


def without_apology(sentence: str) -> str:
    """Return a sentence without the apology at its start; "" if it only says what for."""
    match = _APOLOGY.match(sentence)
    if match is None:
        return sentence
    return "" if match.group("more") else sentence[match.end() :]


def turns(sentence: str) -> list[str]:
    """Return the parts of a sentence between which it may turn ("but")."""
    return _parts(_TURN, sentence)


def clauses(part: str) -> list[str]:
    """Return the clauses of a part, as far as commas tell; some may be pieces of a list."""
    return _parts(_NEXT, part)


def _parts(pattern: re.Pattern[str], text: str) -> list[str]:
    return [part for part in pattern.split(text) if part and not part.isspace()]
