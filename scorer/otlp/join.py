"""Joins spans or log records to a request again: the other way of `split`."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Final

from scorer.model.trace import Envelope, Item
from scorer.otlp.wire import length_delimited

_RESOURCES: Final = 1
_RESOURCE, _SCOPES = 1, 2
_SCOPE, _ITEMS = 1, 2


def join(items: Iterable[Item]) -> bytes:
    """Return an Export*ServiceRequest of these items, in their order.

    Spans make one of traces, log records one of logs: the two have the same form.
    """
    return b"".join(
        length_delimited(_RESOURCES, _resource_items(envelope, [wire for wire, _ in group]))
        for envelope, group in groupby(items, itemgetter(1))
    )


def _resource_items(envelope: Envelope, wires: list[bytes]) -> bytes:
    scope = length_delimited(_SCOPE, envelope.scope) if envelope.scope else b""
    items = b"".join([length_delimited(_ITEMS, wire) for wire in wires])
    scoped = length_delimited(_SCOPES, scope + items + envelope.scope_rest)
    resource = length_delimited(_RESOURCE, envelope.resource) if envelope.resource else b""
    return resource + scoped + envelope.resource_rest
