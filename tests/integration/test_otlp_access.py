"""Who may send: tokens and tenants at both receivers, decided before the body is read."""

import asyncio
import contextlib

import aiohttp
import grpc
import grpc.aio
import pytest
from certificates import Authority, client_context

from scorer.receivers.http_request import PROTOBUF

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
GOOD, ACME = "a-token-without-tenant", "the-token-of-acme"
MIB = 2**20


@pytest.fixture
def tokens(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"{GOOD}\n{ACME} acme\n")
    path.chmod(0o600)
    return path


@pytest.fixture
async def receivers(start_receiver, tokens):
    """Both receivers, with tokens."""
    auth = {"auth": {"bearer_tokens_file": str(tokens)}}
    return {
        "grpc": await start_receiver("otlp_grpc", **auth),
        "http": await start_receiver("otlp_http", **auth),
    }


@pytest.fixture
def send(receivers, post):
    """Send one request; return the gRPC code or the HTTP status."""

    async def over_grpc(body, authorization):
        metadata = [] if authorization is None else [("authorization", authorization)]
        address = "{}:{}".format(*receivers["grpc"].address)
        async with grpc.aio.insecure_channel(address) as channel:
            try:
                await channel.unary_unary(EXPORT)(body, metadata=metadata)
            except grpc.aio.AioRpcError as error:
                return error.code()
        return grpc.StatusCode.OK

    async def over_http(body, authorization):
        headers = {} if authorization is None else {"Authorization": authorization}
        url = "http://{}:{}".format(*receivers["http"].address)
        return (await post(url, body, **headers)).status

    return {"grpc": over_grpc, "http": over_http}


ANSWERS = {
    "grpc": (grpc.StatusCode.OK, grpc.StatusCode.UNAUTHENTICATED),
    "http": (200, 401),
}


@pytest.mark.parametrize("protocol", ["grpc", "http"])
async def test_only_known_tokens_are_let_in(send, ingest, traces_request, protocol):
    """Nothing of anybody else is taken."""
    body = traces_request.SerializeToString()
    yes, no = ANSWERS[protocol]
    for wrong in (None, "", "Bearer", f"Bearer {GOOD}x", f"Basic {GOOD}", GOOD):
        assert await send[protocol](body, wrong) == no
    assert ingest.requests == []
    assert await send[protocol](body, f"Bearer {GOOD}") == yes
    assert [request.tenant for request in ingest.requests] == [""]


@pytest.mark.parametrize("protocol", ["grpc", "http"])
async def test_the_token_names_the_tenant(send, ingest, traces_request, protocol):
    """An attribute of a span never does."""
    span = traces_request.resource_spans[0].scope_spans[0].spans[0]
    span.attributes.add(key="tenant").value.string_value = "zeta"
    await send[protocol](traces_request.SerializeToString(), f"bearer {ACME}")
    assert [request.tenant for request in ingest.requests] == ["acme"]


@pytest.mark.parametrize("protocol", ["grpc", "http"])
async def test_a_token_that_was_taken_away_is_refused(send, tokens, traces_request, protocol):
    """Within seconds, without a restart."""
    body = traces_request.SerializeToString()
    yes, no = ANSWERS[protocol]
    assert await send[protocol](body, f"Bearer {ACME}") == yes
    tokens.write_text(f"{GOOD}\n")
    async with asyncio.timeout(10):
        while await send[protocol](body, f"Bearer {ACME}") != no:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    assert await send[protocol](body, f"Bearer {GOOD}") == yes


async def test_http_turns_away_before_the_body_is_read(receivers):
    """Of 64 MiB with a wrong token little more than what the sockets hold is sent."""
    reader, writer = await asyncio.open_connection(*receivers["http"].address)
    writer.transport.set_write_buffer_limits(high=0)
    head = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\n"
    head += f"Authorization: Bearer {GOOD}x\r\nContent-Length: {64 * MIB}\r\n\r\n"
    writer.write(head.encode())
    answer, sent = asyncio.create_task(reader.readline()), 0
    try:
        while sent < 64 * MIB and not answer.done():
            writer.write(bytes(MIB // 4))
            await asyncio.wait_for(writer.drain(), 10)
            sent += MIB // 4
    except ConnectionError:
        pass
    assert (await answer).startswith(b"HTTP/1.1 401 ")
    assert sent < 16 * MIB
    writer.close()


async def test_grpc_turns_away_before_the_body_is_read(receivers):
    """Of 64 MiB no more is sent than the window that a stream begins with and buffers hold."""
    async with counting_relay(receivers["grpc"].address) as (port, forwarded):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(EXPORT)(
                    bytes(64 * MIB), metadata=[("authorization", "Bearer wrong")]
                )
        assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
        assert sum(forwarded) < 16 * MIB


@contextlib.asynccontextmanager
async def counting_relay(address):
    """Yield the port of a relay to `address`, and the sizes of what senders sent through it."""
    forwarded = []

    async def relay(reader, writer, sizes):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                sizes.append(len(data))
                writer.write(data)
                await writer.drain()
        writer.close()

    async def connect(reader, writer):
        far_reader, far_writer = await asyncio.open_connection(*address)
        await asyncio.gather(relay(reader, far_writer, forwarded), relay(far_reader, writer, []))

    async with await asyncio.start_server(connect, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], forwarded


async def test_refusals_are_counted(send, telemetry):
    """By their code."""
    await send["grpc"](b"", None)
    await send["http"](b"", None)
    for receiver, code in (("otlp_grpc", "UNAUTHENTICATED"), ("otlp_http", "401")):
        labels = {"receiver": receiver, "signal": "traces", "code": code}
        assert telemetry.value("spanscore_requests_total", **labels) == 1


# client certificates


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


@pytest.fixture
def tls(authority):
    """The section of a server that lets in the clients `agent` of its authority."""
    pair = authority.issue("localhost", "127.0.0.1", file="server")
    return {
        "cert_file": pair.cert_file,
        "key_file": pair.key_file,
        "client_ca_file": authority.cert_file,
        "client_names": ["agent"],
    }


@pytest.mark.parametrize(("name", "status"), [("agent", 200), ("other", 403)])
async def test_http_lets_in_the_names_of_its_list(start_receiver, authority, tls, name, status):
    """A certificate of the right authority for another name is 403, not a broken connection."""
    receiver = await start_receiver("otlp_http", tls=tls)
    url = f"https://127.0.0.1:{receiver.address[1]}/v1/traces"
    context = client_context(authority, authority.issue(name, file=name))
    headers = {"Content-Type": PROTOBUF}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=b"", headers=headers, ssl=context) as response,
    ):
        assert response.status == status


@pytest.mark.parametrize("name", ["agent", "other"])
async def test_grpc_lets_in_the_names_of_its_list(start_receiver, authority, tls, name):
    """Another name is PERMISSION_DENIED."""
    receiver = await start_receiver("otlp_grpc", tls=tls)
    pair = authority.issue(name, file=name)
    credentials = grpc.ssl_channel_credentials(authority.cert, pair.key, pair.cert)
    address = f"127.0.0.1:{receiver.address[1]}"
    async with grpc.aio.secure_channel(address, credentials) as channel:
        if name == "agent":
            assert await channel.unary_unary(EXPORT)(b"", timeout=10) == b""
            return
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary(EXPORT)(b"", timeout=10)
    assert caught.value.code() is grpc.StatusCode.PERMISSION_DENIED
