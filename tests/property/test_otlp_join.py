"""What was split and is joined again has lost nothing: spans, and all that stands around them."""

import os
from pathlib import Path

import pytest
from hypothesis import given

from scorer.otlp.join import join
from scorer.otlp.split import split_logs, split_traces
from scorer.receivers.files import StoredFiles

from .otlp_bodies import bodies, surrounded, with_unknown_fields

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SPANSCORE_CORPUS", ROOT.parent / "shared" / "corpus"))
SPAN = b"\x0a\x10" + b"t" * 16 + b"\x12\x08" + b"s" * 8
LOG = b"\x4a\x10" + b"t" * 16


def joined(signal, body):
    if signal == "logs":
        split = split_logs(body)
        return join([*((log.wire, log.envelope) for log in split.records), *split.untraced])
    return join((span.wire, span.envelope) for span in split_traces(body).spans)


@given(bodies(with_unknown_fields(SPAN)))
def test_spans_keep_their_bytes_and_all_that_surrounds_them(body):
    """Resource, scope, schema URLs and unknown fields, wherever they stand and however often."""
    assert list(surrounded(joined("traces", body))) == list(surrounded(body))


@given(bodies(with_unknown_fields(LOG)))
def test_log_records_keep_theirs(body):
    """Their request has the same form."""
    assert list(surrounded(joined("logs", body))) == list(surrounded(body))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus here")
def test_nothing_of_the_corpus_is_lost():
    """Whatever instrumentation made it."""
    count = 0
    for request in StoredFiles([str(CORPUS)]).requests():
        if request.signal != "metrics":
            before = sorted(surrounded(request.body))
            assert sorted(surrounded(joined(request.signal, request.body))) == before
            count += len(before)
    assert count > 1000
