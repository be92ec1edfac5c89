"""What was counted of each trace, so that a revision of it adds only what is new.

A name that is counted (a tool, a type of finding) may be as long as its sender likes and a trace
may hold many, so a name is kept as its hash: 64 bits that nobody outside can predict. Two names
that fall together would make a trace count too little, never too much.
"""

from collections import OrderedDict

import msgspec

from scorer.model.score import ScoredTrace

# As many as the spans kept for late ones (64 MiB) can be of, at 1.3 KiB for the smallest trace.
# With the bytes below that takes 25 MB at most.
_MAX_TRACES = 50_000
# Of all amounts. A usual trace takes 100 bytes, one of 100 tools 1.5 KB.
_MAX_BYTES = 8 * 2**20
# Of one trace. A single scoring has less than 200; revisions might add others without end.
_MAX_AMOUNTS = 1_000
# More than any trace can use or cost. A sender that claims more must not ruin a counter for good.
_IMPLAUSIBLE = 1e15

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[int, float])


class Counted:
    """The largest amount of each thing that was counted of one trace."""

    __slots__ = ("amounts",)

    def __init__(self, amounts: dict[int, float] | None = None) -> None:
        self.amounts = {} if amounts is None else amounts

    def grow(self, *name: str, to: float = 1) -> float:
        """Return by how much an amount is above the largest so far, which it becomes.

        What is not above it, or is beyond all reason, adds 0.
        """
        key = hash(name)
        before = self.amounts.get(key, 0)
        if not before < to < _IMPLAUSIBLE:
            return 0
        self.amounts[key] = to
        return to - before


class CountedTraces:
    """What was counted of the last traces; the one that was scored longest ago goes first."""

    def __init__(self, max_traces: int = _MAX_TRACES, max_bytes: int = _MAX_BYTES) -> None:
        self._max_traces = max_traces
        self._max_bytes = max_bytes
        # A plain dict would look for its oldest entry among all that have left.
        self._traces: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._bytes = 0

    def take(self, trace: ScoredTrace) -> Counted | None:
        """Return what was counted of a trace: nothing of a new one, None = it is forgotten."""
        data = self._traces.pop((trace.tenant, trace.trace_id), b"")
        self._bytes -= len(data)
        if trace.revision == 1:
            return Counted()
        return Counted(_decoder.decode(data)) if data else None

    def keep(self, trace: ScoredTrace, counted: Counted) -> None:
        """Remember what was counted of a trace, until the bounds are reached."""
        if len(counted.amounts) > _MAX_AMOUNTS:
            return
        data = _encoder.encode(counted.amounts)
        self._traces[trace.tenant, trace.trace_id] = data
        self._bytes += len(data)
        while len(self._traces) > self._max_traces or self._bytes > self._max_bytes:
            self._bytes -= len(self._traces.popitem(last=False)[1])
