"""Both clients of OTLP targets read the answers of real servers alike."""

import asyncio
import datetime as dt
from contextlib import AsyncExitStack
from socket import socket

import otlp_servers as server_says
import pytest
from certificates import Authority, replace_files
from otlp_servers import Answer, GrpcServer, HttpServer, until

from scorer.config import parse_config
from scorer.errors import PermanentError, RetryableError, TooLargeError
from scorer.sinks.otlp.build import build_target
from scorer.sinks.otlp.target import OverloadedError, RefusedError, Sent

SERVERS = {"grpc": GrpcServer, "http": HttpServer}
BODY = b"\x0a\x00" * 1000  # 1000 empty ResourceSpans


@pytest.fixture(params=["grpc", "http"])
def protocol(request):
    return request.param


@pytest.fixture
async def stack():
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
def serve(stack, protocol):
    async def serve(*args, **kwargs):
        server = SERVERS[protocol](*args, **kwargs)
        await server.start()
        stack.push_async_callback(server.stop)
        return server

    return serve


@pytest.fixture
async def server(serve):
    return await serve()


@pytest.fixture
def reach(stack, protocol):
    """Return a function that makes a client of a port; keyword arguments are settings."""

    def reach(port, host="127.0.0.1", scheme="http", **settings):
        endpoint = f"{host}:{port}"
        if protocol == "http":
            endpoint = f"{scheme}://{endpoint}"
        section = {"endpoint": endpoint, "mode": "forward", "protocol": protocol} | settings
        config = parse_config({"sinks": {"otlp": [section]}, "receivers": NOBODY_ELSE})
        target = build_target(config.sinks.otlp[0], "sinks.otlp[0]")
        stack.push_async_callback(target.close)
        return target

    return reach


NOBODY_ELSE = {"otlp": {name: {"endpoint": "127.0.0.1:0"} for name in ("grpc", "http")}}


@pytest.fixture
def target(server, reach):
    return reach(server.port)


async def refusal(target, signal="traces", body=BODY):
    with pytest.raises((RetryableError, PermanentError)) as caught:
        await target.send(signal, body)
    return caught.value


@pytest.mark.parametrize("signal", ["traces", "logs", "metrics"])
@pytest.mark.parametrize("compression", ["gzip", "none"])
async def test_a_request_arrives_byte_for_byte(server, reach, signal, compression):
    """Each signal at its own place, compressed or not."""
    target = reach(server.port, compression=compression)
    assert await target.send(signal, BODY) == Sent()
    (seen,) = server.seen
    assert (seen.signal, seen.body) == (signal, BODY)


async def test_gzip_is_used_when_it_is_asked_for(server, reach, protocol):
    """And only then."""
    name = {"grpc": "grpc-encoding", "http": "content-encoding"}[protocol]
    await reach(server.port, compression="gzip").send("traces", BODY)
    await reach(server.port, compression="none").send("traces", BODY)
    if protocol == "http":
        assert [seen.headers.get(name) for seen in server.seen] == ["gzip", None]


async def test_headers_go_with_each_request(server, reach):
    """As they are configured; over gRPC their names are lower case."""
    target = reach(server.port, headers={"Authorization": "Bearer s3cret", "X-Scope": "acme"})
    for _ in range(2):
        await target.send("traces", BODY)
    for seen in server.seen:
        assert seen.headers["authorization"] == "Bearer s3cret"
        assert seen.headers["x-scope"] == "acme"


async def test_it_says_who_it_is(server, target):
    """So that a backend's log tells."""
    await target.send("traces", BODY)
    assert server.seen[0].headers["user-agent"].startswith("Spanscore/")


async def test_a_target_that_quotes_a_secret_does_not_put_it_into_the_log(server, reach):
    """What is wrong with a token is often said by quoting it."""
    server.will_say(server_says.NO_ACCESS._replace(text="bad token s3cret"))
    error = await refusal(reach(server.port, headers={"authorization": "Bearer s3cret"}))
    assert "bad token ***" in str(error)
    assert "s3cret" not in str(error)


async def test_partial_success_is_success(server, target):
    """What was rejected is told, so that it is counted and not sent again."""
    server.will_say(Answer(text="two are odd", rejected=2))
    assert await target.send("logs", BODY) == Sent(2, "two are odd")


