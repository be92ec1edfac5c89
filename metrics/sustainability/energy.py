"""The energy of a trace: measured, reported by its spans, else an estimate that was asked for."""

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from metrics.sustainability.ecologits_models import EcoLogitsModels
from metrics.sustainability.origin import source_of
from scorer.api import AgentTrace, LlmCall, Unscored

MAX_KWH = 1e6  # more than any agent run could use
_MAX_PERCENT = 1e6
_JOULES = 3.6e6  # in a kWh
_MAX_MODELS = 20
_MAX_MODEL_NAME = 200
_MAX_TOKENS = 10**9


class Energy(NamedTuple):
    """kWh, and where they come from: as `source_of` says, or `estimated: <of what>`."""

    kwh: float
    source: str

    @property
    def is_of_models(self) -> bool:
        """Whether models have a part in it, which run elsewhere."""
        return "tokens" in self.source or "ecologits" in self.source

    @property
    def is_estimated(self) -> bool:
        """Whether nobody has measured it."""
        return self.source.startswith("estimated")


class EnergySource:
    """Reads the energy of a trace.

    A measured or reported energy wins. Estimates are made only of what is configured, and only
    when all of that can be counted: `kwh_per_1000_tokens` (pattern of model names -> kWh, for input
    and output tokens alike) for the models, with `ecologits` its estimate of those that no
    pattern fits; `cpu_watts` and `gpu_watts` (at 100 %) over the duration of the trace for its
    host.

    Raises:
        ValueError: a figure is negative or no number, or EcoLogits is not installed.
    """

    def __init__(
        self,
        kwh_per_1000_tokens: Mapping[str, float] | None = None,
        cpu_watts: float | None = None,
        gpu_watts: float | None = None,
        *,
        ecologits: bool = False,
    ) -> None:
        self._per_tokens = {
            pattern.casefold(): not_negative(f"kwh_per_1000_tokens.{pattern}", figure)
            for pattern, figure in (kwh_per_1000_tokens or {}).items()
        }
        self._ecologits = EcoLogitsModels() if ecologits else None
        self._watts = {
            name: not_negative(f"{name}_watts", watts)
            for name, watts in (("cpu", cpu_watts), ("gpu", gpu_watts))
            if watts is not None
        }

    def read(self, trace: AgentTrace) -> Energy | Unscored:
        """Return the energy, or why it is not known."""
        reported = trace.resources.energy_kwh
        if reported is not None:
            if not 0 <= reported <= MAX_KWH:
                return Unscored("implausible_energy")
            return Energy(reported, source_of(trace, "energy_kwh"))
        if not self._per_tokens and not self._watts and self._ecologits is None:
            return Unscored("no_energy")
        return self._estimated(trace)

    def _estimated(self, trace: AgentTrace) -> Energy | Unscored:
        total = 0.0
        of = []
        for name, watts in self._watts.items():
            part = _of_host(trace, name, watts)
            if isinstance(part, Unscored):
                return part
            total += part
            of.append(f"{name}_watts")
        if self._per_tokens or self._ecologits is not None:
            part = self._of_models(trace)
            if isinstance(part, Unscored):
                return part
            total += part
            of += ["kwh_per_1000_tokens"] if self._per_tokens else []
            of += [self._ecologits.source] if self._ecologits is not None else []
        if not total <= MAX_KWH:  # figures of the configuration may be beyond all measure, too
            return Unscored("implausible_energy")
        return Energy(total, f"estimated: {' + '.join(of)}")

    def _of_models(self, trace: AgentTrace) -> float | Unscored:
        total = 0.0
        unknown = set()
        for call in trace.llm_calls:
            tokens = _tokens(call)
            if tokens is None:
                if call.error_type:
                    continue
                return Unscored("incomplete_usage")
            if not 0 <= tokens <= _MAX_TOKENS:
                return Unscored("implausible_usage")
            energy = self._of_call(call, tokens)
            if energy is None:
                unknown.add((call.model or "(unnamed)")[:_MAX_MODEL_NAME])
            else:
                total += energy
        if unknown:
            return Unscored(
                "unknown_model_energy", detail={"models": sorted(unknown)[:_MAX_MODELS]}
            )
        return total if trace.llm_calls else Unscored("no_llm_calls")

    def _of_call(self, call: LlmCall, tokens: int) -> float | None:
        figure = self._figure(call.model)
        if figure is not None:
            return tokens / 1000 * figure
        return None if self._ecologits is None else self._ecologits.kwh(call)

    def _figure(self, model: str | None) -> float | None:
        name = (model or "")[:_MAX_MODEL_NAME].casefold()
        matches = (kwh for pattern, kwh in self._per_tokens.items() if fnmatchcase(name, pattern))
        return next(matches, None)


def not_negative(option: str, value: float) -> float:
    """Return a figure of the configuration.

    Raises:
        ValueError: it is negative or no finite number.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:
        raise ValueError(f"{option} must be a number of at least 0, not {value!r}")
    return float(value)


def at_most(limit: float, used: float) -> float:
    """Return 1 up to the limit, and limit / used beyond it."""
    return min(1.0, limit / used) if used > 0 else 1.0


def _of_host(trace: AgentTrace, name: str, watts: float) -> float | Unscored:
    percent = getattr(trace.resources, f"{name}_percent")
    if percent is None:
        return Unscored(f"no_{name}_percent")
    if not 0 <= percent <= _MAX_PERCENT:
        return Unscored("implausible_resources")
    seconds = trace.duration_s
    if seconds is None:
        return Unscored("no_duration")
    return float(watts * percent / 100 * seconds / _JOULES)


def _tokens(call: LlmCall) -> int | None:
    usage = call.usage
    if usage.input is None and usage.output is None:
        return usage.total
    return (usage.input or 0) + (usage.output or 0)
