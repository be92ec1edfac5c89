"""A sink that prints scores on stdout."""

import sys
from collections.abc import Sequence

from scorer.api import ScoredTrace
from scorer.model.score_json import encode_score


class StdoutScores:
    """Prints one score a line, as in a scores file; `is_broken` = nobody reads any more."""

    def __init__(self) -> None:
        self.is_broken = False

    async def write(self, traces: Sequence[ScoredTrace]) -> None:
        """Print the scores of traces; what nobody reads is dropped."""
        try:
            for trace in traces:
                sys.stdout.writelines(encode_score(s).decode() + "\n" for s in trace.scores)
        except BrokenPipeError:
            self.is_broken = True

    async def close(self) -> None:
        """Flush; safe to call twice."""
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            self.is_broken = True
