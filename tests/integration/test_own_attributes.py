"""What users set on their own spans, read off the wire and scored; nobody sets it, no score."""

import asyncio
import json

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from scorer import registry
from scorer.config import parse_config
from scorer.dialects.normalise import normalise
from scorer.otlp.decode import decode_trace
from scorer.receivers.files import StoredFiles, collect
from scorer.scoring.accounts import accounts_in_memory
from scorer.scoring.engine import Engine
from scorer.testing import TraceBuilder

MESSAGE = [{"role": "assistant", "parts": [{"type": "text", "content": "Sent to ann@b.example."}]}]
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": json.dumps(MESSAGE)}
OWN = {
    "spanscore.consent": json.dumps({"email": False}),
    "spanscore.sensitive.email": "ann@b.example",
    "spanscore.energy_kwh": 0.4,
    "spanscore.cpu_percent": 40,
    "spanscore.privacy.epsilon": 2.5,
    "spanscore.privacy.principal": "ann",
}
NEEDING = {
    "carbon_emissions": "no_energy",
    "consent_compliance": "no_consent",
    "data_minimization": "no_sensitive_values",
    "energy_consumption": "no_energy",
    "privacy_budget": "no_epsilon",
    "resource_utilization": "no_resources",
}


def scores(folder, attributes):
    """The primary scores by metric, of one stored span."""
    builder = TraceBuilder(1)
    builder.span("invoke_agent", **attributes)
    body = builder.request()
    assert ExportTraceServiceRequest.FromString(body).resource_spans
    (folder / "a.pb").write_bytes(body)
    (trace,) = collect(StoredFiles([str(folder)]))
    view = normalise(decode_trace(trace), registry.load_dialects())
    names = {"scoring": {"metrics": ["privacy", "sustainability"]}}
    scoring = parse_config(names).scoring
    engine = Engine(registry.load_metrics(scoring), [])
    accounts = accounts_in_memory(engine.metrics, scoring.accounts)
    (found,) = asyncio.run(accounts.settle([engine.score_view(view, "s")]))
    return {score.metric: score for score in found.scores if score.output == "value"}


def test_what_the_spans_say_is_scored(tmp_path):
    """0.1 / 0.4 kWh; 0.05 / (0.4 * 0.475) kg; 40 of 80 % is within the target; 2.5 of 10."""
    values = {name: score.value for name, score in scores(tmp_path, AGENT | OWN).items()}
    assert values["consent_compliance"] == 0.0
    assert values["data_minimization"] == 0.0
    assert values["energy_consumption"] == 0.25
    assert round(values["carbon_emissions"], 4) == 0.2632
    assert values["resource_utilization"] == 1.0
    assert values["privacy_budget"] == 0.75


def test_without_them_there_is_a_reason_and_no_value(tmp_path):
    """Neither a perfect score, as in the original, nor 0."""
    found = scores(tmp_path, AGENT)
    reasons = {name: (found[name].status, found[name].reason) for name in NEEDING}
    assert reasons == {name: ("not_applicable", reason) for name, reason in NEEDING.items()}
    assert all(found[name].value is None for name in NEEDING)
