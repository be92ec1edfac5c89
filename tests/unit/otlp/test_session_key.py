import hashlib

import pytest
from opentelemetry.proto.logs.v1 import logs_pb2

from scorer.otlp.session_key import may_hold_sessions, session_trace_id
from scorer.otlp.split import split_logs


def record(name="codex.user_prompt", body=None, trace_id=b"", **attributes):
    made = logs_pb2.LogRecord(event_name=name, time_unix_nano=5, trace_id=trace_id)
    if body is not None:
        made.body.string_value = body
    for key, value in attributes.items():
        made.attributes.add(key=key.replace("__", ".")).value.string_value = value
    return made


def test_the_trace_id_is_the_start_of_the_digest_of_the_key():
    """So everybody can compute it."""
    wire = record(conversation__id="c-1").SerializeToString()
    assert session_trace_id(wire) == hashlib.sha256(b"c-1").digest()[:16]


@pytest.mark.parametrize(
    "made",
    [
        record("", body="claude_code.user_prompt", session__id="s"),
        record("user_prompt", body="claude_code.user_prompt", session__id="s"),
        record("", event__name="claude_code.api_request", session__id="s"),
    ],
)
def test_an_event_of_a_session_is_known_by_any_of_its_names(made):
    """Claude Code names it in full in the body only."""
    assert session_trace_id(made.SerializeToString()) == hashlib.sha256(b"s").digest()[:16]


@pytest.mark.parametrize(
    "wire",
    [
        record(session__id="s").SerializeToString(),
        record(conversation__id="").SerializeToString(),
        record("x", body="see codex.user_prompt", conversation__id="c").SerializeToString(),
        record("codexx", conversation__id="c").SerializeToString(),
        b"codex.\xff\xff",
        b"",
    ],
)
def test_without_a_known_name_and_a_key_there_is_none(wire):
    """A line that only speaks of a session is none of it."""
    assert session_trace_id(wire) is None


def test_the_records_of_a_session_are_those_of_one_trace(logs_body):
    """Their bytes are as sent; the others stay untraced."""
    ours = [record(conversation__id="c"), record("codex.tool_result", conversation__id="c")]
    other = record("codex.user_prompt")
    split = split_logs(logs_body(*ours, other))
    assert [entry.wire for entry in split.records] == [r.SerializeToString() for r in ours]
    assert {entry.trace_id for entry in split.records} == {hashlib.sha256(b"c").digest()[:16]}
    assert [entry[1:3] for entry in split.records] == [(b"", 5), (b"", 5)]
    assert [wire for wire, _ in split.untraced] == [other.SerializeToString()]


def test_a_record_with_a_trace_stays_in_it(logs_body):
    """Its sender knows better."""
    (entry,) = split_logs(logs_body(record(trace_id=b"t" * 16, conversation__id="c"))).records
    assert entry.trace_id == b"t" * 16


def test_other_requests_are_not_looked_into(logs_body, monkeypatch):
    """Nothing of a record is parsed for it where no mark stands in the request."""
    monkeypatch.setattr("scorer.otlp.split.session_trace_id", pytest.fail)
    body = logs_body(record("hello"))
    assert not may_hold_sessions(body)
    assert len(split_logs(body).untraced) == 1
