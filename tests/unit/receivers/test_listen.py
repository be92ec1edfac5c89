import errno
import socket

import pytest

from scorer.config import Endpoint
from scorer.errors import ConfigError
from scorer.receivers.listen import cannot_listen, require_bindable

KEY = "receivers.otlp.grpc.endpoint"


def test_the_message_names_endpoint_reason_and_key():
    """The one line says what failed, why, and what to change."""
    error = OSError(errno.EADDRINUSE, "long text of the event loop")
    text = str(cannot_listen(Endpoint("127.0.0.1:4317"), KEY, error))
    assert text == (
        "cannot listen on 127.0.0.1:4317: Address already in use; "
        f"stop the program that uses it, or change {KEY}"
    )


def test_a_failed_look_up_is_named():
    """The reason of a resolver error is its own text."""
    error = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    text = str(cannot_listen(Endpoint("nowhere:1"), KEY, error))
    assert "Name or service not known" in text
    assert KEY in text


async def test_a_free_endpoint_is_bindable():
    """Any free port passes, and is not held afterwards."""
    await require_bindable(Endpoint("127.0.0.1:0"), KEY)


async def test_a_taken_address_of_several_is_an_error():
    """`localhost` with one of its addresses taken is refused, though the other is free."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        endpoint = Endpoint(f"localhost:{taken.getsockname()[1]}")
        with pytest.raises(ConfigError, match="already in use"):
            await require_bindable(endpoint, KEY)


async def test_an_address_of_another_machine_is_an_error():
    """An address that no interface here has cannot be listened on."""
    with pytest.raises(ConfigError, match="Cannot assign"):
        await require_bindable(Endpoint("192.0.2.1:0"), KEY)
