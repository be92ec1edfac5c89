"""Words that say the opposite of one another: a text that swaps them says something else.

Only plain opposites: in "rose" for "fell" there is no doubt, "good" for "cheap" is none of it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from metrics.quality import text as texts

# Words in groups; each group of the left is opposed to the one on its right.
# A line that starts with a space goes on.
_ENGLISH: Final = """
increase increased increases increasing rise rose risen rising grew grow grown growth gain gained
 / decrease decreased decreases decreasing fall fell fallen falling decline declined shrank
 shrink drop dropped lost
more greater higher larger bigger longer above over exceed exceeded
 / less fewer lower smaller shorter below under
most highest largest biggest longest maximum best / least lowest smallest shortest minimum
 fewest worst
first earliest / last latest final
before prior earlier preceding / after following later since
early / late
north northern / south southern
east eastern / west western
left / right
open opened opening opens / close closed closing closes
begin began begun start started starts launch launched / end ended ends finish finished stop
 stopped
win won wins winning defeat defeated beat / lose lost loses losing
accept accepted accepts approve approved approves agree agreed
 / reject rejected rejects refuse refused refuses deny denied denies decline declined disagree
 disagreed
allow allowed allows permit permitted permits enable enabled enables include included includes
 including
 / forbid forbidden forbids prohibit prohibited prohibits ban banned disable disabled exclude
 excluded excludes excluding
require required requires mandatory / optional
support supported supports favour favor favoured favored / oppose opposed opposes
buy bought buys purchase purchased acquire acquired / sell sold sells
import imported imports / export exported exports
love loved loves like liked / hate hated hates dislike disliked
success succeed succeeded successful / failure fail failed fails unsuccessful
positive / negative
male man men boy boys / female woman women girl girls
he him his / she her hers
uncle / aunt
king / queen
actor / actress
brother / sister
son / daughter
father / mother
husband / wife
father / mother son
son / daughter father
brother / sister
parent parents / child children
born birth / died death dead
alive / dead died
young younger youngest / old older oldest elder
new newer newest / old older oldest
high / low
long / short
large big / small little
hot warm / cold cool
fast quick quickly faster / slow slowly slower
rich wealthy / poor
strong stronger / weak weaker
heavy heavier / light lighter
public / private
domestic / foreign international
major majority / minor minority
all every always / none never some few
always / never sometimes rarely
often frequently common / rarely seldom rare
inside internal indoor / outside external outdoor
upper top / lower bottom
up / down
true correct / false incorrect wrong
guilty convicted / innocent acquitted
safe / dangerous unsafe
same similar identical / different
join joined / leave left quit
arrive arrived / depart departed leave left
enter entered / exit exited leave left
enter entered / leave left
add added adds / remove removed removes
create created build built / destroy destroyed demolish demolished
cause caused causes / prevent prevented prevents
improve improved improves better / worsen worsened worse
cheap cheaper / expensive costly
free / paid
won / lost
teacher / student
employer / employee
buyer customer / seller vendor
lend lent / borrow borrowed
give gave given gives send sent sends / receive received receives take took taken get got
attack attacked / defend defended
victory / defeat
profit profits / loss losses
summer / winter
spring / autumn
morning / evening
day / night
minimum / maximum
odd / even
easy easier / hard harder difficult
full / empty
thick / thin
deep / shallow
wide / narrow
wet / dry
clean / dirty
present / absent
past / future
ancient / modern
single / married
promote promoted / demote demoted
hire hired appoint appointed / fire fired dismiss dismissed resign resigned
ascend / descend
expand expanded / contract contracted
"""
_OTHERS: Final = {
    "german": """
steigen stieg gestiegen wachsen wuchs zunahme mehr höher größer / sinken sank gesunken fallen
 fiel abnahme weniger niedriger kleiner
vor vorher früher / nach nachher später
erste ersten erster / letzte letzten letzter
immer / nie niemals
öffnen öffnet geöffnet / schließen schließt geschlossen
gewann gewonnen / verlor verloren
nord norden nördlich / süd süden südlich
osten östlich / westen westlich
erlaubt / verboten
""",
    "french": """
augmenter augmenté hausse plus supérieur / diminuer diminué baisse moins inférieur
avant / après
premier première / dernier dernière
toujours / jamais
nord / sud
gagné / perdu
autorisé permis / interdit
ouvert / fermé
""",
    "spanish": """
aumentar aumentó subió más mayor / disminuir disminuyó bajó menos menor
antes / después
primero primera / último última
siempre / nunca
norte / sur
ganó / perdió
permitido / prohibido
abierto / cerrado
""",
}
_PREFIXES: Final = ("un", "non")  # "in" also makes "inform" of "form", "dis" "discover"
_MIN_PREFIXED = 4


def _table(language: str) -> str:
    return _ENGLISH if language == "english" else _OTHERS.get(language, "")


@cache
def opposed_words(language: str) -> frozenset[str]:
    """Return all words that have an opposite."""
    return frozenset(_table(language).replace("/", " ").split())


@cache
def _opposites(language: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _table(language).replace("\n ", " ").strip().splitlines():
        left, _, right = line.partition("/")
        ours, theirs = (
            {texts.stem(language, word) for word in side.split()} for side in (left, right)
        )
        for word in ours - theirs:
            found.setdefault(word, set()).update(theirs - ours)
        for word in theirs - ours:
            found.setdefault(word, set()).update(ours - theirs)
    return {word: frozenset(others) for word, others in found.items()}


def opposite_in(stem: str, others: frozenset[str] | set[str], language: str) -> bool:
    """Whether some stem of `others` says the opposite of this one."""
    opposites = _opposites(language).get(stem)
    if opposites is not None and not opposites.isdisjoint(others):
        return True
    if language != "english" or len(stem) < _MIN_PREFIXED:
        return False
    for prefix in _PREFIXES:
        if prefix + stem in others:
            return True
        if stem.startswith(prefix) and len(stem) - len(prefix) >= _MIN_PREFIXED:
            return stem[len(prefix) :] in others
    return False
