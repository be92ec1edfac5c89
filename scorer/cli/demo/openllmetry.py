"""Sample traces in the OpenLLMetry (Traceloop) conventions."""

import json
from typing import Any

from scorer.cli.demo.scene import Scene, SceneSpan

_SCOPE = "opentelemetry.instrumentation.openai.v1"


def _entity(kind: str, name: str, given: Any, returned: Any) -> dict[str, Any]:
    return {
        "traceloop.span.kind": kind,
        "traceloop.entity.name": name,
        "traceloop.entity.input": json.dumps({"args": [], "kwargs": given}),
        "traceloop.entity.output": json.dumps(returned),
    }


def _workflow(name: str, end: float, question: str, answer: str) -> SceneSpan:
    return SceneSpan(
        key="workflow",
        name=f"{name}.workflow",
        start=0,
        end=end,
        attributes=_entity("workflow", name, {"question": question}, answer)
        | {
            "traceloop.workflow.name": name,
            "traceloop.association.properties.session_id": f"session-demo-{name}",
        },
    )


def _chat(
    number: int, times: tuple[float, float], tokens: tuple[int, int], question: str, answer: str
) -> SceneSpan:
    return SceneSpan(
        key=f"chat-{number}",
        parent="workflow",
        name="openai.chat",
        start=times[0],
        end=times[1],
        kind="CLIENT",
        attributes={
            "llm.request.type": "chat",
            "gen_ai.system": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.response.model": "gpt-4o-2024-08-06",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": question,
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": answer,
            "gen_ai.completion.0.finish_reason": "stop",
            "gen_ai.usage.prompt_tokens": tokens[0],
            "gen_ai.usage.completion_tokens": tokens[1],
            "llm.usage.total_tokens": sum(tokens),
        },
    )


def _weather() -> Scene:
    question = "Will it rain in Hamburg tomorrow?"
    answer = "Yes. Hamburg expects 6 mm of rain tomorrow, mostly before noon."
    forecast = {"city": "Hamburg", "rain_mm": 6}
    tool = SceneSpan(
        key="tool",
        parent="workflow",
        name="get_forecast.tool",
        start=0.1,
        end=0.5,
        attributes=_entity("tool", "get_forecast", {"city": "Hamburg"}, forecast),
    )
    spans = (
        _workflow("weather", 1.6, question, answer),
        tool,
        _chat(0, (0.6, 1.5), (188, 24), question, answer),
    )
    title = "a tool that works"
    return Scene(title=title, service="weather-agent", scope=_SCOPE, spans=spans, pieces=2)


def _slow_and_expensive() -> Scene:
    question = "Write a market study of heat pumps in the Nordic countries."
    answer = "The study is attached. Demand grew in all four countries between 2019 and 2023."
    drafts = tuple(
        _chat(i, (1 + 11 * i, 11 + 11 * i), (38_000 + 9_000 * i, 3_600), question, answer)
        for i in range(6)
    )
    spans = (_workflow("market-study", 68, question, answer), *drafts)
    title = "a slow and expensive run"
    return Scene(title=title, service="research-agent", scope=_SCOPE, spans=spans)


def scenes() -> tuple[Scene, ...]:
    """Return the samples of this dialect."""
    return (_weather(), _slow_and_expensive())
