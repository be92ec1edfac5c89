"""Known right answers, by case id or by question.

The file holds one JSON object a line: `{"case_id", "question", "answer", "contexts",
"tool_calls", "topics", "caption", "transcript"}`; a row needs `case_id` or `question`.
Questions match exactly after Unicode NFKC, case folding and white-space folding, never
fuzzily: a wrong reference is worse than none.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from scorer.api import AgentTrace, Reference
from scorer.errors import ConfigError


class _Row(Struct, frozen=True):
    case_id: str | None = None
    question: str | None = None
    answer: str | None = None
    contexts: tuple[str, ...] | None = None
    tool_calls: Any = None
    topics: tuple[str, ...] | None = None
    caption: str | None = None
    transcript: str | None = None


_FIELDS = ("answer", "contexts", "tool_calls", "topics", "caption", "transcript")


class ReferenceStore:
    """Finds the reference of a trace that does not carry one itself."""

    def __init__(
        self,
        by_case: Mapping[str, Reference] | None = None,
        by_question: Mapping[str, Reference] | None = None,
    ) -> None:
        self._by_case = by_case or {}
        self._by_question = by_question or {}

    def attach(self, trace: AgentTrace) -> AgentTrace:
        """Return the trace with its reference; one from its own attributes wins."""
        if trace.reference is not None:
            return trace
        found = self._by_case.get(trace.case_id or "")
        if found is None and trace.question is not None and self._by_question:
            found = self._by_question.get(_normal(trace.question))
        return trace if found is None else msgspec.structs.replace(trace, reference=found)


def read_references(path: str | None) -> ReferenceStore:
    """Read a reference file (None = no references).

    Raises:
        ConfigError: the file cannot be read, or a line is not a reference.
    """
    if path is None:
        return ReferenceStore()
    try:
        lines = Path(path).read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"scoring.references.file {path}: {error.strerror}") from error
    return _index(path, lines)


def _index(path: str, lines: Iterable[bytes]) -> ReferenceStore:
    by_case: dict[str, Reference] = {}
    by_question: dict[str, Reference] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=_Row)
        except msgspec.MsgspecError as error:
            raise ConfigError(f"scoring.references.file {path}: line {number}: {error}") from error
        if row.case_id is None and row.question is None:
            raise ConfigError(
                f"scoring.references.file {path}: line {number}: needs case_id or question"
            )
        if all(getattr(row, name) is None for name in _FIELDS):
            raise ConfigError(
                f"scoring.references.file {path}: line {number}: holds none of {', '.join(_FIELDS)}"
            )
        if row.case_id is not None:
            by_case[row.case_id] = _reference(row, "case_id")
        if row.question is not None:
            by_question[_normal(row.question)] = _reference(row, "question")
    return ReferenceStore(by_case, by_question)


def _reference(row: _Row, source: Any) -> Reference:
    return Reference(
        answer=row.answer,
        contexts=row.contexts,
        tool_calls=row.tool_calls,
        topics=row.topics,
        caption=row.caption,
        transcript=row.transcript,
        source=source,
    )


def _normal(question: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", question).casefold().split())
