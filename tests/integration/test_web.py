"""The web server over HTTP."""

import json
from contextlib import asynccontextmanager

import aiohttp
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.sinks.prometheus import PrometheusSink
from scorer.telemetry import Telemetry
from scorer.testing import score, scored_trace
from scorer.web.recent import RecentTraces
from scorer.web.server import Health, WebServer

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


class Assembler:
    """Has one open trace."""

    def describe(self, trace_id, tenant=""):
        return {"state": "open", "span_count": 1} if trace_id == "b" * 32 else None


class Web:
    """A server, its sinks, and a client."""

    def __init__(self, client, recent, sink):
        self.client = client
        self.recent = recent
        self.sink = sink
        self.health = Health(listening=True, workers=True)

    async def write(self, *traces):
        await self.sink.write(traces)
        await self.recent.write(traces)

    async def get(self, path, **headers):
        async with self.client.get(path, headers=headers) as response:
            return response, await response.read()

    async def json(self, path):
        response, body = await self.get(path)
        assert response.content_type == "application/json"
        return response.status, json.loads(body)


@asynccontextmanager
async def serving(**settings):
    config = parse_config({"web": {"endpoint": "127.0.0.1:0"} | settings})
    telemetry = Telemetry()
    recent = RecentTraces(config, Assembler())
    server = WebServer(config, telemetry, recent, lambda: web.health)
    await server.start()
    host, port = server.address
    async with aiohttp.ClientSession(f"http://{host}:{port}") as client:
        web = Web(client, recent, PrometheusSink(config, telemetry))
        web.telemetry = telemetry
        yield web
    await server.stop()
    await server.stop()


@pytest.fixture
async def web():
    async with serving() as started:
        yield started


def samples(families, name):
    return [s for family in families for s in family.samples if s.name == name]


async def test_metrics_are_plain_text_by_default(web):
    """Without an Accept header for OpenMetrics the text format is given."""
    await web.write(scored_trace(scores=(score(),)))
    response, body = await web.get("/metrics")
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    (count,) = samples(parse_text(body.decode()), "spanscore_score_count")
    assert count.labels["service"] == "shop"
    assert count.value == 1


async def test_openmetrics_carries_exemplars(web):
    """Asked for OpenMetrics, a score leads to its trace."""
    await web.write(scored_trace(9, scores=(score(value=0.45),)))
    response, body = await web.get("/metrics", Accept=f"{OPENMETRICS},text/plain;q=0.5")
    assert response.headers["Content-Type"].startswith("application/openmetrics-text")
    buckets = samples(parse_openmetrics(body.decode()), "spanscore_score_bucket")
    (hit,) = [bucket for bucket in buckets if bucket.exemplar]
    assert hit.labels["le"] == "0.5"
    assert hit.exemplar.labels == {"trace_id": f"{9:032x}"}
    assert hit.exemplar.value == 0.45


async def test_hostile_names_still_parse(web):
    """Quotes, backslashes, newlines and half characters in a name break neither format."""
    name = 'a"b\\c\nd} 1\n# EOF\n\x00\ud800ü'
    await web.write(
        scored_trace(service=name, agent=name, scores=(score(service=name, agent=name),))
    )
    _, plain = await web.get("/metrics")
    _, openmetrics = await web.get("/metrics", Accept=OPENMETRICS)
    for families in (parse_text(plain.decode()), parse_openmetrics(openmetrics.decode())):
        (count,) = samples(families, "spanscore_score_count")
        assert count.labels["service"] == 'a"b\\c_d} 1_# EOF___ü'
    status, document = await web.json(f"/api/v1/traces/{1:032x}")
    assert (status, document["service"]) == (200, name.replace("\ud800", "?"))


async def test_two_thousand_services_stay_within_the_cap(web):
    """The scrape does not grow with what senders invent."""
    await web.write(
        *(scored_trace(n, service=f"s{n}", scores=(score(service=f"s{n}"),)) for n in range(2_000))
    )
    _, body = await web.get("/metrics")
    counts = samples(parse_text(body.decode()), "spanscore_score_count")
    assert len(counts) == 201
    assert sum(sample.value for sample in counts) == 2_000


async def test_gauges_show_the_moment_of_the_scrape(web):
    """The refresh functions run at each scrape."""
    web.telemetry.refresh.append(lambda: web.telemetry.set("spanscore_open_traces", 42))
    _, body = await web.get("/metrics")
    assert samples(parse_text(body.decode()), "spanscore_open_traces")[0].value == 42


