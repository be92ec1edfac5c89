"""A sink that keeps the statistics of a run: the table at the end of a replay."""

from collections.abc import Sequence

from scorer.api import ScoredTrace
from scorer.scoring.statistics import MetricSummary, Statistics


class RunSummary:
    """Counts traces and scores and collects the statistics of every output.

    A trace counts once, with its first scoring, as in Prometheus: revisions are left out.
    """

    def __init__(self) -> None:
        self._statistics = Statistics()
        self.traces = 0
        self.scores = 0

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Take scored traces."""
        for trace in traces:
            if trace.revision > 1:
                continue
            self.traces += 1
            self.scores += len(trace.scores)
            self._statistics.add(trace.scores)

    async def close(self) -> None:
        """Nothing to release."""

    def metrics(self) -> tuple[MetricSummary, ...]:
        """Return a summary per metric and output."""
        return self._statistics.summaries()
