"""Whatever one metric does, only its own score is harmed; with a real plug-in and real workers."""

import asyncio
import time

import psutil
import pytest

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.model.position import Position
from scorer.otlp.split import split_traces
from scorer.registry import load_metrics
from scorer.scoring.scorers import build_scorer
from scorer.telemetry import Telemetry
from scorer.testing import TraceBuilder

pytestmark = pytest.mark.usefixtures("demo_plugin")


def closed_trace(number=1):
    builder = TraceBuilder(number)
    builder.span(
        "chat",
        **{
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.usage.input_tokens": 7,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.output.messages": (
                '[{"role": "assistant", "parts": [{"type": "text", "content": "one two three"}]}]'
            ),
        },
    )
    settings = AssemblerSettings(
        timers=Timers(1, 1, 1),
        max_spans_per_trace=10,
        max_bytes_per_trace=10**6,
        max_tombstones=10,
    )
    assembler = Assembler(settings, MemoryBudget(10**9))
    assembler.push(split_traces(builder.request()).spans, Position("t", 0, 1), 0)
    return assembler.drain(0, "root")[0]


class Running:
    """A started scorer with some metrics (the demo's own time-out is 0.2 seconds)."""

    def __init__(self, *metrics, workers):
        self.telemetry = Telemetry()
        config = parse_config(
            {
                "scoring": {
                    "metrics": list(metrics),
                    "workers": workers,
                }
            }
        )
        self.scorer = build_scorer(config, self.telemetry)

    async def __aenter__(self):
        await self.scorer.start()
        return self

    async def __aexit__(self, *_):
        await self.scorer.stop()

    async def outcomes(self, *traces):
        """Return metric -> (status, reason, value) per trace, primary outputs only."""
        return [
            {
                score.metric: (score.status, score.reason, score.value)
                for score in scored.scores
                if score.output == "value"
            }
            for scored in await self.scorer.score(traces)
        ]


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("demo_raises", "metric_raised"),
        ("demo_loops", "timeout"),
        ("demo_nan", "non_finite"),
        ("demo_nonsense", "bad_result"),
        ("demo_exits", "metric_raised"),
        ("demo_interrupts", "metric_raised"),
        ("demo_odd_detail", "bad_result"),
        ("demo_odd_explanation", "bad_result"),
        ("demo_odd_values", "bad_result"),
        ("demo_huge_integer", "bad_result"),
        ("demo_broken_text", "bad_result"),
        ("demo_huge_value", "non_finite"),
    ],
)
async def test_a_bad_metric_fails_alone(bad, reason, workers):
    """It raises, loops, or returns nonsense: the others are scored in the same run."""
    async with Running("demo_answer_length", bad, "token_usage", workers=workers) as running:
        (outcome,) = await running.outcomes(closed_trace())
        assert outcome[bad] == ("failed", reason, None)
        assert outcome["demo_answer_length"] == ("scored", None, 3)
        assert outcome["token_usage"] == ("scored", None, 10)
        assert running.telemetry.value("spanscore_worker_restarts_total") == 0


@pytest.mark.parametrize(
    ("bad", "reason"), [("demo_kills", "worker_died"), ("demo_hangs", "timeout")]
)
async def test_a_metric_that_takes_its_worker_down_fails_alone(bad, reason):
    """The culprit is found, the worker replaced, all else of both traces is scored."""
    async with Running("demo_answer_length", bad, workers=1) as running:
        outcomes = await running.outcomes(closed_trace(1), closed_trace(2))
        for outcome in outcomes:
            assert outcome[bad] == ("failed", reason, None)
            assert outcome["demo_answer_length"] == ("scored", None, 3)
        assert running.telemetry.value("spanscore_worker_restarts_total") > 0


async def test_a_hanging_metric_holds_up_the_others_for_seconds_only():
    """Each of three hangs costs its time-out and a second; then the metric is suspended."""
    async with Running("demo_answer_length", "demo_hangs", workers=1) as running:
        started = time.monotonic()
        outcomes = await running.outcomes(*(closed_trace(number) for number in range(1, 13)))
        assert time.monotonic() - started < 15
        assert [outcome["demo_answer_length"][0] for outcome in outcomes] == ["scored"] * 12
        assert [outcome["demo_hangs"][1] for outcome in outcomes[3:]] == ["suspended"] * 9
        assert running.telemetry.value("spanscore_worker_restarts_total") == 3


async def test_a_worker_killed_from_outside_harms_no_score():
    """The trace that it was at is scored once more as it is."""
    async with Running("demo_answer_length", "demo_sleeps", workers=1) as running:
        scoring = asyncio.create_task(running.outcomes(*map(closed_trace, range(1, 5))))
        await asyncio.sleep(0.1)
        for child in psutil.Process().children(recursive=True):
            if "spawn_main" in " ".join(child.cmdline()):
                child.kill()
        outcomes = await scoring
        assert [outcome["demo_sleeps"][0] for outcome in outcomes] == ["scored"] * 4
        assert running.telemetry.value("spanscore_worker_restarts_total") == 1


async def test_a_metric_that_keeps_killing_is_suspended():
    """After three kills it is not called any more, and costs no more workers."""
    async with Running("demo_answer_length", "demo_kills", workers=1) as running:
        await running.outcomes(*(closed_trace(number) for number in range(1, 4)))
        restarts = running.telemetry.value("spanscore_worker_restarts_total")
        (outcome,) = await running.outcomes(closed_trace(9))
        assert outcome["demo_kills"] == ("failed", "suspended", None)
        assert outcome["demo_answer_length"] == ("scored", None, 3)
        assert running.telemetry.value("spanscore_worker_restarts_total") == restarts


@pytest.mark.parametrize(
    ("name", "said"),
    [("demo_needs_nonsense", "it needs luck; known: answer"), ("demo_wrong_name", "must agree")],
)
def test_a_metric_that_could_never_score_stops_the_start(name, said):
    """A wrong declaration is a configuration error, not a stream of failed scores."""
    config = parse_config({"scoring": {"metrics": [name]}})
    with pytest.raises(ConfigError, match=f"{name}: .*{said}"):
        load_metrics(config.scoring)


def test_a_plugin_that_does_not_load_stops_the_start():
    """The error names the plug-in and its distribution."""
    config = parse_config({"scoring": {"metrics": ["demo_broken"]}})
    with pytest.raises(ConfigError, match=r"demo_broken.*spanscore-demo.*ModuleNotFoundError"):
        load_metrics(config.scoring)


def test_a_broken_plugin_that_nobody_wants_harms_nobody():
    """Only what is enabled is loaded."""
    config = parse_config({"scoring": {"metrics": ["demo_answer_length"]}})
    (loaded,) = load_metrics(config.scoring)
    assert loaded.spec.name == "demo_answer_length"


def test_a_plugin_is_enabled_by_name_only():
    """The group `default` is Spanscore's own catalogue, so installing one changes none."""
    loaded = load_metrics(parse_config({}).scoring)
    assert not [item for item in loaded if item.spec.name.startswith("demo_")]
    assert len(loaded) >= 10


def test_an_unknown_metric_is_named_with_the_known_ones():
    """A typo is answered with what there is."""
    config = parse_config({"scoring": {"metrics": ["faithfullness"]}})
    with pytest.raises(ConfigError, match=r"faithfullness.*faithfulness"):
        load_metrics(config.scoring)
