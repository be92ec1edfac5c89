"""carbon_emissions: does a trace stay within its emissions?"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from metrics.agentunit import MetricResult, documented_score, measured_of, spec_for
from metrics.sustainability.energy import Energy, EnergySource, at_most, not_negative
from metrics.sustainability.origin import coverage_of, source_of, told
from scorer.api import AgentTrace, Measurement, MetricSpec, Mode, OutputSpec, Unscored

_MAX_KG = 1e6  # more than any agent run could emit
_MAX_INTENSITY = 10.0  # kg/kWh; the dirtiest grids are near 1
_KM_PER_KG = 4.6  # the original's equivalents
_KG_PER_TREE = 21


class _Intensity(NamedTuple):
    """kg of CO2e per kWh, and where it comes from."""

    kg_per_kwh: float
    source: str


class CarbonEmissions:
    """1 up to `threshold_kg`, then threshold / carbon; `carbon_kg` is the CO2e itself.

    What an OTLP metric says (`spanscore.carbon`), or else the spans (`spanscore.carbon_kg`), wins.
    Otherwise it is the energy, as energy_consumption reads it with the same options, times the
    intensity of the grid: that of an OTLP metric, the spans or their resource
    (`spanscore.grid_intensity`), else that of the agent's
    `cloud.region` in the option `regions`, else `grid_intensity` (kg/kWh). The region is
    that of the agent's host, so it is not used for an estimate of models. `detail` names
    each source. Documented: AgentUnit's definition, which never looks at energy.
    """

    name = "carbon_emissions"
    spec = MetricSpec(
        name="carbon_emissions",
        kind="sustainability",
        description="Emissions of the trace against a limit (1 = within it).",
        system="AgentUnit",
        documented="unknown carbon scores 1; none is derived from energy",
        inputs="carbon, or energy and an intensity",
        outputs=(
            OutputSpec(),
            OutputSpec(
                name="carbon_kg", unit="kg", range=(0.0, None), direction="lower", required=False
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
        threshold_kg: float = 0.05,
        grid_intensity: float = 0.475,
        regions: Mapping[str, float] | None = None,
        kwh_per_1000_tokens: Mapping[str, float] | None = None,
        cpu_watts: float | None = None,
        gpu_watts: float | None = None,
        ecologits: bool = False,
    ) -> None:
        self._documented = mode == "documented"
        self._threshold = (
            threshold_kg if self._documented else not_negative("threshold_kg", threshold_kg)
        )
        self._intensity = (
            grid_intensity if self._documented else not_negative("grid_intensity", grid_intensity)
        )
        self._regions = {
            region: not_negative(f"regions.{region}", figure)
            for region, figure in (regions or {}).items()
        }
        self._energy = EnergySource(kwh_per_1000_tokens, cpu_watts, gpu_watts, ecologits=ecologits)
        self.spec = spec_for(self.spec, mode)

    def score(self, trace: AgentTrace) -> Measurement | Unscored:
        """Measure the emissions against the limit."""
        if self._documented:
            return documented_score(self, trace)
        reported = trace.resources.carbon_kg
        if reported is not None:
            if not 0 <= reported <= _MAX_KG:
                return Unscored("implausible_carbon")
            detail = {"source": source_of(trace, "carbon_kg"), **coverage_of(trace, "carbon_kg")}
            return self._measured(reported, detail, told(trace, "carbon_kg", "carbon"))
        energy = self._energy.read(trace)
        if isinstance(energy, Unscored):
            return energy
        intensity = self._intensity_of(trace, energy)
        if not 0 <= intensity.kg_per_kwh <= _MAX_INTENSITY:
            return Unscored("implausible_grid_intensity")
        return self._measured(
            energy.kwh * intensity.kg_per_kwh,
            {
                "source": "energy",
                "energy_kwh": energy.kwh,
                "energy_source": energy.source,
                "grid_intensity": intensity.kg_per_kwh,
                "grid_intensity_source": intensity.source,
                **({} if energy.is_estimated else coverage_of(trace, "energy_kwh")),
            },
            None if energy.is_estimated else told(trace, "energy_kwh", "energy"),
        )

    def evaluate(self, case: Any, trace: Any, outcome: Any) -> MetricResult:  # noqa: ARG002 - AgentUnit's signature
        """Compute AgentUnit's definition.

        Raises:
            TypeError: the carbon is None or no number.
        """
        carbon = measured_of(trace).get("carbon_kg", 0.0)
        detail = {
            "carbon_kg": carbon,
            "threshold_kg": self._threshold,
            "under_threshold": carbon <= self._threshold,
            "equivalents": {
                "km_driven": carbon * _KM_PER_KG,
                "trees_needed": carbon / _KG_PER_TREE,
            },
        }
        return MetricResult(self.name, at_most(self._threshold, carbon), detail)

    def _intensity_of(self, trace: AgentTrace, energy: Energy) -> _Intensity:
        resources = trace.resources
        if resources.grid_intensity is not None:
            return _Intensity(resources.grid_intensity, source_of(trace, "grid_intensity"))
        regional = self._regions.get(resources.region or "")
        if regional is not None and not energy.is_of_models:
            return _Intensity(regional, "option regions")
        return _Intensity(self._intensity, "option grid_intensity")

    def _measured(
        self, carbon: float, detail: dict[str, Any], explanation: str | None
    ) -> Measurement:
        values: dict[str, float | bool] = {
            "value": at_most(self._threshold, carbon),
            "carbon_kg": carbon,
        }
        detail = {**detail, "threshold_kg": self._threshold}
        return Measurement(values, explanation=explanation, detail=detail)
