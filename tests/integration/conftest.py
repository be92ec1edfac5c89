from contextlib import AsyncExitStack

import aiohttp
import pytest
from google.protobuf import json_format
from google.rpc import status_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from scorer.config import parse_config
from scorer.otlp.split import split_logs, split_traces
from scorer.receivers.http_request import JSON, PROTOBUF
from scorer.registry import load
from scorer.telemetry import Telemetry
from scorer.testing import RecordingIngest


class SplittingIngest(RecordingIngest):
    """Records what can be split, as the real one would."""

    def traces(self, body, *, tenant=""):
        split_traces(body)
        return super().traces(body, tenant=tenant)

    def logs(self, body, *, tenant=""):
        split_logs(body)
        return super().logs(body, tenant=tenant)


@pytest.fixture
def ingest():
    return SplittingIngest()


@pytest.fixture
def telemetry():
    return Telemetry()


@pytest.fixture
async def start_receiver(ingest, telemetry):
    """Return a function that starts a receiver on a free port; it is stopped after the test."""
    async with AsyncExitStack() as stack:

        async def start(name, **settings):
            protocol = name.removeprefix("otlp_")
            section = {"endpoint": "127.0.0.1:0"} | settings
            # Whatever the other tests left in this process, there is room for bodies.
            memory = {"memory": "2GiB"}
            config = parse_config({"receivers": {"otlp": {protocol: section}}, "assembly": memory})
            receiver = load("receivers", name)(config, ingest, telemetry)
            await receiver.start()
            stack.push_async_callback(receiver.stop, 0.1)
            return receiver

        yield start


@pytest.fixture
def traces_request():
    """A request with two valid spans."""
    request = trace_service_pb2.ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number in (1, 2):
        spans.add(trace_id=bytes([7] * 16), span_id=bytes([number] * 8), name=f"span {number}")
    return request


@pytest.fixture
async def session():
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        yield session


class Answer:
    """The answer of an HTTP receiver."""

    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.type = response.content_type
        self.body = body

    def message(self, kind):
        """Return the body as a message of this kind, in whichever encoding it is."""
        if self.type == JSON:
            return json_format.Parse(self.body, kind())
        assert self.type == PROTOBUF
        return kind.FromString(self.body)

    @property
    def error(self):
        return self.message(status_pb2.Status)

    @property
    def traces(self):
        return self.message(trace_service_pb2.ExportTraceServiceResponse)


@pytest.fixture
def post(session):
    async def send(url, body=b"", content_type=PROTOBUF, path="/v1/traces", **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if content_type is not None:
            names["Content-Type"] = content_type
        async with session.post(url + path, data=body, headers=names) as response:
            return Answer(response, await response.read())

    return send
