"""What a trace adds to accounts that outlive it, such as a privacy budget."""

from typing import Any

from msgspec import Struct


class Entry(Struct, frozen=True, array_like=True, gc=False):
    """What one span adds to one account.

    `account` names it by parts, a data set and a principal for one; accounts of two tenants or
    two metrics are never the same. `amounts` are whole numbers by name, below 2**63: sums of them
    do not depend on their order. A span is booked once, however often it comes. An account that is
    for a time `ends` with it, Unix seconds, and may be dropped a day later; 0 = it is for good.
    """

    account: tuple[str, ...]
    span_id: str
    amounts: dict[str, int]
    ends: int = 0


class Entries(Struct, frozen=True, array_like=True):
    """All that one trace adds; `detail` is JSON-ready and goes on to the measurement."""

    entries: tuple[Entry, ...]
    detail: dict[str, Any] | None = None


class Posting(Struct, frozen=True, array_like=True):
    """The entries that a metric found, on their way to the accounts."""

    metric: str
    entries: Entries


class Balance(Struct, frozen=True, gc=False):
    """An account after a trace: its totals by name, and what of them this trace added."""

    account: tuple[str, ...]
    totals: dict[str, int]
    added: dict[str, int]
