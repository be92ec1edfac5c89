"""latency: how long a trace took."""

from collections.abc import Iterable

from metrics.agentunit import spec_for
from scorer.api import (
    AgentTrace,
    Measurement,
    MetricSpec,
    Mode,
    OutputSpec,
    Threshold,
    Unscored,
)

_Interval = tuple[int, int]


class Latency:
    """Seconds from start to end of the root span; where the time went is in the detail.

    `time_to_first_chunk` is that of the first model call that reports one, in seconds from
    the start of that call. In the detail, time in which a model and a tool ran at once counts
    as model time; what neither covers is `idle_s`. Both modes are the same.
    """

    spec = MetricSpec(
        name="latency",
        kind="operational",
        description="Duration of the trace in seconds.",
        outputs=(
            OutputSpec(unit="s", range=(0.0, None), direction="lower"),
            OutputSpec(
                name="time_to_first_chunk",
                unit="s",
                range=(0.0, None),
                direction="lower",
                required=False,
            ),
        ),
        needs=("duration",),
        default_threshold=Threshold(max=30.0),
        threshold_reason="people leave a waiting chat long before half a minute is over",
    )

    def __init__(self, *, mode: Mode = "beyond") -> None:
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the duration and the shares of model, tool and idle time."""
        duration = trace.duration_s
        if duration is None:
            return Unscored("no_duration")
        values: dict[str, float | bool] = {"value": duration}
        waits = (call.time_to_first_chunk for call in trace.llm_calls)
        # A negative wait, from clocks that disagree, is none.
        first = next((wait for wait in waits if wait is not None and wait >= 0), None)
        if first is not None:
            values["time_to_first_chunk"] = first
        return Measurement(values, detail=_shares(trace, duration))


def _shares(trace: AgentTrace, duration: float) -> dict[str, float]:
    bounds = (trace.start_ns, trace.end_ns)
    models = [(call.start_ns, call.end_ns) for call in trace.llm_calls]
    tools = [(call.start_ns or 0, call.end_ns or 0) for call in trace.tool_calls or ()]
    model_s = _covered(models, bounds)
    busy_s = _covered(models + tools, bounds)
    return {"llm_s": model_s, "tool_s": busy_s - model_s, "idle_s": max(0.0, duration - busy_s)}


def _covered(intervals: Iterable[_Interval], bounds: _Interval) -> float:
    """Return the seconds within the bounds that at least one interval covers."""
    covered = 0
    reached, limit = bounds
    for start, end in sorted(intervals):
        first, last = max(start, reached), min(end, limit)
        if last > first:
            covered += last - first
            reached = last
    return covered / 1e9
