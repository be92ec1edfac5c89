import logging

import pytest
from certificates import Authority

from scorer.access.certificates import ServerTls
from scorer.config import TlsConfig


@pytest.fixture
def authority(tmp_path):
    """The CA of the server's certificate, and of good clients."""
    return Authority(tmp_path)


@pytest.fixture
def stranger(tmp_path):
    """A CA that nobody trusts at first."""
    return Authority(tmp_path, "stranger")


@pytest.fixture
def pair(authority):
    """The server's certificate."""
    return authority.issue("localhost", "127.0.0.1", file="server")


@pytest.fixture
def tls(pair):
    """Return a function that builds the TLS of the server; options override its section."""

    def build(**options):
        files = {"cert_file": pair.cert_file, "key_file": pair.key_file}
        return ServerTls(TlsConfig(**(files | options)), "web.tls")

    return build


@pytest.fixture
def lines(caplog):
    """Return a function that returns the log since it was called last."""
    caplog.set_level(logging.INFO)

    def take():
        messages = [(record.levelname, record.getMessage()) for record in caplog.records]
        caplog.clear()
        return messages

    return take
