"""A closed trace, ready to be passed on."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scorer.model.trace import ClosedTrace, Item
from scorer.otlp.annotate import encode_attributes, without
from scorer.otlp.attributes import AttributeValue
from scorer.sinks.otlp.packing import packed
from scorer.sinks.otlp.parcel import Parcel
from scorer.sinks.otlp.score_attributes import NOTHING, Outdated


class OutgoingTrace(NamedTuple):
    """What is sent of a trace; the parcels are made when there is room for them.

    Its spans from `first_span` on, its log records from `first_log` on. The span at `root`
    (None = no span) is `root_wire` with `attributes`, as bytes.
    """

    trace: ClosedTrace
    first_span: int = 0
    first_log: int = 0
    root: int | None = None
    root_wire: bytes = b""
    attributes: bytes = b""

    @property
    def added_bytes(self) -> int:
        """The bytes that are held for it beside those of the trace."""
        is_own = self.root is not None and self.root_wire is not self.trace.spans[self.root]
        return len(self.attributes) + (len(self.root_wire) if is_own else 0)

    def parcels(self) -> Iterator[Parcel]:
        """Return the spans, then the log records."""
        trace = self.trace
        yield from packed("traces", self._spans())
        yield from packed(
            "logs", list(zip(trace.logs, trace.log_envelopes, strict=True))[self.first_log :]
        )

    def _spans(self) -> list[Item]:
        trace, first = self.trace, self.first_span
        spans = list(zip(trace.spans[first:], trace.span_envelopes[first:], strict=True))
        if self.root is not None:
            spans[self.root] = (self.root_wire + self.attributes, spans[self.root][1])
        return spans


def whole(
    trace: ClosedTrace,
    attributes: Mapping[str, AttributeValue],
    root: int | None,
    outdated: Outdated = NOTHING,
) -> OutgoingTrace:
    """Return all of a trace, with attributes on the span at `root`, in place of outdated ones."""
    if root is None or not attributes:
        return OutgoingTrace(trace)
    wire = without(trace.spans[root], {*attributes, *outdated.keys}, outdated.prefixes)
    return OutgoingTrace(trace, root=root, root_wire=wire, attributes=encode_attributes(attributes))


def news_of(trace: ClosedTrace) -> OutgoingTrace:
    """Return what no earlier revision had, unchanged."""
    spans, logs = len(trace.spans), len(trace.logs)
    return OutgoingTrace(trace, spans - trace.fresh_spans, logs - trace.fresh_logs)


def is_whole(trace: ClosedTrace) -> bool:
    """Whether nothing of a trace was sent before, as far as this process knows."""
    fresh = trace.fresh_spans, trace.fresh_logs
    return trace.revision == 1 or fresh == (len(trace.spans), len(trace.logs))
