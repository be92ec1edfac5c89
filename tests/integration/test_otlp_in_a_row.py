"""One Spanscore sends to another: our clients and our receivers understand each other."""

import re

import pytest

from scorer.config import OtlpTargetConfig, Secret
from scorer.errors import PermanentError, RetryableError, UnauthenticatedError
from scorer.receivers.take import Accepted
from scorer.sinks.otlp.build import build_target
from scorer.sinks.otlp.target import RefusedError, Sent


@pytest.fixture(params=["grpc", "http"])
def protocol(request):
    return request.param


@pytest.fixture
async def receiver(start_receiver, protocol):
    return await start_receiver(f"otlp_{protocol}")


@pytest.fixture(params=["none", "gzip"])
async def target(receiver, protocol, request):
    config = OtlpTargetConfig(
        endpoint="http://{}:{}".format(*receiver.address),
        mode="forward",
        protocol=protocol,
        compression=request.param,
        headers={"x-any": Secret("thing")},
    )
    target = build_target(config, "sinks.otlp[0]")
    yield target
    await target.close()


async def test_a_request_is_taken_as_it_is(target, ingest, traces_request):
    """Byte for byte."""
    body = traces_request.SerializeToString()
    assert await target.send("traces", body) == Sent()
    assert ingest.of("traces") == [body]


async def test_a_part_that_is_rejected_is_told(target, ingest, traces_request):
    """With its reason."""
    ingest.answer = Accepted(rejected=1, message="one span has no id")
    sent = await target.send("traces", traces_request.SerializeToString())
    assert sent == Sent(1, "one span has no id")


async def test_an_overload_is_told_with_a_delay(target, ingest):
    """At most the two seconds that our receivers ask for."""
    ingest.raises = RetryableError("full", retry_after_s=2.0)
    with pytest.raises(RetryableError, match="full") as caught:
        await target.send("traces", b"")
    assert 0 < caught.value.retry_after_s <= 2


@pytest.mark.parametrize(
    ("raised", "reasons"),
    [
        (PermanentError("garbage"), {"invalid_argument", "http_400"}),
        (UnauthenticatedError("who?"), {"unauthenticated", "http_401"}),
    ],
)
async def test_a_final_refusal_is_told(target, ingest, raised, reasons):
    """With its reason."""
    ingest.raises = raised
    with pytest.raises(RefusedError, match=re.escape(str(raised))) as caught:
        await target.send("traces", b"")
    assert caught.value.reason in reasons
