"""The demo's trace of what applications add themselves: each of those metrics is shown by it."""

import asyncio
from importlib.metadata import entry_points

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
    (scene,) = (scene for scene in scenes() if scene.title == TITLE)
    return settled(scene, ["default", "privacy", "sustainability"], tmp_path)


def settled(scene, metrics, folder):
    """A trace with all its scores, those of accounts too."""
    config = parse_config({"scoring": {"metrics": metrics}})
    engine = build_engine(config)
    for number, request in enumerate(encode(scene, END)):
        body = request.SerializeToString()
        (folder / f"{number}.bin").write_bytes(len(body).to_bytes(4, "big") + body)
    (closed,) = collect(StoredFiles([str(folder)]))
    accounts = accounts_in_memory(engine.metrics, config.scoring.accounts)
    (found,) = asyncio.run(accounts.settle([engine.score(closed)]))
    return found


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


def test_the_demo_shows_every_metric_that_needs_no_extra_and_no_setting(tmp_path):
    """Each is scored on a sample trace; what needs the sidecar says so on one."""
    shown = {"scored": set(), "skipped": set()}
    for number, scene in enumerate(scenes()):
        folder = tmp_path / str(number)
        folder.mkdir()
        for score in settled(scene, sorted(own_metrics()), folder).scores:
            shown.setdefault(score.status, set()).add(score.metric)
    needs_sidecar = {"cross_modal_grounding", "video_response_relevance"}
    assert shown["scored"] == own_metrics() - needs_sidecar
    assert needs_sidecar <= shown["skipped"]


def own_metrics():
    """The names of the metrics of the catalogue."""
    points = entry_points(group="spanscore.metrics")
    return {p.name for p in points if p.dist is not None and p.dist.name == "spanscore"}
