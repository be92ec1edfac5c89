"""Metrics that behave well and badly, and a dialect, to test with a real plug-in."""

import math
import os
import signal
import sys
import time

from msgspec.structs import replace

from scorer.api import (
    AgentTrace,
    Measurement,
    MetricSpec,
    Mode,
    OutputSpec,
    Span,
    SpanFacts,
    Unscored,
)


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
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            time.sleep(1)


class Sleeps(AnswerLength):
    """Takes its time, within its time-out."""

    name = "demo_sleeps"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        time.sleep(0.1)
        return super().score(trace)


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


class Exits(_Demo):
    """Calls sys.exit, as a careless library may."""

    name = "demo_exits"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        sys.exit(5)


class Interrupts(_Demo):
    """Raises what Ctrl-C raises."""

    name = "demo_interrupts"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        raise KeyboardInterrupt


class OddDetail(_Demo):
    """Puts what is no JSON into its detail."""

    name = "demo_odd_detail"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": 1}, detail={"x": object()})


class OddExplanation(_Demo):
    """Explains itself with a number."""

    name = "demo_odd_explanation"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": 1}, explanation=5)


class OddValues(_Demo):
    """Returns a number where a mapping belongs."""

    name = "demo_odd_values"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement(5)


class HugeInteger(_Demo):
    """Has an integer in its detail that no wire format holds."""

    name = "demo_huge_integer"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": 1}, detail={"n": 2**70})


class BrokenText(_Demo):
    """Explains itself with half a surrogate pair."""

    name = "demo_broken_text"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": 1}, explanation="\ud83d")


class HugeValue(_Demo):
    """Measures an integer beyond every float."""

    name = "demo_huge_value"

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        return Measurement({"value": 10**400})


class NeedsNonsense(AnswerLength):
    """Needs what no trace has."""

    name = "demo_needs_nonsense"

    def __init__(self, *, mode: Mode = "beyond") -> None:
        super().__init__(mode=mode)
        self.spec = replace(self.spec, needs=("luck",))


class WrongName(AnswerLength):
    """Is registered under another name than its own."""

    name = "demo_other_name"


class Acme:
    """Reads the spans of a product that nobody else knows."""

    name = "demo_acme"
    keys = frozenset({"acme.step"})

    def matches(self, span: Span, logs) -> bool:
        return "acme.step" in span.attributes

    def read(self, span: Span, logs) -> SpanFacts:
        if span.attributes["acme.step"] != "run":
            return SpanFacts(role="chain")
        return SpanFacts(
            role="agent",
            agent_name="acme",
            input_text=span.attributes.get("acme.asked"),
            output_text=span.attributes.get("acme.said"),
        )


ACME = Acme()
