"""What Prometheus itself makes of /metrics.

Needs `prometheus` and `promtool` (Debian package prometheus). Without them these tests are
skipped, or fail where SPANSCORE_REQUIRE_TOOLS is 1.
"""

import asyncio
import os
import shutil
import socket

import aiohttp
import pytest

from scorer.config import parse_config
from scorer.model.score import ToolCount, TraceFacts
from scorer.sinks.prometheus import PrometheusSink
from scorer.telemetry import Telemetry
from scorer.testing import score, scored_trace
from scorer.web.recent import RecentTraces
from scorer.web.server import Health, WebServer

TRACE_ID = f"{77:032x}"
NAME = 'kaufhaus "süd" \\ 1'


def tool(name):
    path = shutil.which(name)
    if path is None:
        reason = f"{name} is not installed (apt-get install prometheus)"
        if os.environ.get("SPANSCORE_REQUIRE_TOOLS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


class NoOpenTraces:
    def describe(self, trace_id):
        return None


async def fill(telemetry):
    facts = TraceFacts(
        tokens={"input": 100},
        cost_usd=0.25,
        tool_calls=(ToolCount("search", "success", 2),),
        pii_findings={"email": 1},
        duration_s=2.5,
    )
    scores = (score("composite", 0.1, service=NAME), score("faithfulness", None, reason="x"))
    trace = scored_trace(
        77,
        service=NAME,
        scores=scores,
        breaches=("composite",),
        facts=facts,
        metric_seconds={"composite": 0.001},
    )
    await PrometheusSink(parse_config({}), telemetry).write([trace])


@pytest.fixture
async def scraped():
    """A served /metrics with one trace in it: host and port."""
    config = parse_config({"web": {"endpoint": "127.0.0.1:0"}})
    telemetry = Telemetry()
    await fill(telemetry)
    recent = RecentTraces(config, NoOpenTraces())
    server = WebServer(config, telemetry, recent, lambda: Health(listening=True, workers=True))
    await server.start()
    yield "{}:{}".format(*server.address)
    await server.stop()


async def test_promtool_has_no_complaint():
    """Names, types, help texts and the format are as Prometheus wants them."""
    telemetry = Telemetry()
    await fill(telemetry)
    process = await asyncio.create_subprocess_exec(
        tool("promtool"),
        "check",
        "metrics",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate(telemetry.snapshot().render().body)
    assert (process.returncode, output.decode()) == (0, "")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
async def prometheus(scraped, tmp_path):
    """A client of a Prometheus server that scrapes us each second."""
    binary = tool("prometheus")
    config = tmp_path / "prometheus.yml"
    config.write_text(
        "global: {scrape_interval: 1s}\n"
        f"scrape_configs: [{{job_name: spanscore, static_configs: [{{targets: ['{scraped}']}}]}}]\n"
    )
    url = f"http://127.0.0.1:{free_port()}"
    process = await asyncio.create_subprocess_exec(
        binary,
        f"--config.file={config}",
        f"--storage.tsdb.path={tmp_path / 'data'}",
        f"--web.listen-address={url.removeprefix('http://')}",
        "--enable-feature=exemplar-storage",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with aiohttp.ClientSession(url) as client:
        yield client
    process.terminate()
    await process.wait()


async def ask(client, path, **params):
    """Ask until there is an answer; a new server needs some seconds to have one."""
    async with asyncio.timeout(30):
        while True:
            try:
                async with client.get(f"/api/v1/{path}", params=params) as response:
                    answer = await response.json()
            except (aiohttp.ClientError, ValueError):
                answer = {}
            data = answer.get("data", [])
            result = data["result"] if isinstance(data, dict) else data
            if result:
                return result
            await asyncio.sleep(0.2)


async def test_prometheus_returns_our_scores_and_their_traces(prometheus):
    """A score can be queried by its labels, and its exemplar is the trace id."""
    (result,) = await ask(prometheus, "query", query='spanscore_score_sum{metric="composite"}')
    assert result["metric"]["service"] == NAME
    assert float(result["value"][1]) == pytest.approx(0.1)
    (result,) = await ask(
        prometheus,
        "query",
        query="histogram_quantile(0.5, sum by (le) (spanscore_score_bucket))",
    )
    assert 0 <= float(result["value"][1]) <= 0.1
    (series,) = await ask(
        prometheus,
        "query_exemplars",
        query="spanscore_score_bucket",
        start="2020-01-01T00:00:00Z",
        end="2100-01-01T00:00:00Z",
    )
    assert series["seriesLabels"]["metric"] == "composite"
    assert [e["labels"]["trace_id"] for e in series["exemplars"]] == [TRACE_ID]


async def test_a_scrape_of_ours_is_healthy(prometheus):
    """Prometheus takes every sample of the scrape."""
    (result,) = await ask(prometheus, "query", query='up{job="spanscore"} == 1')
    assert result["value"][1] == "1"
