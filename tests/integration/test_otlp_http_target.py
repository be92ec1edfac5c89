"""What only HTTP has: dates, redirects, web pages and paths, against a real server."""

import datetime as dt
from email.utils import format_datetime

import pytest
from otlp_servers import Answer, HttpServer

from scorer.config import OtlpTargetConfig
from scorer.errors import RetryableError
from scorer.sinks.otlp.http_target import HttpTarget
from scorer.sinks.otlp.target import RefusedError, Sent

NOON = dt.datetime(2026, 7, 21, 12, 0, 0, tzinfo=dt.UTC)


@pytest.fixture
async def server():
    server = HttpServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def target(server):
    config = OtlpTargetConfig(
        endpoint=f"http://127.0.0.1:{server.port}", protocol="http", mode="forward"
    )
    target = HttpTarget(config, now=lambda: NOON)
    yield target
    await target.close()


async def refusal(target):
    with pytest.raises((RetryableError, RefusedError)) as caught:
        await target.send("traces", b"")
    return caught.value


async def test_a_date_to_come_back_at_is_read_by_the_clock_of_the_target(server, target):
    """Ours may be wrong."""
    headers = {
        "Date": format_datetime(NOON + dt.timedelta(hours=3), usegmt=True),
        "Retry-After": format_datetime(NOON + dt.timedelta(hours=3, seconds=20), usegmt=True),
    }
    server.will_say(Answer(status=429, headers=headers))
    assert (await refusal(target)).retry_after_s == 20


async def test_without_a_date_our_clock_has_to_do(server, target):
    """A header that is no date is none."""
    headers = {"Date": "today", "Retry-After": format_datetime(NOON + dt.timedelta(seconds=9))}
    server.will_say(Answer(status=503, headers=headers))
    assert (await refusal(target)).retry_after_s == 9


async def test_redirects_are_not_followed(server, target):
    """Headers, and spans, would go to a place that nobody has named."""
    server.will_say(Answer(status=307, headers={"Location": "/v1/logs"}))
    error = await refusal(target)
    assert (error.reason, error.is_about_data) == ("http_3xx", False)
    assert len(server.seen) == 1


async def test_a_web_page_is_no_success(server, target):
    """A web interface answers many paths with 200; what was sent would be lost in silence."""
    server.will_say(Answer(body=b"<html>", type="text/html"))
    error = await refusal(target)
    assert (error.reason, error.is_about_data) == ("no_otlp", False)


@pytest.mark.parametrize(("status", "kind"), [(200, "application/json"), (202, "text/plain")])
async def test_other_successes_are_successes(server, target, status, kind):
    """Not every backend answers in protobuf."""
    server.will_say(Answer(status=status, body=b"{}", type=kind))
    assert await target.send("traces", b"") == Sent()


async def test_an_error_in_plain_text_is_told(server, target):
    """Not every backend answers with a Status."""
    server.will_say(Answer(status=422, type="text/plain", text="no such thing"))
    assert "no such thing" in str(await refusal(target))


async def test_an_endless_answer_is_not_read_to_its_end(server, target):
    """A target cannot fill our memory."""
    server.will_say(Answer(body=b"x" * (8 * 2**20)))
    assert await target.send("traces", b"") == Sent()


async def test_the_path_of_the_endpoint_comes_first(server):
    """Backends serve OTLP below a path of their own."""
    config = OtlpTargetConfig(
        endpoint=f"http://127.0.0.1:{server.port}/v1/", protocol="http", mode="forward"
    )
    target = HttpTarget(config)
    error = await refusal(target)  # /v1/v1/traces, which is not there
    await target.close()
    assert error.reason == "http_404"
