"""The OTLP metrics that are read, and what each says.

Names of OpenTelemetry's semantic conventions (process, system, container and hardware metrics), of
NVIDIA's DCGM exporter, and our own for what no convention names. A field of `Resources` comes from
the first of its metrics, in this order, that says enough.
"""

from typing import Final, Literal, NamedTuple

from scorer.model.reading import ResourceField

Quantity = Literal["joule", "watt", "share", "second", "byte", "kilogram", "intensity"]

UNITS: Final[dict[Quantity, dict[str, float]]] = {
    "joule": {"J": 1.0, "kJ": 1e3, "mJ": 1e-3, "W.s": 1.0, "W.h": 3.6e3, "Wh": 3.6e3}
    | {"kW.h": 3.6e6, "kWh": 3.6e6},
    "watt": {"W": 1.0, "kW": 1e3, "mW": 1e-3},
    "share": {"1": 1.0, "%": 0.01},
    "second": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "byte": {"By": 1.0, "kBy": 1e3, "MBy": 1e6, "GBy": 1e9}
    | {"KiBy": 2.0**10, "MiBy": 2.0**20, "GiBy": 2.0**30},
    "kilogram": {"kg": 1.0, "g": 1e-3},
    "intensity": {"kg/kWh": 1.0, "kg/kW.h": 1.0, "g/kWh": 1e-3, "g/kW.h": 1e-3},
}
"""Units by what they measure, as multiples of the first of each."""

_JOULES_PER_KWH = 3.6e6
_BYTES_PER_MB = 2.0**20


class Wanted(NamedTuple):
    """One metric that is read.

    `unit` holds where it names none. `counts`: it is a counter, and its rate is what is asked for;
    `from_start`: its first reading counts from its start time (that of others may have begun before
    anybody read it: a meter's with the machine, a process' with its imports).
    `how`: a `total` over the time of the trace (of a rate or a power), its `mean`, or its `peak`.
    Series that differ in an attribute of `parts` are of different parts (processors, GPUs), of
    which the mean is taken; all others are added up. Series with a value of `skipped` do not count.
    `scale` leads to the unit of the field.
    """

    field: ResourceField
    quantity: Quantity
    unit: str
    how: Literal["total", "mean", "peak"]
    scale: float
    counts: bool = False
    from_start: bool = False
    parts: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()


HOST_CPU: Final = "psutil: cpu_percent"
"""The name of what is read here and not sent by anybody."""
_CPUS = frozenset({"cpu", "cpu.logical_number", "system.cpu.logical_number"})
_GPUS = frozenset({"hw.id", "gpu", "UUID", "gpu.uuid", "gpu.index"})
_IDLE = frozenset({"idle", "wait", "iowait"})
_CODECS = frozenset({"encoder", "decoder"})
# These measure again what other parts use.
_SUPPLIES = frozenset({"power_supply", "enclosure", "battery"})


def _energy(unit: str, skipped: frozenset[str] = frozenset()) -> Wanted:
    scale = 1 / _JOULES_PER_KWH
    return Wanted("energy_kwh", "joule", unit, "total", scale, counts=True, skipped=skipped)


def _power(skipped: frozenset[str] = frozenset()) -> Wanted:
    return Wanted("energy_kwh", "watt", "W", "total", 1 / _JOULES_PER_KWH, skipped=skipped)


def _gpu(unit: str) -> Wanted:
    return Wanted("gpu_percent", "share", unit, "mean", 100.0, parts=_GPUS, skipped=_CODECS)


WANTED: Final[dict[str, Wanted]] = {
    "spanscore.energy": _energy("J")._replace(from_start=True),
    "hw.energy": _energy("J", _SUPPLIES),
    "hw.host.energy": _energy("J"),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": _energy("mJ"),
    "hw.power": _power(_SUPPLIES),
    "hw.host.power": _power(),
    "DCGM_FI_DEV_POWER_USAGE": _power(),
    "spanscore.carbon": Wanted(
        "carbon_kg", "kilogram", "kg", "total", 1.0, counts=True, from_start=True
    ),
    "spanscore.grid_intensity": Wanted("grid_intensity", "intensity", "kg/kWh", "mean", 1.0),
    "process.cpu.utilization": Wanted(
        "cpu_percent", "share", "1", "mean", 100.0, parts=_CPUS, skipped=_IDLE
    ),
    "process.cpu.time": Wanted(
        "cpu_percent", "second", "s", "mean", 100.0, counts=True, skipped=_IDLE
    ),
    "container.cpu.time": Wanted("cpu_percent", "second", "s", "mean", 100.0, counts=True),
    "system.cpu.utilization": Wanted(
        "cpu_percent", "share", "1", "mean", 100.0, parts=_CPUS, skipped=_IDLE
    ),
    HOST_CPU: Wanted("cpu_percent", "share", "1", "mean", 100.0),
    "process.memory.usage": Wanted("memory_mb", "byte", "By", "peak", 1 / _BYTES_PER_MB),
    "container.memory.usage": Wanted("memory_mb", "byte", "By", "peak", 1 / _BYTES_PER_MB),
    "hw.gpu.utilization": _gpu("1"),
    "DCGM_FI_DEV_GPU_UTIL": _gpu("%"),
}

WIRE_NAMES: Final = frozenset(name.encode() for name in WANTED if name != HOST_CPU)


def factor(wanted: Wanted, unit: str) -> float | None:
    """Return what a number in this unit is to be multiplied by; None = it measures otherwise.

    What stands in braces is a remark: it, or nothing, means the usual unit.
    """
    units = UNITS[wanted.quantity]
    is_told = unit and not unit.startswith("{")
    return units.get(unit if is_told else wanted.unit)
