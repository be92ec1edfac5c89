"""Traces in which no dialect was recognised: what their spans look like instead."""

from collections import Counter
from collections.abc import Iterable, Iterator

from scorer.cli.output import counted
from scorer.model.trace import Trace

_SHOWN = 5


class ForeignSpans:
    """Counts the instrumentation scopes and the key prefixes of spans that nobody reads."""

    def __init__(self) -> None:
        self._traces = 0
        self._scopes: Counter[str] = Counter()
        self._prefixes: Counter[str] = Counter()

    def add(self, trace: Trace) -> None:
        """Take a trace of which no dialect knows anything."""
        self._traces += 1
        for span in trace.spans:
            self._scopes[span.scope.name or "(none)"] += 1
            self._prefixes.update({_prefix(key) for key in span.attributes})

    def advice(self) -> Iterator[str]:
        """Return what was seen, if anything was."""
        if self._traces:
            yield (
                f"{counted(self._traces, 'trace')} of no known dialect, so no content is read "
                f"(scopes: {_most(self._scopes)}; attribute keys: {_most(self._prefixes)}); "
                "known are the OpenTelemetry GenAI conventions, OpenInference and OpenLLMetry: "
                "instrument the agent with one of these, or add a dialect"
            )


def _prefix(key: str) -> str:
    head, dot, _ = key.partition(".")
    return f"{head}.*" if dot else head


def _most(counts: Counter[str]) -> str:
    names: Iterable[str] = (name for name, _ in counts.most_common(_SHOWN))
    return ", ".join(names) or "none"
