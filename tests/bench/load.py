"""The load of the benchmarks: OTLP requests of real-looking agent spans with fresh ids."""

import itertools
import json
import os
from collections.abc import Iterator

from opentelemetry.proto.trace.v1 import trace_pb2

from scorer.testing import TraceBuilder

SPANS_PER_TRACE = 20
TRACES_PER_REQUEST = 5
_PASSAGE = (
    "The warranty of the kettle covers defects in material for 24 months from the date of "
    "purchase. Send the device with the receipt to the service centre in Graz. Damage by "
    "limescale is not covered, and opening the case ends the warranty at once. "
)
_ANSWER = "The warranty covers defects in material for 24 months. Limescale is not covered."
TEXTS = (_PASSAGE, _ANSWER)


def agent_trace(trace_id: int) -> TraceBuilder:
    """Return a trace of 20 spans of about 1.3 KB: an agent with retrieval, models and tools."""
    trace = TraceBuilder(trace_id, service="bench", scope="opentelemetry.instrumentation.bench")
    question = "What does the warranty of my kettle cover, and for how long?"
    root = trace.span(
        "invoke_agent helper",
        duration_s=9,
        **{
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "helper",
            "gen_ai.conversation.id": f"session-{trace_id % 50}",
            "gen_ai.input.messages": _messages("user", question),
            "gen_ai.output.messages": _messages("assistant", _ANSWER),
            "padding": _PASSAGE * 3,
        },
    )
    for number in range(6):
        trace.span(
            "retrieval",
            parent=root,
            start_s=number,
            **{
                "gen_ai.operation.name": "retrieval",
                "gen_ai.retrieval.query.text": question,
                "gen_ai.retrieval.documents": (
                    '[{"id": "d1", "score": 0.9, "content": "' + _PASSAGE + '"}]'
                ),
                "padding": _PASSAGE * 3,
            },
        )
        trace.span(
            "chat gpt-4o-mini",
            parent=root,
            start_s=number + 0.2,
            **{
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "gpt-4o-mini",
                "gen_ai.usage.input_tokens": 420,
                "gen_ai.usage.output_tokens": 33,
                "gen_ai.input.messages": _messages("user", question + " " + _PASSAGE),
                "gen_ai.output.messages": _messages("assistant", _ANSWER),
                "gen_ai.response.finish_reasons": ["stop"],
                "padding": _PASSAGE * 2,
            },
        )
        trace.span(
            "execute_tool lookup",
            parent=root,
            start_s=number + 0.4,
            **{
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "lookup",
                "gen_ai.tool.call.id": f"call_{number}",
                "gen_ai.tool.call.arguments": '{"article": "kettle", "page": 3}',
                "gen_ai.tool.call.result": '{"text": "' + _PASSAGE + '"}',
                "padding": _PASSAGE * 3,
            },
        )
    trace.span("POST /answer", parent=root, **{"http.response.status_code": 200, "p": _PASSAGE * 5})
    return trace


def _messages(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


class Requests:
    """An endless supply of requests of 100 spans (5 whole traces), each with fresh trace ids."""

    def __init__(self) -> None:
        self._ids = [n.to_bytes(16, "big") for n in range(1, TRACES_PER_REQUEST + 1)]
        request = trace_pb2.TracesData()
        for n in range(1, TRACES_PER_REQUEST + 1):
            request.MergeFrom(trace_pb2.TracesData.FromString(agent_trace(n).request()))
        self._template = request.SerializeToString()
        self._run = os.urandom(8)
        self._numbers = itertools.count(1)
        self.spans = SPANS_PER_TRACE * TRACES_PER_REQUEST
        self.bytes_per_span = len(self._template) / self.spans

    def __iter__(self) -> Iterator[bytes]:
        while True:
            body = self._template
            for old in self._ids:
                body = body.replace(old, self._run + next(self._numbers).to_bytes(8, "big"))
            yield body
