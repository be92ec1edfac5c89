"""What spans spend of a privacy budget, by our own attributes.

No convention has attributes for differential privacy, so they are ours: `spanscore.privacy.epsilon`
and `.delta` on the span that asks the data, each span for itself. Whose budget it is
(`spanscore.privacy.principal`, else the user of the trace) and of which data
(`spanscore.privacy.dataset`) may stand on that span or on one around it.
"""

import math
from collections.abc import Sequence
from typing import Any

from scorer.dialects.tree import Node
from scorer.dialects.values import first_id, real
from scorer.model.agent_trace import Spending

_PREFIX = "spanscore.privacy."
_EPSILON = _PREFIX + "epsilon"
_DELTA = _PREFIX + "delta"
_PRINCIPAL = _PREFIX + "principal"
_DATASET = _PREFIX + "dataset"


def find_spending(nodes: Sequence[Node], user: str | None) -> tuple[Spending, ...]:
    """Return what the spans spend; `user` is whose trace it is."""
    spenders = [n for n in nodes if _EPSILON in n.span.attributes or _DELTA in n.span.attributes]
    if not spenders:  # nearly always
        return ()
    principals, datasets = _nearest(nodes, _PRINCIPAL), _nearest(nodes, _DATASET)
    return tuple(
        [
            Spending(
                span_id=node.span.span_id,
                epsilon=_number(node.span.attributes.get(_EPSILON)),
                delta=_number(node.span.attributes.get(_DELTA)),
                principal=principals[id(node)] or user,
                dataset=datasets[id(node)],
                end_ns=node.span.end_ns,
            )
            for node in spenders
        ]
    )


def _nearest(nodes: Sequence[Node], key: str) -> dict[int, str | None]:
    """Return for each node the id that stands on it, else on the nearest span around it."""
    found: dict[int, str | None] = {}
    for node in nodes:  # parents come first
        around = found.get(id(node.parent))
        found[id(node)] = first_id(node.span.attributes, key) or around
    return found


def _number(value: Any) -> float | None:
    """Return a finite number, None for nothing, NaN for what is no number."""
    if value is None:
        return None
    number = real(value)
    return math.nan if number is None else number