async def test_an_answer_that_does_not_decode_is_success(server, target):
    """The status says that it was taken."""
    server.will_say(Answer(body=b"\xff\xff\xff"))
    assert await target.send("traces", BODY) == Sent()


async def test_unavailable_may_be_sent_again(server, target):
    """Without a hint the client waits as it likes."""
    server.will_say(server_says.UNAVAILABLE)
    error = await refusal(target)
    assert (type(error), error.retry_after_s) == (RetryableError, 0)
    assert "come back" in str(error)


@pytest.mark.parametrize(
    ("answer", "delay_s"),
    [(server_says.THROTTLED, 7), (server_says.EXHAUSTED_FOR, 3)],
    ids=["unavailable", "exhausted"],
)
async def test_the_delay_that_is_asked_for_is_told(server, target, answer, delay_s):
    """RetryInfo, or Retry-After in seconds."""
    server.will_say(answer)
    error = await refusal(target)
    assert (type(error), error.retry_after_s) == (RetryableError, delay_s)


async def test_no_delay_is_endless(server, target):
    """A target cannot stop us for a year."""
    server.will_say(Answer("UNAVAILABLE", 503, after_s=31_536_000))
    assert (await refusal(target)).retry_after_s == 300


async def test_exhausted_without_a_delay_is_told_apart(server, target, protocol):
    """Over gRPC it may be final; 429 of HTTP never is."""
    server.will_say(server_says.EXHAUSTED)
    error = await refusal(target)
    assert type(error) is {"grpc": OverloadedError, "http": RetryableError}[protocol]
    assert error.retry_after_s == 0


async def test_too_large_is_told_apart(server, target):
    """Only half of it may be taken."""
    text = "grpc: received message larger than max (5 vs. 4)"
    server.will_say(Answer("RESOURCE_EXHAUSTED", 413, text))
    assert isinstance(await refusal(target), TooLargeError)


@pytest.mark.parametrize(
    ("answer", "is_about_data"),
    [
        (server_says.INVALID, True),
        (Answer("INTERNAL", 500), True),
        (server_says.UNKNOWN_SIGNAL, False),
        (server_says.NO_ACCESS, False),
        (Answer("PERMISSION_DENIED", 403), False),
    ],
    ids=lambda value: value.code if isinstance(value, Answer) else "",
)
async def test_a_final_refusal_is_told_apart(server, target, answer, is_about_data):
    """It says whether parts of the request could be taken."""
    server.will_say(answer)
    error = await refusal(target)
    assert isinstance(error, RefusedError)
    assert error.is_about_data == is_about_data
    assert answer.text in str(error)


async def test_an_answer_that_comes_too_late_is_no_answer(server, reach):
    """The request may be sent again."""
    server.will_say(Answer(delay_s=30))
    assert type(await refusal(reach(server.port, timeout="100ms"))) is RetryableError


