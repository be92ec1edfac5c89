"""Metrics that behave well and badly, to test Spanscore with a real plug-in."""

import math
import os
import signal
import time

from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored


class _Demo:
    name = ""

    def __init__(self, *, mode: Mode = "beyond") -> None:
        self.spec = MetricSpec(
            name=self.name,
            kind="operational",
            description="A test.",
            outputs=(OutputSpec(unit="{word}", range=(0, None), direction="none"),),
            needs=("answer",),
            timeout_s=0.2,
        )


class AnswerLength(_Demo):
    """Counts the words of the answer."""

    name = "demo_answer_length"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": len((trace.answer or "").split())})


class Raises(_Demo):
    """Always raises."""

    name = "demo_raises"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        raise ValueError("secret: " + (trace.answer or ""))


class Loops(_Demo):
    """Never returns, and swallows every Exception."""

    name = "demo_loops"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        while True:
            try:
                time.sleep(1)
            except Exception:
                continue


class Hangs(_Demo):
    """Hangs where no signal reaches it, as code in C can."""

    name = "demo_hangs"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        while True:
            time.sleep(1)


class Kills(_Demo):
    """Ends its process."""

    name = "demo_kills"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        os._exit(9)


class NotANumber(_Demo):
    """Measures NaN."""

    name = "demo_nan"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": math.nan})


class Nonsense(_Demo):
    """Returns something else than a result."""

    name = "demo_nonsense"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return "good"
