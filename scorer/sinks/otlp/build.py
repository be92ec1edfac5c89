"""Couriers from the configuration."""

from scorer.config import Config, OtlpTargetConfig, target_names
from scorer.sinks.otlp.courier import TargetCourier
from scorer.sinks.otlp.grpc_target import GrpcTarget
from scorer.sinks.otlp.http_target import HttpTarget
from scorer.sinks.otlp.tally import TargetTally
from scorer.sinks.otlp.target import Target
from scorer.telemetry import Telemetry


def build_target(config: OtlpTargetConfig, key: str) -> Target:
    """Return the client of a target; `key` is the path of its section.

    Raises:
        ConfigError: The endpoint or the files of TLS cannot be used.
    """
    kind = HttpTarget if config.protocol == "http" else GrpcTarget
    return kind(config, key)


def build_couriers(config: Config, telemetry: Telemetry) -> tuple[TargetCourier, ...]:
    """Return a courier for each of `sinks.otlp`, in order; raises ConfigError."""
    targets = config.sinks.otlp
    return tuple(
        TargetCourier(
            target, build_target(target, f"sinks.otlp[{number}]"), TargetTally(name, telemetry)
        )
        for number, (target, name) in enumerate(zip(targets, target_names(targets), strict=True))
    )
