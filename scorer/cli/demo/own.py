"""A sample trace with what applications add themselves: consent, energy, a privacy budget."""

import json

from scorer.cli.demo.scene import Scene, SceneSpan

_QUESTION = "How many visits did the clinic have in May, by age?"
_ANSWER = "About 410: 120 patients under 30, 190 between 30 and 60, and 100 older ones."


def scene() -> Scene:
    """Return the trace: statistics of patients, answered with noise."""
    agent = SceneSpan(
        key="agent",
        name="invoke_agent statistician",
        start=0,
        end=1.9,
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "statistician",
            "gen_ai.input.messages": _message("user", _QUESTION),
            "gen_ai.output.messages": _message("assistant", _ANSWER),
            "user.id": "analyst-7",
            "spanscore.consent": json.dumps({"email": False, "location": False}),
            "spanscore.sensitive.badge": "badge-20417",
            "spanscore.energy_kwh": 0.0004,
            "spanscore.cpu_percent": 62.0,
            "spanscore.memory_mb": 2900.0,
        },
    )
    queries = [
        _query("count visits", (0.2, 0.6), epsilon=0.005),
        _query("histogram of ages", (0.7, 1.2), epsilon=0.015),
    ]
    title = "an agent that tells its energy and spends a privacy budget"
    return Scene(title=title, service="clinic-stats", scope="clinic", spans=(agent, *queries))


def _query(name: str, times: tuple[float, float], *, epsilon: float) -> SceneSpan:
    return SceneSpan(
        key=name,
        parent="agent",
        name=f"execute_tool {name}",
        start=times[0],
        end=times[1],
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "query",
            "gen_ai.tool.call.arguments": json.dumps({"query": name}),
            "gen_ai.tool.call.result": "noisy counts",
            "spanscore.privacy.epsilon": epsilon,
            "spanscore.privacy.dataset": "visits",
        },
    )


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
