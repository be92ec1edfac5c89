"""How many of the known facts of recorded traces the normalised view gets right.

The recordings come from real instrumentation libraries; each lies beside what a reader should
find in it. The measure (`judge`, `merge`) is that of the corpus itself.
"""

import importlib.util
import json
import os
import tomllib
from collections import defaultdict
from importlib.metadata import EntryPoint
from itertools import zip_longest
from pathlib import Path
from random import Random

import pytest

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.assembly.open_trace import Timers
from scorer.assembly.settings import AssemblerSettings
from scorer.dialects.about import ABOUT
from scorer.dialects.inspection import inspection
from scorer.dialects.normalise import normalise
from scorer.model.position import Position
from scorer.model.trace import SpanEntry
from scorer.otlp.decode import decode_trace
from scorer.otlp.split import split_logs, split_traces
from scorer.receivers.files import StoredFiles, collect

_DEFAULT = Path(__file__).parents[3] / "shared" / "corpus"
CORPUS = Path(os.environ.get("SPANSCORE_CORPUS", _DEFAULT))
MEASURE = next(
    (path for path in (CORPUS / "check.py", _DEFAULT / "check.py") if path.exists()), None
)
CASES = sorted(CORPUS.glob("*/*/expected.json"))
FACT_KEYS = {
    **{fact: fact for fact in ("question", "answer", "contexts", "tool_calls")},
    **{fact: fact for fact in ("agents", "handoffs", "models")},
    "tokens": "prompt_tokens",
    "cost": "cost_usd",
    "session": "session_id",
    "user": "user_id",
}
FAMILIES = sorted({case.parent.parent.name for case in CASES})
POINTS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
BUILT_IN = POINTS["project"]["entry-points"]["spanscore.dialects"].values()
DIALECTS = tuple(EntryPoint("", point, "").load() for point in BUILT_IN)
FOREVER = 10**9
SETTINGS = AssemblerSettings(
    timers=Timers(FOREVER, FOREVER, FOREVER),
    max_spans_per_trace=FOREVER,
    max_bytes_per_trace=FOREVER,
    max_tombstones=1,
)

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


def test_every_recorded_library_is_in_the_table():
    """The README says which versions were normalised, and that is what these recordings are of."""
    recorded = {name for about in ABOUT.values() for name in about.recorded}
    cases = [json.loads(case.read_text()) for case in CASES]
    found = {f"{case['library']} {case['version']}" for case in cases}
    if CORPUS != _DEFAULT:
        pytest.skip("other recordings: they need not be of the versions in the table")
    assert recorded == found


@pytest.mark.parametrize("name", sorted(ABOUT))
def test_the_facts_of_the_table_are_found_in_recordings(name):
    """What a dialect is said to tell, some recording of it tells."""
    about = ABOUT[name]
    told = set()
    for case in CASES:
        library = json.loads(case.read_text())
        if f"{library['library']} {library['version']}" in about.recorded:
            for view in views(case.parent):
                if name in view["dialects"]:
                    told |= {fact for fact, key in FACT_KEYS.items() if view[key]}
    if not told:
        pytest.skip("no recordings of it here")
    assert set(about.facts) <= told


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


def views_in_order(items):
    """Return the views of spans and logs that arrive one at a time, in this order."""
    assembler = Assembler(SETTINGS, MemoryBudget(2**40))
    for offset, item in enumerate(items):
        push = assembler.push if isinstance(item, SpanEntry) else assembler.push_logs
        push([item], Position("test", 0, offset), 0.0)
    closed = sorted(assembler.drain(0.0, "replay_end"), key=lambda trace: trace.trace_id)
    return [inspection(normalise(decode_trace(trace), DIALECTS)) for trace in closed]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "/".join(case.parts[-3:-1]))
def test_order_and_batches_of_spans_and_logs_do_not_matter(case):
    """Logs may come before, after or between the spans; retries reorder everything."""
    spans, logs = [], []
    for request in StoredFiles([str(case.parent)]).requests():
        if request.signal == "traces":
            spans.extend(split_traces(request.body).spans)
        elif request.signal == "logs":
            logs.extend(split_logs(request.body).records)
    between = [item for pair in zip_longest(spans, logs) for item in pair if item is not None]
    shuffled = Random(7).sample(between, len(between))
    expected = views_in_order([*spans, *logs])
    for items in ([*logs, *spans], between, [*reversed(spans), *logs], shuffled):
        assert views_in_order(items) == expected
