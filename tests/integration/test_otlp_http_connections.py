"""OTLP/HTTP as seen on the wire: slow and broken connections, start and stop."""

import asyncio
import contextlib

import pytest

from scorer.config import parse_config
from scorer.errors import ConfigError
from scorer.receivers.http_request import PROTOBUF
from scorer.receivers.otlp_http import OtlpHttpReceiver


@pytest.fixture
def start(start_receiver):
    async def run(**settings):
        receiver = await start_receiver("otlp_http", **settings)
        return receiver, "http://{}:{}".format(*receiver.address)

    return run


@pytest.fixture
async def url(start):
    return (await start())[1]


# h10, h11


class Connection:
    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer

    async def send(self, data):
        self._writer.write(data)
        await self._writer.drain()

    async def status(self):
        """Read one answer with its body; return its status."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        if "content-length: " in head:
            await self._reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
        return int(head.split()[1])

    async def is_closed(self):
        return await self._reader.read() == b""


@pytest.fixture
async def connect():
    writers = []

    async def open_connection(receiver):
        reader, writer = await asyncio.open_connection(*receiver.address)
        writers.append(writer)
        return Connection(reader, writer)

    yield open_connection
    for writer in writers:
        writer.close()


def head(length=None, **headers):
    lines = ["POST /v1/traces HTTP/1.1", "Host: x", f"Content-Type: {PROTOBUF}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode()


async def test_chunked_bodies_are_taken(url, post, ingest, traces_request):
    """A body without Content-Length is read to its end."""
    body = traces_request.SerializeToString()

    async def pieces():
        for byte in body:
            yield bytes([byte])

    assert (await post(url, pieces())).status == 200
    assert ingest.of("traces") == [body]


async def test_a_slow_body_is_cut_off(start, connect, ingest, telemetry):
    """A body that does not arrive in time is 408, however it drips, and the connection closes."""
    receiver, _ = await start(read_timeout="200ms")
    connection = await connect(receiver)
    await connection.send(head(1000))

    async def drip():
        while True:
            await connection.send(b"x")
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    assert await connection.status() == 408
    dripping.cancel()
    assert await connection.is_closed()
    assert not ingest.requests
    assert telemetry.value("spanscore_requests_total", code="408") == 1


async def test_damaged_chunks_are_a_bad_request(start, connect, ingest):
    """A transfer encoding that does not parse is 400."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(head(Transfer_Encoding="chunked") + b"3\r\nabc\r\nzz\r\n")
    assert await connection.status() == 400
    assert not ingest.requests


async def test_damaged_chunks_are_refused_while_the_body_is_awaited(start, connect):
    """At once, not when the time for the body is over."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(head(Transfer_Encoding="chunked", Expect="100-continue"))
    assert await connection.status() == 100
    await connection.send(b"3\r\nabc\r\nzz\r\n")
    async with asyncio.timeout(5):
        assert await connection.status() == 400


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00", b"GARBAGE\r\n\r\n", b"\0" * 100])
async def test_what_is_no_http_is_refused_without_a_log(start, connect, caplog, data):
    """TLS or noise on the port is answered or closed; a traceback each would fill the log."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(data + b"\r\n\r\n")
    assert await connection.status() == 400
    assert not caplog.records


@pytest.mark.parametrize("separator", ["\n", " :x\r\n", "\x01\r\n"])
async def test_what_is_no_http_is_not_quoted(start, connect, caplog, separator):
    """A token in it would stand in the answer and in the log."""
    caplog.set_level("DEBUG")
    receiver, _ = await start()
    connection = await connect(receiver)
    text = f"POST /v1/traces HTTP/1.1\r\nAuthorization: Bearer SECRET{separator}\r\n\r\n"
    await connection.send(text.encode())
    answer = await connection._reader.read()
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.0 400"))
    assert b"SECRET" not in answer
    assert "SECRET" not in caplog.text


async def test_a_sender_that_goes_away_is_counted_only(start, connect, post, ingest, telemetry):
    """Half a request is no fault of ours and nothing is taken of it."""
    receiver, url = await start()
    connection = await connect(receiver)
    await connection.send(head(1000) + b"x")
    while not telemetry.value("spanscore_requests_total", code="disconnected"):
        connection._writer.close()
        await asyncio.sleep(0.01)
    assert not ingest.requests
    assert telemetry.value("spanscore_receiver_faults_total") == 0
    assert (await post(url)).status == 200


async def test_a_client_may_wait_for_100_continue(start, connect):
    """The body is asked for only when the head is right."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(head(2, Expect="100-continue"))
    assert await connection.status() == 100
    await connection.send(b"\x0a\x00")
    assert await connection.status() == 200


async def test_a_wrong_head_is_refused_without_100_continue(start, connect):
    """A client that waits need not send a body that will be refused."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(head(2, Expect="100-continue", Content_Encoding="br"))
    assert await connection.status() == 415


async def test_connections_are_kept(start, connect):
    """Several requests go over one connection, a refused one among them."""
    receiver, _ = await start()
    connection = await connect(receiver)
    for body, status in [(b"\x0a\x00", 200), (b"\xff\xff", 400), (b"\x0a\x00", 200)]:
        await connection.send(head(2) + body)
        assert await connection.status() == status


