"""How much of an answer its contexts support, by words: the work behind two metrics.

An answer is split into claims (see `claims`). A claim is supported when one context alone holds
all its numbers, names, months and addresses, and at least 60 % of its content words.

- Content words are compared by stem, in the language that the function words suggest.
- Numbers compare by value and by what they count (see `quantities` and `passages`): "1,000",
  "1000" and "1000.0" are one, "two" is 2, "1.5 million" is 1,500,000; 5 kg are not 5 lbs, and
  where a context speaks of a two-year warranty there is no three-year one. A number that the
  user's question gave is no invention, unless the context gives another for the same thing.
- Names are words with an upper-case letter, except a sentence's first word (it may be any
  word), unless it holds more than one capital or a digit. German capitalises every noun, so
  there only the latter count as names.

It knows no synonyms and no negation: a fluent lie in the words of its source passes.
"""

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from metrics.privacy.masking import quoted
from metrics.quality import text as texts
from metrics.quality.claims import Terms, claims_of
from metrics.quality.passages import Passage, passage_of
from metrics.quality.quantities import Quantity
from scorer.api import AgentTrace, Unscored

SUPPORT_SHARE = 0.6

_MAX_SHOWN = 10
_MAX_SHOWN_LENGTH = 199


class Grounding(Struct, frozen=True):
    """How many claims an answer makes, how many are supported, and (some of) the others.

    `unclaimed` counts the sentences that claim nothing, `unread` those beyond the first 500.
    """

    claims: int
    supported: int
    unsupported: tuple[str, ...] = ()
    unclaimed: int = 0
    unread: int = 0

    @property
    def share(self) -> float:
        """Supported claims / claims; 1.0 without a claim."""
        return self.supported / self.claims if self.claims else 1.0


# Two metrics ask for the same grounding.
@lru_cache(maxsize=4)
def ground(answer: str, contexts: tuple[str, ...], given: str = "") -> Grounding:
    """Look each claim of an answer up in the contexts; `given` is what the user said."""
    language = texts.language_of(answer, contexts[0])
    passages = [passage_of(context, language) for context in contexts]
    told = passage_of(given, language) if given else None
    made = claims_of(answer, language)
    missed = [
        claim.text
        for claim in made.claims
        if not any(supports(passage, claim.terms, told) for passage in passages)
    ]
    shown = tuple(quoted(" ".join(text.split()), _MAX_SHOWN_LENGTH) for text in missed[:_MAX_SHOWN])
    total = len(made.claims)
    return Grounding(total, total - len(missed), shown, made.unclaimed, made.unread)


def supports(passage: Passage, terms: Terms, given: Passage | None = None) -> bool:
    """Whether one passage holds all that is required and 60 % of the content words."""
    # In the order of what it costs to find out.
    if not all(map(passage.has, terms.names)):
        return False
    # What is required counts as content too, as found: without it there is no support.
    required = terms.count - len(terms.words)
    if required + sum(map(passage.has, terms.words)) < SUPPORT_SHARE * terms.count:
        return False
    return (
        all(map(passage.has_month, terms.months))
        and all(_has_address(passage, address, given) for address in terms.addresses)
        and all(_has_number(passage, number, given) for number in terms.numbers)
    )


def _has_number(passage: Passage, number: Quantity, given: Passage | None) -> bool:
    amounts = passage.amounts
    if amounts.denies(number):
        return False
    return amounts.confirms(number) or (given is not None and given.amounts.gives(number))


def _has_address(passage: Passage, address: str, given: Passage | None) -> bool:
    return passage.has_address(address) or (given is not None and given.has_address(address))


def context_texts(trace: AgentTrace) -> tuple[str, ...] | Unscored:
    """Return the texts of the trace's contexts, or why there are none."""
    if not trace.contexts:
        return Unscored("no_contexts")
    found = tuple(item.text for item in trace.contexts if item.text and item.text.strip())
    return found or Unscored("context_text_not_captured")


def grounding_of(trace: AgentTrace) -> Grounding | Unscored:
    """Return the grounding of the trace's answer, or why there is none."""
    if trace.answer is None:
        return Unscored("no_answer")
    contexts = context_texts(trace)
    if isinstance(contexts, Unscored):
        return contexts
    grounding = ground(trace.answer, contexts, _given(trace))
    return grounding if grounding.claims else Unscored("no_claims")


def _given(trace: AgentTrace) -> str:
    """Return the question, and the ids of the documents: an answer may cite their addresses."""
    ids = [item.id for item in trace.contexts or () if item.id]
    return "\n".join([trace.question or "", *ids])


def explain(grounding: Grounding) -> str:
    """Name the unsupported sentences in one line."""
    counts = f"{grounding.supported} of {grounding.claims} claims are supported"
    if not grounding.unsupported:
        return f"{counts} by a context"
    return f"{counts}; not by any context: {_quoted(grounding.unsupported[:3])}"


def detail(grounding: Grounding) -> dict[str, object]:
    """Return the counts and at most ten unsupported sentences, masked and cut."""
    found: dict[str, object] = {
        "claims": grounding.claims,
        "supported": grounding.supported,
        "no_claim": grounding.unclaimed,
        "unsupported": list(grounding.unsupported),
    }
    if grounding.unread:
        found["unread"] = grounding.unread
    return found


def _quoted(sentences: Sequence[str]) -> str:
    return "; ".join(f'"{sentence}"' for sentence in sentences)
