"""How a score is identified."""

import uuid

from scorer.model import score as score_module
from scorer.model.score import score_id

PARTS = {
    "tenant": "acme",
    "scope": "trace",
    "subject": "0af7651916cd43dd8448eb211c80319c",
    "metric": "faithfulness",
    "output": "value",
    "method": "lexical",
    "evaluator_version": "1",
    "config_hash": "abc",
    "revision": 1,
}


def test_the_id_is_a_uuid_v5_of_its_parts():
    """The same as the standard library's, which is the specification."""
    name = "\x1f".join(str(part) for part in PARTS.values())
    assert score_id(**PARTS) == str(uuid.uuid5(score_module._NAMESPACE, name))


def test_every_part_changes_the_id():
    """Two scores that differ in anything that matters have different ids."""
    ids = {score_id(**PARTS)}
    for key, value in PARTS.items():
        ids.add(score_id(**{**PARTS, key: 2 if isinstance(value, int) else value + "x"}))
    assert len(ids) == len(PARTS) + 1


def test_the_id_never_changes_between_versions():
    """Stored scores are found again by their id, so this value is a contract."""
    assert score_id(**PARTS) == "cfa3035f-effd-5701-96e0-ad87961bf2bf"
