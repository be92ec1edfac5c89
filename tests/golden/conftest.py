"""Tells after a run how many golden vectors of each metric passed: none is left out unseen."""

from collections import Counter, defaultdict

_VECTOR = "test_documented_mode_computes_what_the_original_computed["


def pytest_terminal_summary(terminalreporter):
    """Print a line for each metric of AgentUnit: vectors by outcome."""
    outcomes = defaultdict(Counter)
    for outcome in ("passed", "failed", "skipped", "error"):
        for report in terminalreporter.getreports(outcome):
            name = getattr(report, "nodeid", "").partition(_VECTOR)[2].removesuffix("]")
            if name:
                outcomes[name.rpartition("-")[2]][outcome] += 1
    if outcomes:
        terminalreporter.section("AgentUnit vectors")
    for metric, counts in sorted(outcomes.items()):
        told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        terminalreporter.line(f"{metric}: {told}")
