"""Who may ask the web endpoint what: tokens, tenants, TLS, client certificates."""

import asyncio
import json
import ssl
from contextlib import asynccontextmanager

import aiohttp
import pytest
import uvloop
from certificates import Authority, client_context, replace_files

from scorer.config import parse_config
from scorer.telemetry import Telemetry
from scorer.testing import scored_trace
from scorer.web.recent import RecentTraces
from scorer.web.server import Health, WebServer

ALL, ACME = "a-token-without-tenant", "the-token-of-acme"
ID = f"{1:032x}"
PROTECTED = (
    "/metrics",
    "/api/v1/traces",
    f"/api/v1/traces/{ID}",
    "/api/v1/traces/nonsense",
    "/",
    "/debug/pprof",
    "/healthz/",
    "//healthz",
    "/HEALTHZ",
)


class Assembler:
    """Has one open trace, of acme."""

    def describe(self, trace_id, tenant=""):
        known = (trace_id, tenant) == ("b" * 32, "acme")
        return {"state": "open", "span_count": 1} if known else None


class Web:
    """A running server and how to ask it."""

    def __init__(self, server, session, scheme):
        self.server = server
        self.session = session
        host, port = server.address
        self.url = f"{scheme}://{host}:{port}"

    async def get(self, path, token=None, **options):
        """Return status, JSON (or None) and headers of the answer."""
        headers = options.pop("headers", {})
        if token is not None:
            headers = headers | {"Authorization": f"Bearer {token}"}
        async with self.session.get(self.url + path, headers=headers, **options) as response:
            body = await response.read()
            data = json.loads(body) if response.content_type == "application/json" else None
            return response.status, data, response.headers


@asynccontextmanager
async def serving(**section):
    config = parse_config({"web": {"endpoint": "127.0.0.1:0"} | section})
    recent = RecentTraces(config, Assembler())
    await recent.write(
        [
            scored_trace(1, service="plain"),
            scored_trace(1, tenant="acme", service="of acme"),
            scored_trace(2, tenant="other", service="of other"),
        ]
    )
    health = Health(listening=True, workers=True)
    server = WebServer(config, Telemetry(), recent, lambda: health)
    await server.start()
    # A connection for each request: certificates are looked at when one is made.
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=connector) as session:
        yield Web(server, session, "https" if "tls" in section else "http")
    await server.stop()


@pytest.fixture
def tokens(tmp_path):
    path = tmp_path / "tokens"
    path.touch(mode=0o600)
    path.write_text(f"{ALL}\n{ACME} acme\n")
    return path


@pytest.fixture
async def web(tokens):
    async with serving(auth={"bearer_tokens_file": str(tokens)}) as started:
        yield started


def services(answer):
    return [trace["service"] for trace in answer[1]["traces"]]


@pytest.mark.parametrize("path", PROTECTED)
async def test_every_route_but_health_needs_a_token(path, web):
    """Unknown paths too, so that nobody learns which ones there are."""
    status, body, headers = await web.get(path)
    assert status == 401
    assert body == {"error": "send the header `authorization: Bearer TOKEN`"}
    assert headers["WWW-Authenticate"] == "Bearer"
    assert headers["Cache-Control"] == "no-store"
    status, body, _ = await web.get(path, "an-unknown-token-of-some-length")
    assert (status, body) == (401, {"error": "the token is not known"})


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "DELETE", "HEAD"])
async def test_no_method_goes_around_the_token(method, web):
    """Whatever is asked with it; health can only be read."""
    for path in ("/metrics", "/nowhere"):
        async with web.session.request(method, web.url + path) as response:
            assert response.status == 401
    async with web.session.post(web.url + "/healthz") as response:
        assert response.status == 401


async def test_health_needs_no_token(web):
    """The probes of an orchestrator have none."""
    assert (await web.get("/healthz"))[:2] == (200, {"status": "alive"})
    assert (await web.get("/readyz"))[:2] == (200, {"status": "ready"})
    assert (await web.get("/healthz", "a-wrong-token-of-a-prober"))[0] == 200


async def test_two_tokens_in_one_request_are_refused(web):
    """A proxy before us might have looked at the other one."""
    headers = [("Authorization", f"Bearer {ALL}"), ("Authorization", f"Bearer {ACME}")]
    async with web.session.get(web.url + "/api/v1/traces", headers=headers) as response:
        assert response.status == 401


async def test_a_token_without_a_tenant_sees_all(web):
    """`?tenant=` chooses one of them; empty = the traces without a tenant."""
    assert (await web.get("/metrics", ALL))[0] == 200
    assert services(await web.get("/api/v1/traces", ALL)) == ["of other", "of acme", "plain"]
    assert services(await web.get("/api/v1/traces?tenant=acme", ALL)) == ["of acme"]
    assert services(await web.get("/api/v1/traces?tenant=", ALL)) == ["plain"]
    assert (await web.get(f"/api/v1/traces/{ID}", ALL))[1]["service"] == "plain"
    assert (await web.get(f"/api/v1/traces/{ID}?tenant=acme", ALL))[1]["service"] == "of acme"


async def test_a_token_of_a_tenant_sees_that_tenant_only(web):
    """The list, a finished trace, and an open one."""
    assert services(await web.get("/api/v1/traces", ACME)) == ["of acme"]
    assert services(await web.get("/api/v1/traces?tenant=acme", ACME)) == ["of acme"]
    assert (await web.get(f"/api/v1/traces/{ID}", ACME))[1]["service"] == "of acme"
    assert (await web.get(f"/api/v1/traces/{2:032x}", ACME))[0] == 404
    status, document, _ = await web.get(f"/api/v1/traces/{'b' * 32}", ACME)
    assert (status, document["state"]) == (200, "open")
    assert (await web.get(f"/api/v1/traces/{'b' * 32}", ALL))[0] == 404