async def test_a_refused_connection_may_be_tried_again(reach):
    """Nobody listens."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        assert type(await refusal(reach(free.getsockname()[1]))) is RetryableError


async def test_a_target_that_goes_away_and_comes_back_is_found_again(server, reach):
    """By the same client, at the same port."""
    target = reach(server.port, retry={"initial_interval": "10ms", "max_interval": "20ms"})
    await target.send("traces", BODY)
    await server.stop()
    assert type(await refusal(target)) is RetryableError
    await server.start(server.port)
    for _ in range(200):
        try:
            await target.send("traces", BODY)
        except RetryableError:
            await asyncio.sleep(0.02)  # gRPC tries to connect again after 100 ms at the earliest
            continue
        break
    assert len(server.seen) == 2


async def test_a_target_that_goes_away_in_mid_request_may_be_tried_again(server, target):
    """The connection ends without an answer."""
    server.will_say(Answer(delay_s=30))
    asking = asyncio.create_task(refusal(target))
    await until(lambda: server.seen)
    await server.stop()
    assert type(await asking) is RetryableError
    await server.start()


async def test_a_large_request_arrives(serve, reach, protocol):
    """One parcel may be larger than `max_request_size`; the target decides."""
    server = await serve()
    body = b"\x0a\x00" * 2**20
    await reach(server.port).send("traces", body)
    assert server.bodies() == [body]


class TestTls:
    """The target must prove who it is, and may ask who we are."""

    @pytest.fixture
    def authority(self, tmp_path):
        return Authority(tmp_path)

    @pytest.fixture
    def secure(self, serve, authority):
        async def secure(*names, client_ca=None):
            return await serve(authority.issue(*names), client_ca)

        return secure

    @pytest.fixture
    def tls(self, authority):
        return {"ca_file": authority.cert_file}

    async def test_a_target_of_a_trusted_authority_is_spoken_to(self, secure, reach, tls):
        """Its name is that of the endpoint."""
        server = await secure("localhost")
        await reach(server.port, "localhost", "https", tls=tls).send("traces", BODY)
        assert server.bodies() == [BODY]

    async def test_the_name_may_be_another_one(self, secure, reach, tls):
        """Where it is reached by an address that is not in its certificate."""
        server = await secure("tempo.example")
        settings = tls | {"server_name": "tempo.example"}
        await reach(server.port, "127.0.0.1", "https", tls=settings).send("traces", BODY)
        assert server.bodies() == [BODY]

    async def test_a_wrong_name_is_not_spoken_to(self, secure, reach, tls):
        """Nothing is sent; it may be put right, so the request stays."""
        server = await secure("tempo.example")
        target = reach(server.port, "localhost", "https", tls=tls)
        assert type(await refusal(target)) is RetryableError
        assert not server.seen

    async def test_an_unknown_authority_is_not_trusted(self, secure, reach, tmp_path):
        """Nor one whose name looks the same."""
        (tmp_path / "other").mkdir()
        server = await secure("localhost")
        tls = {"ca_file": Authority(tmp_path / "other").cert_file}
        target = reach(server.port, "localhost", "https", tls=tls)
        assert type(await refusal(target)) is RetryableError
        assert not server.seen

    async def test_a_target_without_tls_is_not_spoken_to(self, serve, reach, tls, protocol):
        """Nothing is sent in plain text; the log says what to do."""
        server = await serve()
        error = await refusal(reach(server.port, "localhost", "https", tls=tls))
        assert type(error) is RetryableError
        assert not server.seen
        assert protocol == "http" or "then set tls.insecure: true" in str(error)

    async def test_our_certificate_is_shown(self, secure, reach, tls, authority):
        """Mutual TLS; without one we are not let in."""
        server = await secure("localhost", client_ca=authority.cert)
        pair = authority.issue("spanscore")
        shown = tls | {"cert_file": pair.cert_file, "key_file": pair.key_file}
        await reach(server.port, "localhost", "https", tls=shown).send("traces", BODY)
        assert server.bodies() == [BODY]
        nameless = reach(server.port, "localhost", "https", tls=tls)
        assert type(await refusal(nameless)) is RetryableError
        assert len(server.seen) == 1

    async def test_a_request_that_is_under_way_when_certificates_change_may_be_sent_again(
        self, secure, reach, tls, authority
    ):
        """Its connection is closed."""
        server = await secure("localhost", client_ca=authority.cert)
        server.will_say(Answer(delay_s=30), server_says.UNAVAILABLE, server_says.OK)
        pair = authority.issue("old")
        shown = tls | {"cert_file": pair.cert_file, "key_file": pair.key_file}
        target = reach(server.port, "localhost", "https", tls=shown)
        asking = asyncio.create_task(refusal(target))
        await until(lambda: server.seen)
        replace_files(pair, authority.issue("new"))
        target._tls.reload()
        assert type(await refusal(target)) is RetryableError
        assert type(await asking) is RetryableError
        await target.send("traces", BODY)

    async def test_a_newer_certificate_is_taken_when_the_old_one_is_refused(
        self, secure, reach, tls, authority, tmp_path
    ):
        """Certificates of a day are renewed without a restart."""
        server = await secure("localhost", client_ca=authority.cert)
        hour = dt.timedelta(hours=1)
        pair = authority.issue("old", end=-hour)
        shown = tls | {"cert_file": pair.cert_file, "key_file": pair.key_file}
        target = reach(
            server.port, "localhost", "https", tls=shown, retry={"initial_interval": "10ms"}
        )
        assert type(await refusal(target)) is RetryableError
        replace_files(pair, authority.issue("new"))
        assert type(await refusal(target)) is RetryableError
        await target.send("traces", BODY)
        assert server.bodies() == [BODY]
