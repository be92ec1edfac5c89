"""What stands in the scores file, read as someone who relies on it would."""

import json
from collections import defaultdict
from typing import NamedTuple


class Emitted(NamedTuple):
    """One revision of a trace, as its scores say."""

    revision: int
    span_count: int
    reason: str
    root_present: bool


class Scores:
    """The rows of a scores file; a line that a crash cut off counts as not written."""

    def __init__(self, folder):
        self.rows = []
        for line in (folder / "scores.jsonl").read_text().splitlines():
            try:
                self.rows.append(json.loads(line))
            except json.JSONDecodeError:
                continue

    def revisions(self, trace_id):
        """Return what was emitted of a trace, each revision once, in order."""
        found = {_emitted(row) for row in self.rows if row["trace_id"] == trace_id}
        return sorted(found)

    def of_traces(self):
        """Return the revisions of all traces by their id."""
        found = defaultdict(set)
        for row in self.rows:
            found[row["trace_id"]].add(_emitted(row))
        return {trace_id: sorted(revisions) for trace_id, revisions in found.items()}

    @property
    def repeated(self):
        """How many rows repeat an earlier one, as may be when a crash came between two steps."""
        return len(self.rows) - len({row["id"] for row in self.rows})

    def assert_one_value_each(self):
        """No score id was emitted with two values, and no revision with two span counts."""
        values = defaultdict(set)
        for row in self.rows:
            said = [row[name] for name in ("value", "label", "status", "reason", "close_reason")]
            said.append(row["completeness"]["span_count"])
            values[row["id"]].add(json.dumps(said))
        assert [said for said in values.values() if len(said) > 1] == []


def _emitted(row):
    completeness = row["completeness"]
    return Emitted(
        row["revision"],
        completeness["span_count"],
        row["close_reason"],
        completeness["root_present"],
    )
