"""Tempo's and other loose JSON to strict OTLP/JSON."""

import base64

import pytest

from scorer.errors import PermanentError
from scorer.otlp.tempo_json import strict_otlp

TRACE = bytes(range(16))
SPAN = bytes(range(8))


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def test_base64_ids_become_hex_and_hex_ids_stay():
    """The length tells them apart."""
    loose = {"traceId": b64(TRACE), "spanId": b64(SPAN), "parentSpanId": SPAN.hex()}

    assert strict_otlp(loose) == {
        "traceId": TRACE.hex(),
        "spanId": SPAN.hex(),
        "parentSpanId": SPAN.hex(),
    }


def test_what_is_no_id_stays_for_the_mapper_to_reject():
    """Nothing is guessed."""
    for text in ("", "zz", b64(b"short"), "*" * 24):
        assert strict_otlp({"traceId": text}) == {"traceId": text}


def test_enum_names_become_numbers():
    """Kinds, status codes and severities; unknown names stay."""
    loose = {"kind": "SPAN_KIND_CLIENT", "status": {"code": "STATUS_CODE_ERROR"}}
    logs = {"severityNumber": "SEVERITY_NUMBER_INFO"}

    assert strict_otlp(loose) == {"kind": 3, "status": {"code": 2}}
    assert strict_otlp(logs) == {"severityNumber": 9}
    assert strict_otlp({"kind": "?"}) == {"kind": "?"}


def test_old_and_snake_case_keys_get_their_names_of_today():
    """Batches and instrumentation libraries are resource spans and scopes."""
    loose = {"batches": [{"instrumentationLibrarySpans": [{"instrumentationLibrary": {}}]}]}
    snake = {"resource_spans": [{"scope_spans": [{"spans": [{"end_time_unix_nano": 1}]}]}]}

    assert strict_otlp(loose) == {"resourceSpans": [{"scopeSpans": [{"scope": {}}]}]}
    assert strict_otlp(snake) == {
        "resourceSpans": [{"scopeSpans": [{"spans": [{"endTimeUnixNano": 1}]}]}]
    }


def test_attribute_keys_are_values_and_stay():
    """What the user named is not renamed."""
    attribute = {"key": "snake_case", "value": {"stringValue": "trace_id"}}

    assert strict_otlp({"attributes": [attribute]}) == {"attributes": [attribute]}


def test_nesting_is_bounded():
    """A document that only nests is refused."""
    deep: dict = {}
    for _ in range(400):
        deep = {"a": deep}
    with pytest.raises(PermanentError, match="nests"):
        strict_otlp(deep)
