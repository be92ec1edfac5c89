"""cost: what a trace cost in USD, as reported or else by a price table."""

from typing import Any

from metrics.agentunit import (
    MetricResult,
    documented_score,
    metadata_of,
    spec_for,
    tool_payloads,
)
from metrics.operational.plausible import has_impossible_cost, has_impossible_usage
from metrics.operational.pricing import PriceTable, UnknownModelError
from scorer.api import AgentTrace, LlmCall, Measurement, MetricSpec, Mode, OutputSpec, Unscored

_MAX_MODELS = 20


class Cost:
    """USD of the trace: what its spans report, else its tokens by the price table.

    A reported cost wins, a reported 0 included. Otherwise every model call is priced by its
    model and the time of the call; if one cannot be, there is no value: a partial sum would
    look like a saving. Failed calls without usage cost nothing. `tools_included=False` says
    that the reported cost leaves out what the tools report, which is then added. A negative cost
    anywhere, or a token count that cannot be, leaves no value. Documented:
    AgentUnit's sum, in which an unknown cost is 0.
    """

    name = "cost"
    spec = MetricSpec(
        name="cost",
        kind="operational",
        description="Cost of the trace in USD, as reported or priced from its tokens.",
        system="AgentUnit",
        documented="unknown is 0; the cost of tools is always added",
        inputs="a cost, or tokens of models with a known price",
        outputs=(OutputSpec(unit="USD", range=(0.0, None), direction="lower"),),
    )

    def __init__(self, *, mode: Mode = "beyond", tools_included: bool = True) -> None:
        self._documented = mode == "documented"
        self._tools_included = tools_included
        self.spec = spec_for(self.spec, mode)
        self._prices = PriceTable()

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the cost; `detail.source` is "reported" or "priced"."""
        if self._documented:
            return documented_score(self, trace)
        if has_impossible_cost(trace):
            return Unscored("implausible_cost")
        if trace.cost_usd is None:
            return self._priced(trace)
        extra = 0.0 if self._tools_included else _tool_costs(trace)
        return Measurement({"value": trace.cost_usd + extra}, detail={"source": "reported"})

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition.

        Raises:
            TypeError: a cost is None.
            ValueError: a cost is a text that is no number.
        """
        metadata = metadata_of(trace)
        base = metadata["cost"] if "cost" in metadata else getattr(outcome, "cost", 0.0)
        tools = sum(float(call["cost"]) for call in tool_payloads(trace) if "cost" in call)
        cost = float(base) + tools
        return MetricResult(self.name, cost, {"cost": cost})

    def _priced(self, trace: AgentTrace) -> Measurement | Unscored:
        calls = _priceable(trace)
        if not calls:
            return Unscored("no_usage")
        if any(call.usage.input is None and call.usage.output is None for call in calls):
            return Unscored("incomplete_usage")
        if has_impossible_usage(trace):
            return Unscored("implausible_usage")
        total, unknown = 0.0, []
        for call in calls:
            try:
                total += self._prices.usd(call)
            except UnknownModelError as error:
                unknown.append(str(error))
        if unknown:
            models = sorted(set(unknown))[:_MAX_MODELS]
            return Unscored("unknown_model_price", detail={"models": models})
        detail = {"source": "priced", "price_table": self._prices.version}
        return Measurement({"value": total + _tool_costs(trace)}, detail=detail)


def _priceable(trace: AgentTrace) -> list[LlmCall]:
    """Return the calls to price; without usage per call, the trace's if it has one model."""
    calls = [
        call
        for call in trace.llm_calls
        if not (call.error_type and call.usage.input is None and call.usage.output is None)
    ]
    known = any(call.usage.input is not None or call.usage.output is not None for call in calls)
    if known or trace.usage is None or len(trace.models) != 1:
        return calls if known else []
    provider = calls[0].provider if calls else None
    return [
        LlmCall(
            span_id="",
            model=trace.models[0],
            provider=provider,
            usage=trace.usage,
            start_ns=trace.start_ns,
        )
    ]


def _tool_costs(trace: AgentTrace) -> float:
    return sum(call.cost_usd or 0.0 for call in trace.tool_calls or ())
