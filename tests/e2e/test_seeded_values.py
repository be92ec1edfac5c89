"""Personal data in every field of a trace: none of it leaves a real service, in any form.

Left out are the names that are made to be shown: service, agent, tool and session.

The values are an e-mail address, a social security number, a card, a phone and a key of each
field's own, so that a leak names its field. Everything that the service writes is searched:
scores, series, API, log, and what lies in its folders after an orderly end. While it runs, the
journal holds what was sent: that is what it is for.
"""

import json
import urllib.error
import urllib.request
from pathlib import Path

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from stdnum import luhn

from scorer.testing import TraceBuilder

from .crash.backend import Backend
from .crash.service import LOGS, lives, wait_for

CONTENT = {
    "gen_ai.input.messages": "user",
    "gen_ai.output.messages": "assistant",
}
PLAIN = (
    "user.id", "enduser.id", "gen_ai.prompt.0.content", "gen_ai.completion.0.content",
    "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.tool.description",
    "gen_ai.tool.call.id", "gen_ai.request.model", "gen_ai.response.id", "gen_ai.response.model",
    "input.value", "output.value", "llm.input_messages.0.message.content",
    "llm.output_messages.0.message.content", "retrieval.documents.0.document.content",
    "retrieval.documents.0.document.id", "tool.parameters", "metadata", "tag.tags",
    "traceloop.entity.input", "traceloop.entity.output", "traceloop.entity.name", "error.type",
    "spanscore.reference.answer", "spanscore.case_id", "gen_ai.usage.input_tokens",
    "gen_ai.response.finish_reasons", "http.url", "db.statement", "unknown.key", "image.url",
)  # fmt: skip


class Seeds:
    """Hands out a text with personal data for each field, and remembers it."""

    def __init__(self):
        self.values = {}

    def __call__(self, field):
        number = len(self.values)
        card = f"4111{number:04}0000222"
        values = (
            f"seed{number}@leak.example",
            f"123-45-{6000 + number}",
            card + luhn.calc_check_digit(card),
            f"(212) 555-{number:04}",
            f"AKIA{number:04}QWERTYUIOP12",
        )
        self.values[field] = values
        return (
            f"The tower is {number + 7} m high says {values[0]} with card {values[2]}. "
            f"SSN {values[1]}, call {values[3]}, key {values[4]}."
        )

    def leaks_in(self, data):
        """Return the fields whose values stand in the data."""
        text = data if isinstance(data, bytes) else data.encode()
        return sorted(
            {f for f, values in self.values.items() for v in values if v.encode() in text}
        )


@pytest.fixture
def seeds():
    return Seeds()


def seeded_trace(number, seeds, kind):
    """A trace of one dialect with a seed in every field that holds free text."""
    trace = TraceBuilder(number, service="shop", scope="instrumentation")
    root = trace.span("invoke_agent", **{"gen_ai.operation.name": "invoke_agent"})
    attributes = {key: seeds(f"{kind}/{key}") for key in PLAIN}
    for key, role in CONTENT.items():
        part = {"type": "text", "content": seeds(f"{kind}/{key}")}
        attributes[key] = json.dumps([{"role": role, "parts": [part]}])
    documents = [{"id": "1", "content": seeds(f"{kind}/documents")}]
    attributes["gen_ai.retrieval.documents"] = json.dumps(documents)
    attributes[seeds(f"{kind}/attribute key")] = 1
    attributes |= {
        "chat": {"gen_ai.operation.name": "chat", "gen_ai.agent.name": "clerk"},
        "execute_tool": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "mail"},
        "retrieval": {"gen_ai.operation.name": "retrieval"},
        "LLM": {"openinference.span.kind": "LLM"},
        "TOOL": {"openinference.span.kind": "TOOL", "tool.name": "mail"},
        "CHAIN": {"openinference.span.kind": "CHAIN"},
        "traceloop": {"traceloop.span.kind": "agent", "traceloop.entity.name": "clerk"},
    }[kind]
    span = trace.span(seeds(f"{kind}/span name"), parent=root, **attributes)
    span.trace_state = f"a={seeds(f'{kind}/trace state')}"
    span.status.code = 2
    span.status.message = seeds(f"{kind}/status message")
    event = span.events.add(
        name=seeds(f"{kind}/event name"), time_unix_nano=span.end_time_unix_nano
    )
    for key in ("exception.message", "exception.stacktrace", "exception.type", "gen_ai.prompt"):
        event.attributes.add(key=key).value.string_value = seeds(f"{kind}/event {key}")
    link = span.links.add(trace_id=b"1" * 16, span_id=b"2" * 8)
    link.attributes.add(key="why").value.string_value = seeds(f"{kind}/link")
    inner = span.attributes.add(key="nested").value.kvlist_value.values.add(key="deep")
    inner.value.array_value.values.add().string_value = seeds(f"{kind}/nested")
    span.attributes.add(key="raw").value.bytes_value = seeds(f"{kind}/bytes").encode()
    request = trace_service_pb2.ExportTraceServiceRequest.FromString(trace.request())
    resource = request.resource_spans[0]
    resource.resource.attributes.add(key="owner").value.string_value = seeds(f"{kind}/resource")
    scope = resource.scope_spans[0]
    scope.scope.version = seeds(f"{kind}/scope version")
    scope.schema_url = f"https://example.com/{seeds(f'{kind}/schema url')}"
    return request.SerializeToString(), trace