@pytest.mark.parametrize("path", ["/api/v1/traces", f"/api/v1/traces/{ID}"])
@pytest.mark.parametrize("other", ["other", "", "ACME"])
async def test_a_token_of_a_tenant_cannot_choose_another(other, path, web):
    """It is told, not quietly answered with its own."""
    status, body, _ = await web.get(f"{path}?tenant={other}", ACME)
    assert status == 403
    assert body == {"error": "your token is of tenant acme, and sees no other tenant"}


async def test_metrics_are_not_for_a_tenant(web):
    """They are about all of them."""
    status, body, _ = await web.get("/metrics", ACME)
    assert status == 403
    assert "/metrics is about all tenants" in body["error"]


async def test_an_open_door_sees_all_tenants():
    """Without tokens everybody on this machine does."""
    async with serving() as web:
        assert (await web.get("/metrics"))[0] == 200
        assert services(await web.get("/api/v1/traces")) == ["of other", "of acme", "plain"]
        assert services(await web.get("/api/v1/traces?tenant=other")) == ["of other"]


async def test_tokens_are_read_again(web, tokens):
    """A removed token stops working, a wrong file changes nothing."""
    tokens.write_text("short\n")
    web.server.reload()
    assert (await web.get("/metrics", ALL))[0] == 200
    tokens.write_text("the-new-token-of-all\n")
    web.server.reload()
    assert (await web.get("/metrics", ALL))[0] == 401
    assert (await web.get("/metrics", "the-new-token-of-all"))[0] == 200


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


@pytest.fixture
def pair(authority):
    """The server's certificate."""
    return authority.issue("127.0.0.1", file="server")


@pytest.fixture
def tls(pair):
    """The TLS section of the server."""
    return {"cert_file": pair.cert_file, "key_file": pair.key_file}


async def test_tls_is_spoken_and_nothing_else(tls, authority):
    """A client that trusts the authority is served; a plain one is hung up on."""
    async with serving(tls=tls) as web:
        assert (await web.get("/healthz", ssl=client_context(authority)))[0] == 200
        assert (await web.get("/metrics", ssl=client_context(authority)))[0] == 200
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await web.get("/healthz")
        web.url = web.url.replace("https", "http")
        with pytest.raises(aiohttp.ClientError):
            await web.get("/healthz")


async def test_tls_and_tokens_go_together(tls, authority, tokens):
    """TLS alone does not let in."""
    async with serving(tls=tls, auth={"bearer_tokens_file": str(tokens)}) as web:
        context = client_context(authority)
        assert (await web.get("/metrics", ssl=context))[0] == 401
        assert (await web.get("/metrics", ALL, ssl=context))[0] == 200


async def check_names(tls, authority):
    """Ask with a certificate of the right name, with one of another name, and without one."""
    good, bad = authority.issue("prometheus.example"), authority.issue("other.example")
    names = {"client_ca_file": authority.cert_file, "client_names": ["prometheus.example"]}
    async with serving(tls=tls | names) as web:
        assert (await web.get("/metrics", ssl=client_context(authority, good)))[0] == 200
        wrong = client_context(authority, bad)
        status, body, _ = await web.get("/metrics", ssl=wrong)
        assert status == 403
        assert "other.example" in body["error"]
        assert "prometheus.example" not in body["error"]
        assert (await web.get("/healthz", ssl=wrong))[0] == 200
        with pytest.raises((aiohttp.ClientError, ssl.SSLError)):
            await web.get("/healthz", ssl=client_context(authority))


async def test_a_client_certificate_needs_one_of_the_names(tls, authority):
    """Of the right CA but another name: 403, health excepted; without a certificate: no TLS."""
    await check_names(tls, authority)


def test_the_same_holds_on_the_loop_of_the_service(tls, authority):
    """`serve` runs uvloop, whose transports are of classes of their own."""
    uvloop.run(check_names(tls, authority))


async def test_certificates_are_read_again(tls, pair, authority, tmp_path):
    """The new server certificate is shown, and a removed CA no longer lets in."""
    stranger = Authority(tmp_path, "stranger")
    cas = tmp_path / "cas.pem"
    cas.write_bytes(authority.cert + stranger.cert)
    theirs = client_context(authority, stranger.issue("client.example"))
    async with serving(tls=tls | {"client_ca_file": str(cas)}) as web:
        assert (await web.get("/metrics", ssl=theirs))[0] == 200
        cas.write_bytes(authority.cert)
        web.server.reload()
        with pytest.raises((aiohttp.ClientError, ssl.SSLError)):
            await web.get("/metrics", ssl=theirs)
        ours = authority.issue("ours.example")
        assert (await web.get("/metrics", ssl=client_context(authority, ours)))[0] == 200
        replace_files(pair, stranger.issue("127.0.0.1", file="newer"))
        web.server.reload()
        assert (await web.get("/metrics", ssl=client_context(stranger, ours)))[0] == 200


async def test_a_slow_head_does_not_hold_a_connection(monkeypatch):
    """Byte by byte or not at all: after the idle time the server hangs up."""
    monkeypatch.setattr("scorer.web.server._IDLE_SECONDS", 0.2)
    async with serving() as web:
        host, port = web.server.address
        reader, writer = await asyncio.open_connection(host, port)

        async def drip():
            writer.write(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
            while True:
                writer.write(b"x")
                await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        assert await asyncio.wait_for(reader.read(), 10) == b""
        dripping.cancel()
        writer.close()
