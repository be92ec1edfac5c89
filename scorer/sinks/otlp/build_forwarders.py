"""Forwarders from the configuration."""

from collections.abc import Callable, Sequence

from scorer.assembly.budget import MemoryBudget
from scorer.config import Config, OtlpTargetConfig, is_same_place
from scorer.sinks.otlp.courier import Courier
from scorer.sinks.otlp.forward import ForwardTarget, nothing
from scorer.sinks.otlp.forwarders import Forwarders, Outlet
from scorer.sinks.otlp.results import Results, configured_terms
from scorer.sinks.otlp.results_target import ResultsTarget
from scorer.sinks.otlp.sampling import TailSampler
from scorer.telemetry import Telemetry


def build_forwarders(
    config: Config,
    couriers: Sequence[Courier],
    clock: Callable[[], float],
    budget: MemoryBudget,
    telemetry: Telemetry,
) -> Forwarders:
    """Return what sends to each target, by the couriers of all of them; raises ConfigError."""
    targets: list[Outlet] = []
    if not config.sinks.otlp:  # nobody asks for the terms of scores
        return Forwarders(targets)
    terms = configured_terms(config)
    for target, courier in zip(config.sinks.otlp, couriers, strict=True):
        results = Results(terms, statuses=target.statuses, signals=target.signals)
        if target.mode == "results":
            targets.append(ResultsTarget(courier, results, budget))
            continue
        made = ForwardTarget(
            courier,
            clock=clock,
            budget=budget,
            telemetry=telemetry,
            hold_timeout=float(target.hold_timeout),
            sampler=TailSampler(target.sampling) if target.sampling else None,
            after_hold=nothing if _has_results(config, target) else results.parcels_of,
        )
        targets.append(made)
    return Forwarders(targets)


def _has_results(config: Config, target: OtlpTargetConfig) -> bool:
    """Whether another target sends all scores to the same place, so that none need follow."""
    return any(
        other.mode == "results" and is_same_place(other, target) for other in config.sinks.otlp
    )
