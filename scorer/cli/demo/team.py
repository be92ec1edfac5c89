"""A sample trace of agents that tell, by events of ours, what passes between them."""

from itertools import pairwise
from typing import Any

from scorer.cli.demo.scene import Scene, SceneEvent, SceneSpan

_CREW = ("planner", "coder", "tester")
_MESSAGES = ("plan", "patch", "report")
_ROUNDS = 8
_QUESTION = "Fix the failing date test."
_ANSWER = "The date is now parsed in UTC, and the test passes."


def _agent(name: str, start: float, end: float, events: tuple[SceneEvent, ...] = ()) -> SceneSpan:
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
    }
    outermost = name == _CREW[0]
    if outermost:
        attributes |= {"spanscore.agent.can_delegate": True}
        attributes |= {"input.value": _QUESTION, "output.value": _ANSWER}
    return SceneSpan(
        key=name,
        parent=None if outermost else _CREW[0],
        name=f"invoke_agent {name}",
        start=start,
        end=end,
        attributes=attributes,
        events=events,
    )


def _chat(name: str, start: float) -> SceneSpan:
    return SceneSpan(
        key=f"{name}-chat",
        parent=name,
        name="chat gpt-4o-mini",
        start=start,
        end=start + 0.5,
        kind="CLIENT",
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.usage.input_tokens": 310,
            "gen_ai.usage.output_tokens": 42,
        },
    )


def _talk() -> tuple[SceneEvent, ...]:
    """Return what each says to the next, round by round, a little faster each time."""
    ring = list(pairwise((*_CREW, _CREW[0])))
    return tuple(
        SceneEvent(
            "spanscore.interaction",
            0.6 + 0.2 * (len(ring) * turn + place),
            {
                "from": source,
                "to": target,
                "type": "collaboration",
                "message_type": message,
                "success": True,
                "response_time": 0.4 - 0.02 * turn,
            },
        )
        for turn in range(_ROUNDS)
        for place, ((source, target), message) in enumerate(zip(ring, _MESSAGES, strict=True))
    )


def scene() -> Scene:
    """Return the sample: a planner that runs a coder and a tester, who disagree once."""
    conflict = {"agents": ["coder", "tester"], "resolved": True, "resolution_time": 0.9}
    events = (*_talk(), SceneEvent("spanscore.conflict", 2.0, conflict))
    spans = (
        _agent("planner", 0, 6.0, events),
        _chat("planner", 0.1),
        _agent("coder", 0.7, 5.4),
        _chat("coder", 0.8),
        _agent("tester", 0.7, 5.8),
        _chat("tester", 0.9),
    )
    return Scene(title="three agents that talk", service="code-crew", scope="crew", spans=spans)
