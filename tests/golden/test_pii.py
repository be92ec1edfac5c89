"""Personal data in labelled and in generated texts: how much is found, how much is invented.

The labelled texts lie in the folder that SPANSCORE_LABELLED names, else in `../shared/labelled`.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from pii_samples import TYPES, documents, hard_negatives, samples

from metrics.privacy.patterns import Finder
from scorer.cli.calibration.spans import SpanCounts, match_spans

FOLDER = Path(
    os.environ.get("SPANSCORE_LABELLED", Path(__file__).parents[2].parent / "shared" / "labelled")
)
LABELS = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "US_SSN": "ssn",
    "CREDIT_CARD": "credit_card",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
}
FINDER = Finder()


def rows(name):
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"no {name} in {FOLDER}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def found(text):
    return [(f.kind, f.start, f.end) for f in FINDER.find(text) if f.kind in TYPES]


def test_labelled_personal_data_is_found_and_little_else():
    """Pooled over six types: F1 at least 0.95, precision at least 0.97."""
    pooled = SpanCounts()
    for row in rows("pii_spans.jsonl"):
        expected = [
            (LABELS[span["type"]], span["start"], span["end"])
            for span in row["spans"]
            if span["type"] in LABELS
        ]
        for counts in match_spans(expected, found(row["answer"])).values():
            pooled += counts
    assert pooled.f1 >= 0.95
    assert pooled.precision >= 0.97


def test_generated_personal_data_is_found():
    """Of 200 of each type at least 97 in 100 are found, exactly where they stand."""
    right = Counter(
        sample.kind
        for sample in samples(seed=20261130, count=200)
        if found(sample.text) == [(sample.kind, sample.start, sample.end)]
    )
    assert {kind: right[kind] >= 194 for kind in TYPES} == dict.fromkeys(TYPES, True)


def test_tables_json_and_forms_are_read():
    """Their titles and keys say what a number is: F1 at least 0.99."""
    pooled = SpanCounts()
    for document in documents(seed=20261201, count=10):
        for counts in match_spans(document.spans, found(document.text)).values():
            pooled += counts
    assert pooled.f1 >= 0.99


def test_ids_times_and_versions_are_not_taken_for_personal_data():
    """At most 0.3 findings of any kind per 1,000 characters."""
    texts = list(hard_negatives(seed=20261130, count=100))
    findings = sum(len(FINDER.find(text)) for text in texts)
    assert findings / sum(map(len, texts)) * 1_000 <= 0.3


def test_encyclopedic_texts_hold_next_to_none():
    """At most one finding of any kind per 100,000 characters of the contexts of HaluEval."""
    contexts = [context for row in rows("halueval_qa.jsonl") for context in row["contexts"]]
    findings = sum(len(FINDER.find(context)) for context in contexts)
    assert findings / sum(map(len, contexts)) * 100_000 <= 1