async def test_idle_connections_do_not_block_others(start, connect, post):
    """Connections that never send anything leave room for those that do."""
    receiver, url = await start()
    for _ in range(200):
        await connect(receiver)
    assert (await post(url)).status == 200


async def test_a_new_connection_takes_the_place_of_an_idle_one(start, connect, post, telemetry):
    """Over `max_connections` the one idle for longest is closed; busy ones stay."""
    receiver, _ = await start(max_connections=3)
    busy, idle, idle_later = [await connect(receiver) for _ in range(3)]
    await busy.send(head(2, Expect="100-continue"))
    assert await busy.status() == 100
    newest = await connect(receiver)
    assert await idle.is_closed()
    for connection in (idle_later, newest):
        await connection.send(head(2) + b"\x0a\x00")
        assert await connection.status() == 200
    await busy.send(b"\x0a\x00")
    assert await busy.status() == 200
    assert telemetry.value("spanscore_refused_connections_total", receiver="otlp_http") == 1


async def test_when_every_connection_is_busy_a_new_one_is_closed(start, connect):
    """Requests that are under way are not given up for one that may never come."""
    receiver, _ = await start(max_connections=1)
    busy = await connect(receiver)
    await busy.send(head(2, Expect="100-continue"))
    assert await busy.status() == 100
    assert await (await connect(receiver)).is_closed()
    await busy.send(b"\x0a\x00")
    assert await busy.status() == 200


@pytest.mark.parametrize("sent", [b"", b"POST /v1/traces HTTP/1.1\r\nHost: x\r\n"])
async def test_a_connection_without_a_whole_head_is_closed(start, connect, sent):
    """After `idle_timeout`, whether nothing came or a head that does not end."""
    receiver, _ = await start(idle_timeout="200ms")
    connection = await connect(receiver)
    await connection.send(sent)
    async with asyncio.timeout(5):
        assert await connection.is_closed()


async def test_a_head_that_drips_is_cut_off(start, connect):
    """Each byte in time does not make the whole head in time."""
    receiver, _ = await start(idle_timeout="300ms")
    connection = await connect(receiver)

    async def drip():
        for byte in head(0) * 10:
            await connection.send(bytes([byte]))
            await asyncio.sleep(0.02)

    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(3):
            dripping = asyncio.create_task(drip())
            assert await connection.is_closed()
    dripping.cancel()


async def test_an_endless_head_is_refused(start, connect):
    """Headers are bounded in size and number."""
    receiver, _ = await start()
    for many in (b"X: " + b"x" * 70_000, b"".join(b"X-%d: 1\r\n" % n for n in range(500))):
        connection = await connect(receiver)
        await connection.send(head(0)[:-2] + many + b"\r\n\r\n")
        assert await connection.status() == 400


# start and stop


async def test_stop_finishes_what_is_in_flight(start, connect, ingest):
    """A request whose body is still arriving is taken; new connections are not."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(head(2, Expect="100-continue") + b"\x0a")
    assert await connection.status() == 100  # so the request is being handled
    stopping = asyncio.create_task(receiver.stop(5))
    await asyncio.sleep(0.05)
    assert not stopping.done()
    with pytest.raises(ConnectionRefusedError):
        await connect(receiver)
    await connection.send(b"\x00")
    assert await connection.status() == 200
    await stopping
    assert await connection.is_closed()
    assert ingest.of("traces") == [b"\x0a\x00"]


async def test_stop_does_not_wait_longer_than_its_grace(start, connect, ingest):
    """A body that does not arrive is given up after the grace period."""
    receiver, _ = await start()
    connection = await connect(receiver)
    await connection.send(head(2, Expect="100-continue") + b"\x0a")
    assert await connection.status() == 100  # so the request is being handled
    async with asyncio.timeout(3):
        await receiver.stop(0.1)
    assert not ingest.requests


async def test_after_stop_the_port_is_free(start, post):
    """Another receiver can listen on the port of a stopped one at once; stop may be repeated."""
    receiver, url = await start()
    assert (await post(url)).status == 200
    assert receiver.is_listening
    await receiver.stop(1)
    await receiver.stop(1)
    assert not receiver.is_listening
    again, _ = await start(endpoint=f"127.0.0.1:{receiver.address[1]}")
    assert again.address == receiver.address


async def test_a_taken_port_is_a_clear_error(start):
    """Two receivers on one port: the second says which endpoint and which key to change."""
    receiver, _ = await start()
    with pytest.raises(ConfigError) as caught:
        await start(endpoint=f"127.0.0.1:{receiver.address[1]}")
    text = str(caught.value)
    assert str(receiver.address[1]) in text
    assert "in use" in text
    assert "receivers.otlp.http.endpoint" in text
    assert "\n" not in text


async def test_a_disabled_receiver_does_not_listen(ingest, telemetry):
    """`enabled: false` makes start and stop do nothing."""
    config = parse_config({"receivers": {"otlp": {"http": {"enabled": False}}}})
    receiver = OtlpHttpReceiver(config, ingest, telemetry)
    await receiver.start()
    assert not receiver.is_listening
    with pytest.raises(RuntimeError):
        _ = receiver.address
    await receiver.stop(0)
