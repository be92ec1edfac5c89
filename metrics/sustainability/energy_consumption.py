"""energy_consumption: does a trace stay within its energy?"""

from collections.abc import Mapping
from typing import Any

from metrics.agentunit import MetricResult, documented_score, measured_of, spec_for
from metrics.sustainability.energy import EnergySource, at_most, not_negative
from metrics.sustainability.origin import coverage_of, told
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored


class EnergyConsumption:
    """1 up to `threshold_kwh`, then threshold / energy; `energy_kwh` is the energy itself.

    The energy is what OTLP metrics of the agent's process or host say (`hw.energy`, `hw.power` and
    others), else what the spans report (`spanscore.energy_kwh`), else an estimate if its figures
    are configured, see `metrics.sustainability.energy`; `detail.source` says which. Without any
    of these there is no value. `sample_interval` is accepted and unused, as in the original.
    Documented: AgentUnit's definition, in which an unknown energy scores 1.
    """

    name = "energy_consumption"
    spec = MetricSpec(
        name="energy_consumption",
        kind="sustainability",
        description="Energy of the trace against a limit (1 = within it).",
        system="AgentUnit",
        documented="unknown energy scores 1; none is estimated",
        inputs="energy (OTLP metrics or spans), or figures to estimate it by",
        outputs=(
            OutputSpec(),
            OutputSpec(
                name="energy_kwh",
                unit="kW.h",
                range=(0.0, None),
                direction="lower",
                required=False,
            ),
        ),
        in_default=False,
        uses_readings=True,
        version="2",
    )

    def __init__(  # noqa: PLR0913 - options of the configuration, by keyword only
        self,
        *,
        mode: Mode = "beyond",
        threshold_kwh: float = 0.1,
        sample_interval: float = 1.0,  # noqa: ARG002 - an option of the original
        kwh_per_1000_tokens: Mapping[str, float] | None = None,
        cpu_watts: float | None = None,
        gpu_watts: float | None = None,
        ecologits: bool = False,
    ) -> None:
        self._documented = mode == "documented"
        self._threshold = (
            threshold_kwh if self._documented else not_negative("threshold_kwh", threshold_kwh)
        )
        self._source = EnergySource(kwh_per_1000_tokens, cpu_watts, gpu_watts, ecologits=ecologits)
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the energy against the limit."""
        if self._documented:
            return documented_score(self, trace)
        energy = self._source.read(trace)
        if isinstance(energy, Unscored):
            return energy
        return Measurement(
            {"value": at_most(self._threshold, energy.kwh), "energy_kwh": energy.kwh},
            explanation=None if energy.is_estimated else told(trace, "energy_kwh", "energy"),
            detail={
                "source": energy.source,
                "threshold_kwh": self._threshold,
                **({} if energy.is_estimated else coverage_of(trace, "energy_kwh")),
            },
        )

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition.

        Raises:
            TypeError: the energy is None or no number.
        """
        energy = measured_of(trace).get("energy_kwh", 0.0)
        detail = {
            "energy_kwh": energy,
            "threshold_kwh": self._threshold,
            "under_threshold": energy <= self._threshold,
        }
        return MetricResult(self.name, at_most(self._threshold, energy), detail)
