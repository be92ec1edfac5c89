"""What OTLP metrics say of a trace: readings of its processes, joined by resource and time."""

from typing import Literal

from msgspec import Struct

ResourceField = Literal[
    "energy_kwh", "carbon_kg", "cpu_percent", "memory_mb", "gpu_percent", "grid_intensity"
]


class Coverage(Struct, frozen=True, array_like=True, gc=False):
    """How much of a trace's time readings speak for, as shares from 0 to 1.

    `measured` lies between two readings; over `held` the last reading before is held on.
    """

    measured: float
    held: float

    @property
    def known(self) -> float:
        """The share of the time of which anything is known."""
        return self.measured + self.held


class Measured(Struct, frozen=True, array_like=True, gc=False):
    """One field of `Resources` as readings have it; `source` is the name of the OTLP metric."""

    field: ResourceField
    value: float
    source: str
    coverage: Coverage
