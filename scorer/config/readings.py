"""What is kept of the OTLP metrics of agents' processes."""

from typing import Annotated

from msgspec import Meta, Struct

from scorer.config.quantities import Duration, PositiveDuration, PositiveSize


class ReadingsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """OTLP metrics of agents' processes, for the metrics that read them."""

    max_age: Annotated[
        PositiveDuration,
        Meta(description="a reading speaks for this long; more than two export intervals"),
    ] = PositiveDuration(150)
    after: Annotated[
        Duration,
        Meta(
            description="readings of this long after the end of a trace count too, if they have "
            "come when it closes; beyond `assembly.linger` a replay may have more than there were"
        ),
    ] = Duration(2)
    min_share: Annotated[
        float,
        Meta(ge=0, le=1, description="share of a trace's time that readings must speak for"),
    ] = 0.5
    host: Annotated[
        bool,
        Meta(
            description="read the use of this machine's processors, too, for agents on it that "
            "send `host.name` and report none themselves; a replay has no such readings"
        ),
    ] = False
    max_resources: Annotated[
        int,
        Meta(
            ge=1,
            description="processes and hosts that have readings; then the longest silent one goes",
        ),
    ] = 500
    max_readings: Annotated[
        int,
        Meta(
            ge=64,
            description="readings of each, 24 bytes apiece; then the oldest go; a series costs 16",
        ),
    ] = 4000
    max_request_size: Annotated[
        PositiveSize,
        Meta(description="bytes of such metrics in one request; those beyond are not read"),
    ] = PositiveSize(256 * 2**10)
    kept: Annotated[
        PositiveDuration,
        Meta(description="forget a process or host that has sent none for this long"),
    ] = PositiveDuration(3600)
