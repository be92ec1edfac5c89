"""Values with a unit, endpoints and secrets, as they are written in the configuration."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from math import isfinite
from typing import Any

_DURATION_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")


class Duration(float):
    """A length of time in seconds, written with a unit: `500ms`, `2s`, `10m`, `6h`, `1d`."""

    def __str__(self) -> str:
        for unit in ("d", "h", "m", "s"):
            count = float(self) / _DURATION_UNITS[unit]
            if count >= 1 and count == int(count):
                return f"{int(count)}{unit}"
        return f"{float(self) * 1000:.6f}".rstrip("0").rstrip(".") + "ms"


class PositiveDuration(Duration):
    """A length of time that is not zero."""


class Size(int):
    """A number of bytes, written with a unit: `64MiB`, `4GiB`, `500KB`."""

    def __str__(self) -> str:
        for unit in ("GiB", "MiB", "KiB"):
            if self and self % _SIZE_UNITS[unit] == 0:
                return f"{self // _SIZE_UNITS[unit]}{unit}"
        return f"{int(self)}B"


class PositiveSize(Size):
    """A number of bytes that is not zero."""


class Endpoint(str):
    """`HOST:PORT`; an IPv6 host stands in brackets. Port 0 = any free port."""

    __slots__ = ()

    @property
    def host(self) -> str:
        """The host without brackets."""
        return self.rsplit(":", 1)[0].strip("[]")

    @property
    def port(self) -> int:
        """The port."""
        return int(self.rsplit(":", 1)[1])

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Secret:
    """A text that is never shown: printed, logged or written it is `***`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text, for the one place that needs it."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        return "***"

    __repr__ = __str__


def decode_quantity(kind: type, value: Any) -> Any:
    """Turn text into one of this file's types (a msgspec `dec_hook`); raises ValueError."""
    if kind is Endpoint:
        return _endpoint(value)
    if kind is Secret:
        return _secret(value)
    quantity: Duration | Size
    if issubclass(kind, Duration):
        quantity = kind(_quantity(value, _DURATION_UNITS, "a duration such as 500ms, 2s, 6h"))
    elif issubclass(kind, Size):
        quantity = kind(_quantity(value, _SIZE_UNITS, "a size such as 64MiB, 500KB"))
    else:
        raise NotImplementedError(kind)
    if not quantity and kind in {PositiveDuration, PositiveSize}:
        raise ValueError(f"{value} makes no sense here; it must be more than zero")
    return quantity


def _quantity(value: Any, units: Mapping[str, float], wanted: str) -> float:
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or match.group(2) not in units:
        raise ValueError(f"Expected {wanted}, got {value!r}")
    quantity = float(match.group(1)) * units[match.group(2)]
    if not isfinite(quantity):
        raise ValueError(f"Expected {wanted}, got a number that is too large")
    return quantity


def _secret(value: Any) -> Secret:
    if not isinstance(value, str):
        raise ValueError("Expected a text; put it into quotes")  # noqa: TRY004 - as msgspec wants it
    return Secret(value)


def _endpoint(value: Any) -> Endpoint:
    text = value if isinstance(value, str) else ""
    host, separator, port = text.rpartition(":")
    if not separator or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"Expected HOST:PORT, got {value!r}")
    return Endpoint(text)
