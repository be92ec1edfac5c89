"""What a case says of itself: its row of the checklist, how strong its rule is, what is sent."""

from typing import Final

import pytest

# Who says so. A MUST that is broken loses or corrupts somebody's data, or breaks a client; a
# SHOULD of the design is our own choice, which others are free not to share.
MUST_OTLP: Final = "MUST OTLP"
SHOULD_OTLP: Final = "SHOULD OTLP"
MUST_GRPC: Final = "MUST gRPC"
SHOULD_GRPC: Final = "SHOULD gRPC"
MUST_HTTP: Final = "MUST HTTP"
SHOULD_HTTP: Final = "SHOULD HTTP"
MUST_JSON: Final = "MUST JSON"
MUST_PROTOBUF: Final = "MUST protobuf"
SHOULD_PROTOBUF: Final = "SHOULD protobuf"
SHOULD_DESIGN: Final = "SHOULD design"

GRPC: Final = "grpc"
HTTP_PROTOBUF: Final = "http/protobuf"
HTTP_JSON: Final = "http/json"
HTTP: Final = (HTTP_PROTOBUF, HTTP_JSON)
TRANSPORTS: Final = (GRPC, *HTTP)

_DEFAULT_TRANSPORT: Final = {"g": GRPC, "h": HTTP_PROTOBUF, "j": HTTP_JSON, "c": GRPC}


def row(number, rule, sends, expects):
    """Mark a test as a case of a row; texts may name parameters of the test, as `{encoding}`."""
    return pytest.mark.row(number, rule, sends, expects)


def case(number, rule, sends, expects, *values):
    """Return the parameters of one case of a table."""
    return pytest.param(*values, id=f"{number}-{sends}", marks=row(number, rule, sends, expects))


def describe(item):
    """Return row, rule, transport, what is sent and what is expected of a test, if it is a case."""
    marker = item.get_closest_marker("row")
    if marker is None:
        return None
    number, rule, sends, expects = marker.args
    params = item.callspec.params if hasattr(item, "callspec") else {}
    transport = params.get("transport", _DEFAULT_TRANSPORT[number[0]])
    return number, rule, transport, sends.format(**params), expects.format(**params)
