"""Listening with a bounded number of connections."""

import asyncio
import contextlib
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

import scorer.web.listen
from scorer.config import Endpoint
from scorer.web.listen import listen


@pytest.fixture
async def port(monkeypatch):
    """The port of a server that takes two connections."""
    monkeypatch.setattr(scorer.web.listen, "MAX_CONNECTIONS", 2)

    async def answer(_):
        return web.Response(text="fine")

    server = web.Server(answer)
    listening = await listen(server, Endpoint("127.0.0.1:0"), None)
    yield listening.sockets[0].getsockname()[1]
    listening.close()
    await server.shutdown(0)


@asynccontextmanager
async def connected(port):
    """Connect, and yield a function that returns the status line of an answer.

    It returns nothing when the server hung up.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def ask():
        try:
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await writer.drain()
            return (await reader.readline()).decode().strip()
        except ConnectionError:
            return ""

    try:
        yield ask
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_the_oldest_makes_room_for_what_comes_on_top(port):
    """Whoever only holds connections open cannot keep others out."""
    async with connected(port) as first, connected(port) as second:
        assert await second() == "HTTP/1.1 200 OK"
        async with connected(port) as third:
            assert await third() == "HTTP/1.1 200 OK"
            assert await first() == ""
        async with asyncio.timeout(5):
            while not await one_more(port):
                pass  # until the server has seen that they are gone


async def one_more(port):
    async with connected(port) as ask:
        return await ask()
