"""The multi-agent metrics on a team that the real SDK exports, through the running service."""

import asyncio
import json

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from serving import serving

CREW = ("planner", "coder", "tester")


def agent(name, **more):
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, **more}


def work(tracer):
    """A planner runs two agents inside it; then all three negotiate, told by events."""
    role = {"spanscore.agent.can_delegate": True}
    with tracer.start_as_current_span("run", attributes=agent("planner", **role)) as run:
        chat(tracer)
        for name in CREW[1:]:
            with tracer.start_as_current_span("run", attributes=agent(name)):
                chat(tracer)
        for i in range(24):
            told = {"from": CREW[i % 3], "to": CREW[(i + 1) % 3], "type": "negotiation"}
            how = {"message_type": CREW[i % 3], "success": i % 4 != 0, "response_time": 30.0 - i}
            run.add_event("spanscore.interaction", {**told, **how})
        run.add_event("spanscore.conflict", {"agents": ["coder", "tester"], "resolved": True})


def chat(tracer):
    with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}):
        pass


def settings(path, mode):
    names = ("coordination_efficiency", "swarm_intelligence", "network_fault_tolerance")
    return {
        "journal": {"enabled": False},
        "assembly": {"linger": "100ms"},
        "scoring": {"workers": 0, "metrics": [{"name": name, "mode": mode} for name in names]},
        "sinks": {"jsonl": {"path": str(path)}},
    }


async def scores(path, mode):
    """Return the score objects of one run of the team."""
    async with serving(**settings(path, mode)) as service:
        host, port = service.addresses["otlp_grpc"]
        provider = TracerProvider(resource=Resource({"service.name": "crew"}))
        exporter = OTLPSpanExporter(endpoint=f"{host}:{port}", insecure=True)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        await asyncio.to_thread(work, provider.get_tracer("app"))
        await asyncio.to_thread(provider.shutdown)
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_a_team_that_tells_what_passes_is_scored_on_every_component(tmp_path):
    """Nothing is missing: roles and runs from the spans, the rest from events."""
    found = await scores(tmp_path / "scores.jsonl", "beyond")
    values = {(score["metric"], score["output"]): score.get("value") for score in found}
    assert {score["status"] for score in found} == {"scored"}, found
    # A ring of three: any one may fail. Each sender has a type of its own. All negotiate.
    assert values["network_fault_tolerance", "value"] == 1.0
    assert values["swarm_intelligence", "specialization"] == pytest.approx(1.0)
    assert values["swarm_intelligence", "collective_decision"] > 0.9
    # Both delegations went well, by a planner who may delegate.
    assert values["coordination_efficiency", "handoff_success_rate"] == 1.0
    assert values["coordination_efficiency", "role_adherence"] == 1.0
    assert values["coordination_efficiency", "conflict_resolution_rate"] == 1.0


async def test_the_original_definition_runs_on_the_same_team(tmp_path):
    """In documented mode each metric has its one value."""
    found = await scores(tmp_path / "scores.jsonl", "documented")
    values = {s["metric"]: s["value"] for s in found if s["output"] == "value"}
    assert len(values) == 3
    assert all(isinstance(value, float) for value in values.values())
