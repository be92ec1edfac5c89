"""An agent that exports OTLP metrics of its own process, read by psutil, beside its spans.

`python metered_agent.py HOST:PORT [METRICS...]`: with `energy` it exports the energy of a machine
of 20 W a busy processor, with `use` its processor and memory. It runs for about two seconds.
"""

import os
import socket
import sys
import time
import uuid

import psutil
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

PROCESS = psutil.Process()
WATTS = 20.0
BEGUN = time.monotonic()


def cpu_seconds():
    times = PROCESS.cpu_times()
    return times.user + times.system


def energy(_options):
    yield Observation(WATTS * cpu_seconds() + (time.monotonic() - BEGUN), {"hw.id": "0"})


def cpu(_options):
    yield Observation(PROCESS.cpu_percent() / 100)


def memory(_options):
    yield Observation(PROCESS.memory_info().rss)


def main(endpoint, *wanted):
    resource = Resource.create(
        {
            "service.name": "metered-agent",
            "service.instance.id": str(uuid.uuid4()),
            "process.pid": os.getpid(),
            "host.name": socket.gethostname(),
        }
    )
    exporter = OTLPMetricExporter(endpoint, insecure=True)
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=200)
    meters = MeterProvider([reader], resource)
    meter = meters.get_meter("metered-agent")
    if "energy" in wanted:
        meter.create_observable_counter("hw.energy", [energy], unit="J")
    if "use" in wanted:
        meter.create_observable_gauge("process.cpu.utilization", [cpu], unit="1")
        meter.create_observable_up_down_counter("process.memory.usage", [memory], unit="By")
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, insecure=True)))
    time.sleep(0.5)
    run(tracers.get_tracer("metered-agent"))
    tracers.shutdown()
    meters.shutdown()


def run(tracer):
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "metered"}
    agent = tracer.start_as_current_span("invoke_agent", attributes=attributes)
    chat = tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"})
    with agent, chat:
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            sum(range(1000))


if __name__ == "__main__":
    main(*sys.argv[1:])
