"""OTLP metrics of an agent's process beside its spans: live, replayed, inspected."""

import asyncio
import json

import grpc.aio
import pytest
from google.protobuf.json_format import MessageToJson
from metric_requests import data, metric
from serving import serving

from scorer.cli.main import main
from scorer.config import parse_config
from scorer.receivers.replay import replay
from scorer.sinks.jsonl import ScoresFile
from scorer.testing import RecordingSink, TraceBuilder

EXPORT = "/opentelemetry.proto.collector.{}.v1.{}Service/Export"
S = 10**9


def agent_trace(number, start_s):
    builder = TraceBuilder(number)
    attributes = {"gen_ai.operation.name": "invoke_agent", "spanscore.energy_kwh": 99.0}
    builder.span("invoke_agent", start_s=start_s, duration_s=10, **attributes)
    return builder


def process_metrics(seconds):
    """What a process exports every 5 s: 720 kW, half of a processor, 2 GiB."""
    return data(
        metric("hw.energy", [(0, seconds, 720e3 * seconds)], kind="cumulative", unit="J"),
        metric("process.cpu.utilization", [(seconds, 0.5)], unit="1"),
        metric("process.memory.usage", [(seconds, 2**31)], kind="cumulative", monotonic=False),
        metric("http.server.duration", [(seconds, 1.0)], unit="s"),
    )


TRACES = [agent_trace(number, 20 * number) for number in (1, 2, 3)]
METRICS = [process_metrics(seconds) for seconds in range(0, 60, 5)]


@pytest.fixture
def folder(tmp_path):
    """A folder as the file exporter of a collector fills it: a file of each signal."""
    made = tmp_path / "stored"
    made.mkdir()
    (made / "traces.pb").write_bytes(b"".join(_framed(t.request()) for t in TRACES))
    lines = [MessageToJson(m, indent=None, use_integers_for_enums=True) for m in METRICS]
    (made / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    return made


def _framed(body):
    return len(body).to_bytes(4, "big") + body


SCORING = {"workers": 0, "metrics": ["sustainability"]}


def config(**sections):
    return parse_config({"scoring": SCORING} | sections)


def values(scores):
    return {
        (score.trace_id[-1], score.metric, score.output): score.value
        for trace in scores
        for score in trace.scores
        if score.status == "scored"
    }


async def test_stored_metrics_are_scored_with_the_spans_of_their_time(folder):
    """2 kWh in 10 s: 0.1 / 2, and 0.05 / (2 * 0.475)."""
    sink = RecordingSink()
    summary = await replay(config(), [str(folder)], sinks=[sink])
    assert summary.problems == ()
    found = values(sink.traces)
    for number in "12":
        assert found[number, "energy_consumption", "value"] == pytest.approx(0.05)
        assert found[number, "energy_consumption", "energy_kwh"] == pytest.approx(2.0)
        assert found[number, "carbon_emissions", "carbon_kg"] == pytest.approx(0.95)
        assert found[number, "resource_utilization", "cpu"] == 1.0
        assert found[number, "resource_utilization", "memory"] == 1.0
    energy = next(s for s in sink.traces[0].scores if s.metric == "energy_consumption")
    assert energy.detail["source"] == "otlp_metrics: hw.energy"
    assert energy.detail["measured_share"] == 1.0
    assert energy.explanation == ("energy by OTLP metric hw.energy: measured for 100% of the time")


async def test_without_metrics_spans_speak_for_themselves(folder):
    """And where they do not, there is a reason, never a perfect score."""
    (folder / "metrics.jsonl").unlink()
    sink = RecordingSink()
    await replay(config(), [str(folder)], sinks=[sink])
    by_name = {s.metric: s for s in sink.traces[0].scores if s.output == "value"}
    assert by_name["energy_consumption"].detail["source"] == "span_attribute"
    assert by_name["resource_utilization"].status == "not_applicable"
    assert by_name["resource_utilization"].reason == "no_resources"


async def test_live_metrics_give_the_scores_of_a_replay(folder, tmp_path):
    """Sent over gRPC in the order of their times: equal but for the reason of the close."""
    replayed, live = tmp_path / "replay.jsonl", tmp_path / "live.jsonl"
    await replay(config(), [str(folder)], sinks=[ScoresFile(replayed)])
    messages = [(t.spans[0].end_time_unix_nano, "trace", "Trace", t.request()) for t in TRACES]
    messages += [
        (
            m.resource_metrics[0].scope_metrics[0].metrics[1].gauge.data_points[0].time_unix_nano,
            "metrics",
            "Metrics",
            m.SerializeToString(),
        )
        for m in METRICS
    ]
    settings = {
        "scoring": SCORING,
        "assembly": {"linger": "100ms"},
        "sinks": {"jsonl": {"path": str(live)}},
        "state_dir": str(tmp_path / "state"),
    }
    async with serving(**settings) as service:
        host, port = service.addresses["otlp_grpc"]
        async with grpc.aio.insecure_channel(f"{host}:{port}") as channel:
            for _, signal, name, body in sorted(messages):
                await channel.unary_unary(EXPORT.format(signal, name))(body)
    assert service.telemetry.value("spanscore_readings_total", outcome="kept") == 36
    assert service.telemetry.value("spanscore_reading_resources") == 1
    assert by_id(live) == by_id(replayed)
    assert len(by_id(live)) == 24


def by_id(path):
    scores = [json.loads(line) for line in path.read_bytes().splitlines()]
    return {score["id"]: score | {"close_reason": None} for score in scores}


async def test_nothing_is_kept_when_no_metric_asks_for_it(folder):
    """The default group does not: metrics are counted, as ever."""
    sink = RecordingSink()
    await replay(config(scoring=SCORING | {"metrics": ["latency"]}), [str(folder)], sinks=[sink])
    assert {s.metric for trace in sink.traces for s in trace.scores} == {"latency"}


def test_metrics_lists_what_they_feed(folder, capsys):
    """`--fed-by` reads the metrics in the folder, as `inspect` does."""
    command = ["metrics", "--json", "--fed-by", str(folder)]
    assert main(command) == 0
    with_metrics = capsys.readouterr().out
    (folder / "metrics.jsonl").unlink()
    assert main(command) == 0
    without = capsys.readouterr().out
    assert [_lists(out, "resource_utilization") for out in (with_metrics, without)] == [True, False]


def _lists(out, name):
    return any(json.loads(row)["name"] == name for row in out.splitlines())


def test_inspect_shows_which_metrics_can_run_with_them(folder, capsys):
    """The view of `inspect` has what the metrics in the folder say."""
    names = "scoring.metrics=[resource_utilization]"
    command = ["inspect", str(folder), "--coverage", "--json", "--set", names]
    assert main(command) == 0
    with_metrics = capsys.readouterr().out
    (folder / "metrics.jsonl").unlink()
    assert main(command) == 0
    without = capsys.readouterr().out
    assert "no_resources" in without
    assert "no_resources" not in with_metrics


@pytest.mark.parametrize("is_wanted", [False, True])
async def test_the_machine_is_read_only_where_that_is_asked_for(tmp_path, monkeypatch, is_wanted):
    """`scoring.readings.host`; what is read goes to the same readings."""
    asked = []

    async def read(readings):
        asked.append(readings)
        await asyncio.Event().wait()

    monkeypatch.setattr("scorer.service.read_host", read)
    scoring = SCORING | {"readings": {"host": is_wanted}}
    async with serving(state_dir=str(tmp_path / "state"), scoring=scoring):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert len(asked) == is_wanted
