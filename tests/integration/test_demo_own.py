"""The demo's trace of what applications add themselves: each of those metrics is shown by it."""

import asyncio

import pytest

from scorer.cli.demo.feed import scenes
from scorer.cli.demo.scene import encode
from scorer.config import parse_config
from scorer.receivers.files import StoredFiles, collect
from scorer.scoring.accounts import accounts_in_memory
from scorer.scoring.engine import build_engine

TITLE = "an agent that tells its energy and spends a privacy budget"
END = 1_760_000_000 * 10**9


@pytest.fixture
def scored(tmp_path):
    """The trace, scored."""
    config = parse_config({"scoring": {"metrics": ["default", "privacy", "sustainability"]}})
    engine = build_engine(config)
    (scene,) = (scene for scene in scenes() if scene.title == TITLE)
    for number, request in enumerate(encode(scene, END)):
        body = request.SerializeToString()
        (tmp_path / f"{number}.bin").write_bytes(len(body).to_bytes(4, "big") + body)
    (closed,) = collect(StoredFiles([str(tmp_path)]))
    accounts = accounts_in_memory(engine.metrics, config.scoring.accounts)
    (settled,) = asyncio.run(accounts.settle([engine.score(closed)]))
    return settled


def test_every_privacy_and_sustainability_metric_is_scored(scored):
    """0.02 of an epsilon of 10 are spent, and nothing is wrong with the run."""
    found = {
        score.metric: score
        for score in scored.scores
        if score.kind in {"privacy", "sustainability"} and score.output == "value"
    }
    assert {score.status for score in found.values()} == {"scored"}
    assert found["privacy_budget"].value == 0.998
    assert found["privacy_budget"].detail["dataset"] == "visits"
    assert found["energy_consumption"].value == 1.0
    assert scored.breaches == ()
