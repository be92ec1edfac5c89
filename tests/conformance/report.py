"""The report: one line for each case and transport, in the order of the checklist."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

PASS, FAIL, NOT_TESTED = "pass", "FAIL", "not tested"
# A fault that cannot be mended here: told like any other, but the run does not fail by it.
KNOWN = "known fault"

_SECTIONS = {
    "g": "B1 gRPC",
    "h": "B2 HTTP",
    "j": "B3 JSON mapping",
    "c": "B4 Content",
}
_SEEN = 240
_COLOURS = {PASS: "green", FAIL: "red", KNOWN: "red", NOT_TESTED: "yellow"}


class Case(NamedTuple):
    """One thing that is sent over one transport."""

    number: str
    rule: str
    transport: str
    sends: str
    expects: str


class Outcome(NamedTuple):
    """What became of a case; `why` = what was seen, or why it was not tested."""

    case: Case
    verdict: str
    why: str = ""


class Report:
    """Collects outcomes and writes them down: all of them, or the failed ones only."""

    def __init__(self):
        self._outcomes = []
        self.title = ""
        self.in_full = True

    def add(self, case, result):
        """Take the result of one phase of a test."""
        if result.failed:
            self._outcomes.append(Outcome(case, FAIL, _seen(result)))
        elif hasattr(result, "wasxfail"):
            self._outcomes.append(Outcome(case, KNOWN, result.wasxfail.removeprefix("reason: ")))
        elif result.skipped:
            self._outcomes.append(Outcome(case, NOT_TESTED, _reason(result)))
        elif result.when == "call":
            self._outcomes.append(Outcome(case, PASS))

    def write_to(self, terminal):
        """Print the cases and the totals."""
        if not self._outcomes:
            return
        terminal.section(f"OTLP conformance of {self.title}")
        for outcome in self._sorted():
            if self.in_full or outcome.verdict in (FAIL, KNOWN):
                _write(terminal, outcome)
        for name, counts in self._totals():
            terminal.line(f"{name}: {counts}")

    def save(self, path):
        """Write all of it as Markdown."""
        lines = [f"# OTLP conformance of {self.title}", ""]
        lines += ["| section | " + " | ".join(_COLUMNS) + " |", "|---|" + "---|" * len(_COLUMNS)]
        lines += [f"| {name} | {counts.cells()} |" for name, counts in self._totals()]
        for letter, name in _SECTIONS.items():
            rows = [_row(item) for item in self._sorted() if item.case.number[0] == letter]
            if rows:
                lines += ["", f"## {name}", "", *_HEAD, *rows]
        Path(path).write_text("\n".join([*lines, ""]), encoding="utf-8")

    def _sorted(self):
        letters = list(_SECTIONS)
        return sorted(
            self._outcomes,
            key=lambda outcome: (
                letters.index(outcome.case.number[0]),
                int(outcome.case.number[1:]),
            ),
        )

    def _totals(self):
        for letter, name in _SECTIONS.items():
            yield name, Totals.of(o for o in self._outcomes if o.case.number[0] == letter)
        yield "all", Totals.of(self._outcomes)


_COLUMNS = ("cases", "pass", "MUST fails", "SHOULD fails", "not tested")
_HEAD = (
    "| row | rule | transport | sent | expected | verdict |",
    "|---|---|---|---|---|---|",
)


class Totals(NamedTuple):
    """Numbers of cases."""

    cases: int
    passed: int
    must: int
    should: int
    not_tested: int

    @classmethod
    def of(cls, outcomes):
        """Count."""
        keys = Counter(
            o.case.rule.split()[0] if o.verdict in (FAIL, KNOWN) else o.verdict for o in outcomes
        )
        numbers = [keys[key] for key in (PASS, "MUST", "SHOULD", NOT_TESTED)]
        return cls(sum(numbers), *numbers)

    def cells(self):
        """Return them as the cells of a table."""
        return " | ".join(map(str, self))

    def __str__(self) -> str:
        return ", ".join(f"{number} {name}" for name, number in zip(_COLUMNS, self, strict=True))


def _write(terminal, outcome):
    case = outcome.case
    terminal.write(f"{case.number:4}{case.rule:17}{case.transport:14}")
    terminal.write(f"{outcome.verdict:12}", **{_COLOURS[outcome.verdict]: True})
    terminal.line(f"{case.sends} -> {case.expects}")
    if outcome.why:
        label = "why" if outcome.verdict == NOT_TESTED else "seen"
        terminal.line(f"{'':47}{label}: {outcome.why}")


def _row(outcome):
    case = outcome.case
    verdict = f"{outcome.verdict}: {outcome.why}" if outcome.why else outcome.verdict
    if outcome.verdict in (FAIL, KNOWN):
        verdict = f"**{outcome.verdict}**: {outcome.why}"
    cells = (case.number, case.rule, case.transport, case.sends, case.expects, verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _seen(result):
    """Return the first line of what a failed test says."""
    crash = getattr(result.longrepr, "reprcrash", None)
    text = crash.message if crash else str(result.longrepr)
    first = (text.splitlines() or [""])[0]
    return first.removeprefix("AssertionError: ")[:_SEEN]


def _reason(result):
    reason = result.longrepr[2] if isinstance(result.longrepr, tuple) else str(result.longrepr)
    return reason.removeprefix("Skipped: ")
