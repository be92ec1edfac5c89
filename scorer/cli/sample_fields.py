"""Fields of a sample that nobody reads: a misspelt one must not look like a missing answer."""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

_MEANT: Final[Mapping[str, str]] = {
    "context": "contexts",
    "retrieved_contexts": "contexts",
    "documents": "contexts",
    "passages": "contexts",
    "ground_truth": "expected",
    "ground_truths": "expected",
    "reference": "expected",
    "reference_answer": "expected",
    "expected_answer": "expected",
    "expected_output": "expected",
    "target": "expected",
    "reference_contexts": "expected_contexts",
    "output": "answer",
    "response": "answer",
    "completion": "answer",
    "prediction": "answer",
    "input": "question",
    "query": "question",
    "prompt": "question",
    "user_input": "question",
    "tools": "tool_calls",
    "cost": "cost_usd",
    "tokens": "usage",
}
_STORED_SPANS: Final = frozenset(
    {
        "resourceSpans",
        "resourceLogs",
        "resourceMetrics",
        "resource_spans",
        "resource_logs",
        "scopeSpans",
        "batches",
        "traceID",
    }
)
_MAX_TOLD: Final = 20

Shape = Mapping[str, frozenset[str]]
"""The known fields of a sample (key "") and of each of its parts (key = the field)."""


class UnknownFields:
    """Tells of each unknown field once, and of at most 20."""

    def __init__(self, shape: Shape, tell: Callable[[str], None]) -> None:
        self._shape = shape
        self._tell = tell
        self._told: set[str] = set()

    def check(self, document: Mapping[str, Any], line: int) -> None:
        """Tell what is new in a sample."""
        for part, name in self._unknown(document):
            path = f"{part}.{name}" if part else name
            if path in self._told or len(self._told) >= _MAX_TOLD:
                continue
            self._told.add(path)
            known = self._shape[part]
            self._tell(f"line {line}: field {path!r} is not read{did_you_mean(name, known)}")
            if len(self._told) == _MAX_TOLD:
                self._tell("further fields that are not read are not told")

    def _unknown(self, document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        yield from (("", name) for name in document if name not in self._shape[""])
        for part, known in self._shape.items():
            value = document.get(part)
            for item in value if isinstance(value, list) else [value]:
                if part and isinstance(item, dict):
                    yield from ((part, name) for name in item if name not in known)


def did_you_mean(name: str, known: frozenset[str]) -> str:
    """Return a hint for an unknown name, "" where none is likely."""
    meant = _MEANT.get(name.lower())
    if meant not in known:
        meant = next(iter(get_close_matches(name.lower(), sorted(known), n=1)), None)
    return f"; did you mean {meant!r}?" if meant else ""


def why_no_sample(document: Mapping[str, Any]) -> str:
    """Say what an object without any field of a sample is."""
    if _STORED_SPANS & document.keys():
        return "these are stored spans, not a sample; use `spanscore replay` for them"
    names = ", ".join(repr(name) for name in list(document)[:5])
    return (
        f"it has no field of a sample (its fields: {names or 'none'}); see spanscore score --help"
    )
