"""What a span says of its media opens no file and calls no host."""

import json
import sys
from itertools import cycle

import pytest

from scorer.config import parse_config
from scorer.receivers.files import StoredFiles, collect
from scorer.scoring.engine import build_engine
from scorer.testing import TraceBuilder

REFERENCES = [
    "/etc/passwd",
    "../../etc/passwd",
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data",
    "https://127.0.0.1:9/a.png",
    "//127.0.0.1/share/a.png",
    "data:text/html,<script>",
]
TOUCHES = ("open", "os.", "socket.", "urllib.", "http.", "subprocess.", "shutil.")

_seen = None


def _note(event, arguments):
    if _seen is not None and event.startswith(TOUCHES):
        _seen.append((event, repr(arguments)[:200]))


@pytest.fixture
def touched():
    """What this process opens and calls, from when the list is begun."""
    global _seen  # noqa: PLW0603 - an audit hook cannot be taken away again
    sys.addaudithook(_note)
    _seen = []
    yield _seen
    _seen = None


@pytest.fixture
def closed(tmp_path):
    """A trace whose images, sounds and films are where nobody should look."""
    trace = TraceBuilder(1)
    parts = [
        {"type": "uri", "modality": kind, "uri": reference}
        for kind, reference in zip(cycle(("image", "audio", "video")), REFERENCES, strict=False)
    ]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "A cat in the photo."}]}]
    trace.span(
        "invoke_agent",
        **{
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": json.dumps([{"role": "user", "parts": parts}]),
            "gen_ai.output.messages": json.dumps(said),
            "spanscore.reference.caption": "/etc/passwd",
            "spanscore.reference.transcript": "file:///etc/passwd",
        },
    )
    body = trace.request()
    (tmp_path / "spans.bin").write_bytes(len(body).to_bytes(4, "big") + body)
    (found,) = collect(StoredFiles([str(tmp_path)]))
    return found


@pytest.mark.parametrize("mode", ["beyond", "documented"])
def test_no_metric_looks_at_what_a_reference_names(mode, closed, request):
    """They are all scored or skipped, and nothing was opened, asked for or started."""
    names = [
        "audio_transcription_quality",
        "cross_modal_grounding",
        "image_caption_accuracy",
        "multimodal_coherence",
        "video_response_relevance",
    ]
    chosen = [{"name": name, "mode": mode} for name in names]
    engine = build_engine(parse_config({"scoring": {"metrics": chosen}}))
    assert len(engine.view(closed).media) == len(REFERENCES)
    before = engine.score(closed)  # what is imported at the first use is opened here
    touched = request.getfixturevalue("touched")
    after = engine.score(closed)
    assert touched == []
    assert after.scores == before.scores
    assert {score.status for score in after.scores} <= {"scored", "missing", "skipped"}