KINDS = ("chat", "execute_tool", "retrieval", "LLM", "TOOL", "CHAIN", "traceloop")


def log_request(trace, seeds, kind):
    """A log record of the last span, with seeds in body and attributes."""
    trace.log(
        "gen_ai.client.inference.operation.details",
        span=trace.spans[-1],
        body={"content": seeds(f"{kind}/log body")},
        **{"gen_ai.input.messages": seeds(f"{kind}/log attribute")},
    )
    return trace.log_request()


class Sent(Backend):
    """Keeps every byte that it is sent."""

    def __init__(self):
        super().__init__()
        self.bodies = []

    def service(self, details):
        def take(body, context):
            self.bodies.append(body)
            return b""

        return grpc.unary_unary_rpc_method_handler(take)


@pytest.fixture
def sent():
    backend = Sent()
    yield backend
    backend.stop()


def refused_by_http(service, body):
    """Return what a receiver says of JSON that breaks off after values."""
    url = f"http://{service.said(r'OTLP/HTTP on (?:http://)?([0-9.:]+)')[1]}/v1/traces"
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    return refused.value.read()


def test_personal_data_stays_inside(tmp_path, seeds, sent):
    """Neither outputs, series, API, log nor state hold it, and the findings are there."""
    settings = {
        "scoring.metrics": "[default, privacy, multiagent, sustainability]",
        "sinks.otlp": f"[{{endpoint: '{sent.endpoint}', mode: results}}]",
        "receivers.otlp.http.enabled": "true",
        "receivers.otlp.http.endpoint": "127.0.0.1:0",
    }
    with lives(tmp_path) as start:
        service = start(settings)
        for number, kind in enumerate(KINDS, start=1):
            body, trace = seeded_trace(number, seeds, kind)
            service.send(log_request(trace, seeds, kind), method=LOGS)
            service.send(body)
        with pytest.raises(grpc.RpcError) as refused:  # a broken request that holds values
            service.send(body[: len(body) // 2])
        json_text = json.dumps({"resourceSpans": [{"schemaUrl": seeds("json"), "scopeSpans": 7}]})
        answers = {"http": refused_by_http(service, json_text.encode())}
        answers["http cut"] = refused_by_http(service, json_text[:-9].encode())
        service.wait_until_scored()
        scores = tmp_path / "scores.jsonl"
        wait_for(lambda: len(read_scores(scores)) == len(KINDS))
        answers |= {"metrics": service.scrape(), "refusal": refused.value.details()}
        for path in ("", *(f"/{number:032x}" for number in range(1, len(KINDS) + 1))):
            url = f"{service.web}/api/v1/traces{path}"
            with urllib.request.urlopen(url, timeout=10) as answer:
                answers[path or "list"] = answer.read().decode()
        service.stop()
        log = "\n".join(service.log)
    assert len(sent.bodies) >= 2  # spans and events
    answers |= {f"sent {number}": body for number, body in enumerate(sent.bodies)}
    found = [score for score in read_scores(scores).values() if score["detail"]["findings"]]
    assert len(found) == len(KINDS)
    leaks = {name: seeds.leaks_in(text) for name, text in {**answers, "log": log}.items()}
    leaks |= {
        str(path.relative_to(tmp_path)): seeds.leaks_in(path.read_bytes())
        for path in files(tmp_path)
    }
    assert {name: fields for name, fields in leaks.items() if fields} == {}


def files(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def read_scores(path):
    """The pii_leakage score of each trace."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        row["trace_id"]: row
        for row in rows
        if row["metric"] == "pii_leakage" and row["output"] == "value"
    }
