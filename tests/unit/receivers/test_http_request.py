"""Reading a body over connections that end."""

from unittest.mock import Mock

import pytest
from aiohttp import StreamReader
from aiohttp.test_utils import make_mocked_request

from scorer.receivers.http_request import read_body


def request_on(*, connected):
    """Return a request whose body has not come yet."""
    protocol = Mock(connected=connected)
    body = StreamReader(protocol, 2**16)
    transport = Mock() if connected else None
    request = make_mocked_request("POST", "/v1/traces", payload=body, protocol=protocol)
    protocol.transport = transport
    return request, body


async def read(request):
    return await read_body(request, gzip=False, limit=100, grew=lambda: None)


async def test_a_sender_that_left_before_the_first_read_has_gone_away():
    """A pipelined request is read only after the ones before it; by then nobody may be there."""
    request, _ = request_on(connected=False)
    with pytest.raises(ConnectionError, match="the sender went away"):
        await read(request)


async def test_a_fault_of_ours_is_not_taken_for_the_senders():
    """Two readers of one body are a fault, and the sender is still there."""
    request, body = request_on(connected=True)
    body._waiter = Mock()
    with pytest.raises(RuntimeError, match="another coroutine"):
        await read(request)
