"""What AgentUnit's multi-agent classes read, as plain records.

Interactions, handoffs, conflicts and roles may be objects or maps with AgentUnit's field names;
the defaults are the original's. Times are in seconds.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple

_AUTHORITY = 5.0


class Sent(NamedTuple):
    """One interaction: `targets` has an entry for each recipient."""

    source: str
    targets: tuple[str, ...]
    type: str
    message_type: str
    success: bool
    response_time: float


class Passed(NamedTuple):
    """One handoff."""

    success: bool
    handoff_time: float


class Clash(NamedTuple):
    """One conflict; `resolution_time` counts where it was resolved."""

    resolved: bool
    resolution_time: float


class Role(NamedTuple):
    """What an agent may do; authority is 0 to 10."""

    authority_level: float
    can_delegate: bool


def sent(items: Iterable[Any]) -> list[Sent]:
    """Return interactions in the order in which they were recorded."""
    return [_sent(item) for item in items]


def passed(items: Iterable[Any]) -> list[Passed]:
    """Return handoffs."""
    return [
        Passed(bool(_get(item, "success", True)), float(_get(item, "handoff_time", None) or 0.0))
        for item in items
    ]


def clashes(items: Iterable[Any]) -> list[Clash]:
    """Return conflicts."""
    return [
        Clash(
            bool(_get(item, "resolved", False)),
            float(_get(item, "resolution_time", None) or 0.0),
        )
        for item in items
    ]


def roles(items: Mapping[str, Any]) -> dict[str, Role]:
    """Return the roles by agent."""
    return {
        name: Role(
            float(_get(item, "authority_level", _AUTHORITY)),
            bool(_get(item, "can_delegate", False)),
        )
        for name, item in items.items()
    }


def _sent(item: Any) -> Sent:
    to = _get(item, "to_agent", ())
    return Sent(
        source=_get(item, "from_agent", ""),
        targets=(to,) if isinstance(to, str) else tuple(to),
        type=_plain(_get(item, "interaction_type", "request")),
        message_type=_plain(_get(item, "message_type", "generic")),
        success=bool(_get(item, "success", True)),
        response_time=float(_get(item, "response_time", None) or 0.0),
    )


def _plain(value: Any) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _get(item: Any, name: str, default: Any) -> Any:
    if isinstance(item, Mapping):
        return item.get(name, default)
    return getattr(item, name, default)
