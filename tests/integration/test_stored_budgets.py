"""Privacy budgets of what is stored: a run begins with nothing spent, and can be repeated."""

import json

import pytest

from scorer.cli.main import main
from scorer.testing import TraceBuilder

BUDGET = ["--set", "scoring.metrics=[privacy_budget]"]


@pytest.fixture
def stored(tmp_path):
    """Five traces of two principals in a file, the first of them twice."""
    path = tmp_path / "spans.pb"
    bodies = []
    for number in (1, 1, 2, 3, 4, 5):
        builder = TraceBuilder(number, start_ns=(1_700_000_000 + number) * 10**9)
        told = {
            "gen_ai.operation.name": "invoke_agent",
            "user.id": "ann" if number % 2 else "bob",
            "spanscore.privacy.epsilon": number / 2,
        }
        builder.span("agent", **told)
        bodies.append(builder.request())
    path.write_bytes(b"".join(len(body).to_bytes(4, "big") + body for body in bodies))
    return path


def values(path):
    rows = map(json.loads, path.read_text().splitlines())
    return [row["value"] for row in rows if row["output"] == "value"]


def test_a_replay_gives_the_same_scores_for_any_number_of_workers(stored, tmp_path):
    """ann spends 0.5, 1.5 and 2.5, bob 1 and 2, of 10 each; the trace that comes twice once."""
    outs = [tmp_path / f"{workers}.jsonl" for workers in (0, 2)]
    for workers, out in zip((0, 2), outs, strict=True):
        sets = [*BUDGET, "--set", f"scoring.workers={workers}"]
        assert main(["replay", str(stored), "--scores", str(out), *sets]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert values(outs[0]) == [0.95, 0.9, 0.8, 0.7, 0.55]


def test_samples_spend_as_traces_do(tmp_path):
    """The user's budget; a sample that tells no epsilon has a reason."""
    samples, out = tmp_path / "samples.jsonl", tmp_path / "out.jsonl"
    lines = [
        {"id": "a", "user_id": "ann", "privacy_epsilon": 2},
        {"id": "b", "user_id": "ann", "privacy_epsilon": 3, "privacy_delta": 1e-6},
        {"id": "c", "privacy_epsilon": 1},
        {"id": "d", "answer": "Yes."},
    ]
    samples.write_text("\n".join(map(json.dumps, lines)))
    assert main(["score", str(samples), "--out", str(out), *BUDGET]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    found = {
        row["subject"]: (row["value"], row["reason"]) for row in rows if row["output"] == "value"
    }
    assert found == {
        "a": (0.8, None),
        "b": (0.5, None),
        "c": (None, "no_principal"),
        "d": (None, "no_epsilon"),
    }


def test_coverage_and_calibration_know_the_scores(stored, tmp_path, capsys):
    """They are made there as well, not left waiting."""
    assert main(["inspect", str(stored), "--coverage", "--json", *BUDGET]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [trace["metrics"] for trace in report["traces"]] == [{"privacy_budget": None}] * 5
    samples = tmp_path / "samples.jsonl"
    lines = [{"id": n, "user_id": f"u{n}", "privacy_epsilon": n, "wrong": n > 5} for n in range(10)]
    samples.write_text("\n".join(map(json.dumps, lines)))
    argv = ["calibrate", str(samples), "--metric", "privacy_budget", "--label", "wrong", "--json"]
    assert main(argv) == 0
    assert '"auroc"' in capsys.readouterr().out
