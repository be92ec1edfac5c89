"""The web server before it is started."""

import pytest

from scorer.config import Config, parse_config
from scorer.errors import ConfigError
from scorer.telemetry import Telemetry
from scorer.web.recent import RecentTraces
from scorer.web.server import Health, WebServer


class NoOpenTraces:
    def describe(self, trace_id, tenant=""):
        return None


def server(config=None):
    config = config or Config()
    recent = RecentTraces(config, NoOpenTraces())
    return WebServer(config, Telemetry(), recent, lambda: Health(listening=True, workers=True))


@pytest.mark.parametrize(
    ("health", "missing"),
    [
        (Health(listening=True, workers=True), []),
        (Health(listening=False, workers=True), ["listening"]),
        (Health(listening=False, workers=False), ["listening", "workers"]),
    ],
)
def test_what_is_not_up_is_missing(health, missing):
    """A service is ready when nothing is missing."""
    assert list(health.missing) == missing


async def test_it_can_be_stopped_without_a_start():
    """Stopping is safe at any time."""
    web = server()
    await web.stop()
    await web.stop()


def test_it_has_no_address_before_it_listens():
    """Asking for the address too early is a mistake of the caller."""
    with pytest.raises(RuntimeError):
        _ = server().address


def test_it_reloads_without_tokens_and_certificates():
    """The owner need not know what is configured."""
    server().reload()


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ({"auth": {"bearer_tokens_file": "nowhere"}}, r"web\.auth\.bearer_tokens_file"),
        ({"tls": {"cert_file": "nowhere", "key_file": "k"}}, r"web\.tls\.cert_file"),
    ],
)
def test_files_that_are_wrong_are_told_before_it_listens(section, key):
    """With the key that names them."""
    with pytest.raises(ConfigError, match=f"^{key}: cannot read 'nowhere'"):
        server(parse_config({"web": section}))
