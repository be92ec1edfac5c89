"""Couriers and real targets: outages, overload and poison, over gRPC and over HTTP."""

import asyncio
from contextlib import AsyncExitStack

import otlp_servers as server_says
import pytest
from otlp_servers import Answer, GrpcServer, HttpServer, until

from scorer.config import parse_config
from scorer.scoring.tasks import background
from scorer.sinks.otlp.build import build_couriers
from scorer.sinks.otlp.parcel import Parcel
from scorer.telemetry import Telemetry
from scorer.testing import TraceBuilder

SERVERS = {"grpc": GrpcServer, "http": HttpServer}


@pytest.fixture(params=["grpc", "http"])
def protocol(request):
    return request.param


@pytest.fixture
async def server(protocol):
    server = SERVERS[protocol]()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def telemetry():
    return Telemetry()


@pytest.fixture
async def courier(server, protocol, telemetry):
    target = {
        "endpoint": f"http://127.0.0.1:{server.port}",
        "protocol": protocol,
        "mode": "forward",
        "max_request_size": "1KiB",
        "timeout": "1s",
        "retry": {"initial_interval": "10ms", "max_interval": "50ms"},
    }
    (courier,) = build_couriers(parse_config({"sinks": {"otlp": [target]}}), telemetry)
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(background())
        stack.push_async_callback(courier.close, 0)
        tasks.append(asyncio.create_task(courier.run()))
        yield courier


def parcels(count):
    made = []
    for number in range(1, count + 1):
        trace = TraceBuilder(number)
        trace.span("chat")
        made.append(Parcel("traces", trace.request(), 1))
    return made


def arrived(server, count):
    """Return how often each of the parcels has come in."""
    bodies = b"".join(server.bodies())
    return [bodies.count(number.to_bytes(16, "big")) for number in range(1, count + 1)]


async def test_everything_arrives_once(server, courier, telemetry):
    """In requests that are not larger than the bound."""
    await asyncio.gather(*[courier.submit(parcel) for parcel in parcels(100)])
    assert arrived(server, 100) == [1] * 100
    assert 10 <= len(server.seen) < 100
    assert max(map(len, server.bodies())) <= 1024
    assert telemetry.value("spanscore_otlp_sent_items_total") == 100


async def test_a_target_that_goes_away_gets_the_rest_when_it_is_back(server, courier, telemetry):
    """Nothing is lost, and what it has answered for is not sent again."""
    first, rest = parcels(40)[:10], parcels(40)[10:]
    await asyncio.gather(*map(courier.submit, first))
    await server.stop()
    futures = [courier.submit(parcel) for parcel in rest]
    await until(lambda: telemetry.value("spanscore_otlp_retries_total") >= 3)
    assert not any(future.done() for future in futures)
    await server.start(server.port)
    await asyncio.gather(*futures)
    assert arrived(server, 40) == [1] * 40
    assert telemetry.value("spanscore_otlp_lost_items_total") == 0


@pytest.mark.parametrize(
    ("answer", "times"),
    [
        (server_says.UNAVAILABLE, 12),
        (server_says.EXHAUSTED, 12),
        (server_says.EXHAUSTED_FOR._replace(after_s=0), 12),
        (Answer(delay_s=5), 2),
    ],
    ids=["unavailable", "exhausted", "exhausted_with_hint", "slow"],
)
async def test_a_target_in_trouble_loses_nothing(server, courier, telemetry, answer, times):
    """Whatever it says; once it is well everything arrives."""
    server.will_say(*[answer] * times, server_says.OK)
    await asyncio.gather(*[courier.submit(parcel) for parcel in parcels(20)])
    assert min(arrived(server, 20)) >= 1
    assert telemetry.value("spanscore_otlp_sent_items_total") == 20
    assert telemetry.value("spanscore_otlp_lost_items_total") == 0


async def test_a_poisoned_parcel_is_lost_alone(server, courier, telemetry):
    """The target refuses every request that it is in."""
    poison = (7).to_bytes(16, "big")
    answer = server._answer

    async def picky(seen):
        server.will_say(server_says.INVALID if poison in seen.body else server_says.OK)
        return await answer(seen)

    server._answer = picky
    await asyncio.gather(*[courier.submit(parcel) for parcel in parcels(20)])
    reason = {"GrpcServer": "invalid_argument", "HttpServer": "http_400"}[type(server).__name__]
    assert telemetry.value("spanscore_otlp_lost_items_total", reason=reason) == 1
    assert telemetry.value("spanscore_otlp_sent_items_total") == 19


async def test_a_signal_that_the_target_does_not_know_is_lost_at_once(server, courier, telemetry):
    """In one request, not in as many as there are parcels."""
    server.will_say(server_says.UNKNOWN_SIGNAL)
    await asyncio.gather(*[courier.submit(Parcel("logs", b"", 1)) for _ in range(50)])
    assert len(server.seen) == 1
    assert telemetry.value("spanscore_otlp_lost_items_total") == 50