async def test_health_tells_alive_from_ready(web):
    """A service that is not ready is alive, and names what it lacks."""
    assert await web.json("/healthz") == (200, {"status": "alive"})
    assert await web.json("/readyz") == (200, {"status": "ready"})
    web.health = Health(listening=True, workers=False)
    status, body = await web.json("/readyz")
    assert status == 503
    assert list(body["missing"]) == ["workers"]
    assert (await web.json("/healthz"))[0] == 200


async def test_the_api_explains_a_trace(web):
    """A trace id leads to the decision log, in any case of its letters."""
    trace_id = "ab" * 16
    await web.write(scored_trace(int(trace_id, 16), scores=(score(),)))
    status, document = await web.json(f"/api/v1/traces/{trace_id.upper()}")
    assert status == 200
    assert document["state"] == "scored"
    assert document["scores"][0]["metric"] == "latency"
    status, document = await web.json(f"/api/v1/traces/{'b' * 32}")
    assert (status, document["state"]) == (200, "open")


async def test_an_unknown_trace_is_404_with_a_hint(web):
    """The answer says what may have happened to the trace."""
    status, body = await web.json(f"/api/v1/traces/{'c' * 32}")
    assert status == 404
    assert "c" * 32 in body["error"]
    assert "web.recent_traces" in body["hint"]


@pytest.mark.parametrize("trace_id", ["abc", "g" * 32, "a" * 33, "%0a" + "a" * 31, "<script>"])
async def test_a_malformed_trace_id_is_400(web, trace_id):
    """What cannot be a trace id is refused and not echoed."""
    status, body = await web.json(f"/api/v1/traces/{trace_id}")
    assert status == 400
    assert body == {"error": "a trace id is 32 hexadecimal digits"}


async def test_recent_traces_are_listed_newest_first(web):
    """`limit` bounds the list, and has bounds itself."""
    await web.write(*(scored_trace(n) for n in range(1, 6)))
    _, body = await web.json("/api/v1/traces?limit=2")
    assert [trace["trace_id"] for trace in body["traces"]] == [f"{n:032x}" for n in (5, 4)]
    _, body = await web.json("/api/v1/traces")
    assert len(body["traces"]) == 5
    for wrong in ("0", "-1", "x", "", "1e3", "999999999", "9" * 5000, "\u0665"):
        status, body = await web.json(f"/api/v1/traces?limit={wrong}")
        assert status == 400
        assert "limit" in body["error"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
async def test_nothing_can_be_changed(web, method):
    """Every method but GET is refused."""
    for path in ("/metrics", "/api/v1/traces", "/readyz"):
        async with web.client.request(method, path) as response:
            assert response.status == 405
            assert "GET" in response.headers["Allow"]
            assert response.content_type == "application/json"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/debug",
        "/debug/pprof",
        "/debug/pprof/",
        "/debug/tracez",
        "/docs",
        "/openapi.json",
        "/.env",
        "/config",
        "/api/v1",
        "/metrics/",
    ],
)
async def test_there_is_nothing_else(web, path):
    """No debug page, no configuration; an unknown path answers with the known ones."""
    status, body = await web.json(path)
    assert status == 404
    assert "/metrics" in body["routes"]


async def test_answers_are_not_kept_and_not_guessed_at(web):
    """A browser neither caches an answer nor takes it for a page."""
    await web.write(scored_trace(service="<script>alert(1)</script>"))
    for path in ("/metrics", "/api/v1/traces", "/nowhere"):
        response, _ = await web.get(path)
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cache-Control"] == "no-store"
        assert "html" not in response.headers["Content-Type"]


async def test_a_port_in_use_names_the_endpoint_and_its_key(web):
    """The start fails with one clear line."""
    endpoint = f"127.0.0.1:{web.client._base_url.port}"
    config = parse_config({"web": {"endpoint": endpoint}})
    other = WebServer(config, Telemetry(), web.recent, lambda: web.health)
    with pytest.raises(ConfigError, match=rf"web\.endpoint: cannot listen on {endpoint}: .*in use"):
        await other.start()
    await other.stop()


async def test_a_host_that_is_not_ours_is_an_error_too():
    """Not only a port in use is told."""
    with pytest.raises(ConfigError, match=r"web\.endpoint: cannot listen on 192\.0\.2\.1:1: "):
        async with serving(endpoint="192.0.2.1:1", insecure=True):
            pass
