"""Forwarders from the configuration."""

from collections.abc import Callable, Sequence

from scorer.assembly.budget import MemoryBudget
from scorer.config import Config
from scorer.sinks.otlp.courier import Courier
from scorer.sinks.otlp.forward import ForwardTarget
from scorer.sinks.otlp.forwarders import Forwarders
from scorer.sinks.otlp.sampling import TailSampler
from scorer.telemetry import Telemetry


def build_forwarders(
    config: Config,
    couriers: Sequence[Courier],
    clock: Callable[[], float],
    budget: MemoryBudget,
    telemetry: Telemetry,
) -> Forwarders:
    """Return what passes on to the targets of mode `forward`, by the couriers of all targets."""
    targets = []
    for target, courier in zip(config.sinks.otlp, couriers, strict=True):
        if target.mode != "forward":
            continue
        made = ForwardTarget(
            courier,
            clock=clock,
            budget=budget,
            telemetry=telemetry,
            hold_timeout=float(target.hold_timeout),
            sampler=TailSampler(target.sampling) if target.sampling else None,
        )
        targets.append(made)
    return Forwarders(targets)
