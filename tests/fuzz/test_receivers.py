"""Whatever bytes come through a socket: the next good request is answered."""

import re

import pytest
from hypothesis import example, given

from .budget import fuzz
from .grpc_talks import GRPC_TALKS, grpc_call_of
from .http_talks import HTTP_TALKS
from .receivers import Receivers


@pytest.fixture(scope="module")
def receivers():
    with Receivers() as running:
        yield running


@fuzz("http")
@given(talk=HTTP_TALKS)
def test_any_bytes_leave_the_http_receiver_well(receivers, talk):
    """Nothing is answered with 500, and no fault of ours is counted."""
    answer = talk.hold(receivers.http_address)
    codes = re.findall(rb"^HTTP/1\.[01] (\d+)", answer, re.MULTILINE)
    assert all(code.startswith((b"1", b"2", b"4")) for code in codes), answer
    receivers.check()


@fuzz("grpc")
@given(talk=GRPC_TALKS)
@example(talk=grpc_call_of("/\xff"))  # it ended the server of grpcio 1.84.0 to 1.85.3 for good
def test_any_bytes_leave_the_grpc_receiver_well(receivers, talk):
    """Likewise."""
    talk.hold(receivers.grpc_address)
    receivers.check()
