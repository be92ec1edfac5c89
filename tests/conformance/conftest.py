"""Which server is tested, what connects to it, and the report of what it answered.

The options exist when this folder is what pytest is asked to run; in a run of all tests they
are absent, and the server is a Spanscore that is started here.
"""

import socket
from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from . import payloads, row
from .answer import JSON
from .grpc_client import GrpcClient
from .http_client import HttpClient, media_type_of
from .report import Case, Report
from .server import Series, Spanscore

_LIMIT_S = 10  # of one case; starting a server does not count

_REPORT = pytest.StashKey[Report]()


def pytest_addoption(parser):
    group = parser.getgroup("OTLP conformance (default: a Spanscore is started and tested)")
    group.addoption("--grpc", metavar="HOST:PORT", help="OTLP/gRPC endpoint to test")
    group.addoption("--http", metavar="URL", help="OTLP/HTTP endpoint to test, without a path")
    group.addoption("--metrics", metavar="URL", help="web endpoint, if it is a Spanscore")
    group.addoption("--token", help="bearer token that the endpoint wants")
    group.addoption(
        "--max-request-mib",
        type=int,
        default=64,
        help="the endpoint's limit of a request (default: %(default)s, as OTLP recommends)",
    )
    group.addoption("--conformance-report", metavar="FILE.md", help="write the report there, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "row(number, rule, sends, expects): a conformance case")
    config.stash[_REPORT] = Report()


def pytest_collection_modifyitems(config, items):
    cases = [item for item in items if row.describe(item)]
    for item in cases:
        item.add_marker(pytest.mark.timeout(_LIMIT_S, func_only=True))
    # In a run of all tests a line for each case would hide everything else.
    config.stash[_REPORT].in_full = len(cases) == len(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    result = yield
    if described := row.describe(item):
        item.config.stash[_REPORT].add(Case(*described), result)
    return result


def pytest_terminal_summary(terminalreporter, config):
    report = config.stash[_REPORT]
    report.title = _title(config)
    report.write_to(terminalreporter)
    if path := config.getoption("--conformance-report", None):
        report.save(path)


def _title(config):
    named = {key: config.getoption(key, None) for key in ("grpc", "http")}
    texts = [f"{key} {value}" for key, value in named.items() if value]
    return ", ".join(texts) or "a Spanscore of its own"


class Endpoint(NamedTuple):
    """The server that is tested; what is None was not named."""

    grpc: str | None
    http: str | None
    web: str | None = None
    token: str | None = None
    max_request: int = 64 * payloads.MIB
    is_own: bool = False


@pytest.fixture(scope="session")
def start_own(tmp_path_factory):
    """Return a function that starts a Spanscore with settings; all end with the run."""
    with ExitStack() as stack:

        def start(settings):
            server = Spanscore(tmp_path_factory.mktemp("spanscore"), settings)
            stack.callback(server.close)
            return server

        yield start


@pytest.fixture(scope="session")
def endpoint(request, start_own):
    option = request.config.getoption
    grpc, http = option("--grpc", None), option("--http", None)
    if grpc is None and http is None:
        server = start_own({})
        return Endpoint(server.grpc, server.http, server.web, is_own=True)
    for address in filter(None, (grpc, http)):
        _require_listener(address)
    limit = option("--max-request-mib") * payloads.MIB
    return Endpoint(grpc, http, option("--metrics"), option("--token"), limit)


def _require_listener(address):
    parts = urlsplit(address if "//" in address else f"//{address}")
    try:
        socket.create_connection((parts.hostname, parts.port or 80), timeout=5).close()
    except OSError as error:
        pytest.exit(f"nothing can be tested: {address}: {error}", returncode=2)


@pytest.fixture(scope="session")
def variant(endpoint, start_own):
    """Return a function that gives a Spanscore with these settings, shared between cases."""
    started = {}

    def get(**settings):
        if not endpoint.is_own:
            pytest.skip("needs a server in a special state, which only Spanscore is started in")
        key = tuple(settings.items())
        if key not in started:
            dotted = {name.replace("__", "."): str(value) for name, value in settings.items()}
            started[key] = start_own(dotted)
        return started[key]

    return get


@pytest.fixture
def small_limits(variant):
    """A Spanscore that takes small requests only, and only from those who send at once."""
    keys = ("grpc__max_request_size", "http__max_request_size", "http__read_timeout")
    limits = zip(keys, ("4MiB", "4MiB", "1s"), strict=True)
    return variant(**{f"receivers__otlp__{key}": value for key, value in limits})


@pytest.fixture
def impatient(endpoint, request):
    """A server whose read timeout is short, if that can be had."""
    return request.getfixturevalue("small_limits") if endpoint.is_own else endpoint


@pytest.fixture
def series(endpoint):
    """The series and the API of the server that is tested."""
    if endpoint.web is None:
        pytest.skip("needs the series of a Spanscore (--metrics)")
    return Series(endpoint.web)


@pytest.fixture
def connect():
    """Return a function that makes a client of a transport for any endpoint."""
    with ExitStack() as stack:

        def make(transport, server, token=None):
            address = server.grpc if transport == row.GRPC else server.http
            if address is None:
                option = "--grpc" if transport == row.GRPC else "--http"
                pytest.skip(f"no endpoint was named ({option})")
            kind = GrpcClient if transport == row.GRPC else HttpClient
            return stack.enter_context(kind(address, token))

        yield make


@pytest.fixture
def grpc(connect, endpoint):
    """A gRPC connection to the server that is tested."""
    return connect(row.GRPC, endpoint, endpoint.token)


@pytest.fixture
def http(connect, endpoint):
    """An HTTP connection to the server that is tested."""
    return connect(row.HTTP_PROTOBUF, endpoint, endpoint.token)


@pytest.fixture
def raw_grpc():
    """Return a function that opens a connection for gRPC calls made of single frames."""
    pytest.importorskip("h2", reason="h2 is not installed, so no single frames can be sent")
    from .http2 import RawGrpc

    with ExitStack() as stack:

        def connect(server, token=None):
            if server.grpc is None:
                pytest.skip("no endpoint was named (--grpc)")
            return stack.enter_context(RawGrpc(server.grpc, token))

        yield connect


class Sender:
    """Sends export requests over one connection of one transport."""

    def __init__(self, transport, client):
        self.transport = transport
        self.client = client

    def __call__(self, request):
        """Send a request message in the encoding of the transport."""
        is_json = self.transport == row.HTTP_JSON
        return self.send(payloads.to_json(request) if is_json else request.SerializeToString())

    def send(self, body):
        """Send a body as it is."""
        if self.transport == row.GRPC:
            return self.client.call(body)
        return self.client.post(body, media_type_of(self.transport))


@pytest.fixture
def sender(connect):
    """Return a function that makes a Sender to any server."""
    return lambda transport, server, token=None: Sender(
        transport, connect(transport, server, token)
    )


@pytest.fixture(scope="session")
def takes_json(endpoint):
    """Skip what is sent in JSON to a server without it: that is one fault, not a hundred."""
    if endpoint.http is None:
        return
    with HttpClient(endpoint.http, endpoint.token) as client:
        answer = client.post(payloads.to_json(payloads.request()), JSON)
    if answer.code == 415:
        pytest.skip("the server takes no OTLP/JSON (415)")


@pytest.fixture
def export(sender, transport, endpoint, request):
    """Send to the server that is tested, over the transport of the case."""
    if transport == row.HTTP_JSON:
        request.getfixturevalue("takes_json")
    return sender(transport, endpoint, endpoint.token)


@pytest.fixture
def media_type(transport, request):
    """The Content-Type of the transport of the case."""
    if transport == row.HTTP_JSON:
        request.getfixturevalue("takes_json")
    return media_type_of(transport)
