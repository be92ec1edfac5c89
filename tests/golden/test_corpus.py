"""How many of the known facts of recorded traces the normalised view gets right.

The recordings come from real instrumentation libraries; each lies beside what a reader should
find in it. The measure (`judge`, `merge`) is that of the corpus itself.
"""

import importlib.util
import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from scorer import registry
from scorer.dialects.inspection import inspection
from scorer.dialects.normalise import normalise
from scorer.otlp.decode import decode_trace
from scorer.receivers.files import StoredFiles, collect

_DEFAULT = Path(__file__).parents[3] / "shared" / "corpus"
CORPUS = Path(os.environ.get("SPANSCORE_CORPUS", _DEFAULT))
MEASURE = next(
    (path for path in (CORPUS / "check.py", _DEFAULT / "check.py") if path.exists()), None
)
CASES = sorted(CORPUS.glob("*/*/expected.json"))
FAMILIES = sorted({case.parent.parent.name for case in CASES})
DIALECTS = registry.load_dialects()

pytestmark = pytest.mark.skipif(
    not (CASES and MEASURE), reason="no recordings: set SPANSCORE_CORPUS"
)


@pytest.fixture(scope="module")
def measure():
    spec = importlib.util.spec_from_file_location("corpus_check", MEASURE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expected_facts(case):
    facts = json.loads(case.read_text())
    with_logs = facts.get("with_logs") or {}
    return {**facts, **{key: value for key, value in with_logs.items() if value is not None}}


def views(folder):
    for closed in collect(StoredFiles([str(folder)])):
        yield json.loads(json.dumps(inspection(normalise(decode_trace(closed), DIALECTS))))


@pytest.mark.parametrize("family", FAMILIES)
def test_nine_facts_of_ten_are_right_in_every_dialect(measure, family):
    """Each is measured for itself, so that none hides behind another."""
    cases = [case for case in CASES if case.parent.parent.name == family]
    right, total, misses = count(measure, cases)
    assert right / total >= 0.90, misses


def test_98_facts_of_100_are_right_in_all(measure):
    """What cannot be met contradicts the spans, or stands nowhere in them."""
    right, total, misses = count(measure, CASES)
    assert right / total >= 0.98, misses


def count(measure, cases):
    """Return how many facts are right, of how many, and where the others are."""
    right, total, misses = 0, 0, defaultdict(list)
    for case in cases:
        got = measure.merge(list(views(case.parent)))
        for fact, correct in measure.judge(expected_facts(case), got).items():
            right, total = right + correct, total + 1
            if not correct:
                misses[fact].append(f"{case.parent.parent.name}/{case.parent.name}")
    return right, total, dict(misses)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "/".join(case.parts[-3:-1]))
def test_a_recording_of_any_dialect_is_normalised(case):
    """A dialect that nobody reads yet gives a poor view, never an error."""
    for view in views(case.parent):
        assert view["span_count"] > 0
