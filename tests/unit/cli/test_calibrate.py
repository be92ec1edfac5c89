import json

import pytest

from scorer.cli.main import main

CONTEXTS = ["The tower is 330 m high and stands in Paris."]
ANSWERS = ("The tower is 330 m high.", "Zebras play chess on Mars.")


@pytest.fixture
def samples(tmp_path):
    """Ten samples; every second one is wrong."""
    path = tmp_path / "samples.jsonl"
    rows = [
        {"id": str(n), "answer": ANSWERS[n % 2], "contexts": CONTEXTS, "wrong": n % 2}
        for n in range(10)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def calibrate(samples, *more, metric="faithfulness", label="wrong"):
    argv = ["calibrate", str(samples), "--metric", metric, "--label", label, *more]
    return main([*argv, "--resamples", "20"])


def test_json_is_one_object_on_stdout(samples, capsys):
    """With the figures and the lines to paste; the same each time."""
    assert calibrate(samples, "--json") == 0
    first = capsys.readouterr()
    figures = json.loads(first.out)
    assert figures["auroc"] == {"value": 1.0, "low": pytest.approx(0.566, abs=0.001), "high": 1.0}
    assert figures["snippet"] == "scoring:\n  thresholds:\n    faithfulness: {min: 0.5}"
    assert first.err == ""
    assert calibrate(samples, "--json") == 0
    assert capsys.readouterr().out == first.out


def test_the_report_is_for_people(samples, capsys):
    """Tables, and what to paste at the end."""
    assert calibrate(samples) == 0
    out = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert out[0] == "faithfulness (lexical, higher is better)"
    assert out[-1] == "    faithfulness: {min: 0.5}"


@pytest.mark.parametrize(("option", "name"), [("--label", "wrng"), ("--slice", "team")])
def test_a_field_that_no_sample_has_is_told(samples, option, name, capsys):
    """With those that there are, for it is rather a slip."""
    assert calibrate(samples, option, name) == 2
    assert f"no sample has a field '{name}' ({option})" in capsys.readouterr().err


def test_bad_lines_are_told_and_the_others_count(samples, capsys):
    """The exit code says that something is wrong."""
    samples.write_text(samples.read_text() + "\nnonsense\n")
    assert calibrate(samples) == 1
    assert "line 11: JSON is malformed" in capsys.readouterr().err


def test_labelled_spans_are_known_by_their_form(tmp_path, capsys):
    """A list as label."""
    path = tmp_path / "texts.jsonl"
    span = {"type": "EMAIL_ADDRESS", "start": 0, "end": 6}
    path.write_text(json.dumps({"answer": "a@b.co", "spans": [span]}))
    assert calibrate(path, "--json", metric="pii_leakage", label="spans") == 0
    assert json.loads(capsys.readouterr().out)["pooled"]["f1"]["value"] == 1.0
    assert calibrate(path, "--against", "cost", metric="pii_leakage", label="spans") == 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metric": "niceness"}, "no metric named 'niceness'"),
        ({"label": "rong"}, "no sample has a field 'rong'"),
        ({"label": "id"}, "the label '2' is neither 0/1"),
        ({"metric": "token_usage"}, "token_usage gave no labelled sample a value"),
    ],
)
def test_what_cannot_be_calibrated_is_an_error(samples, capsys, more, said):
    """Wrong use: exit code 2 and one line."""
    assert calibrate(samples, **more) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_an_empty_file_is_an_error(tmp_path, capsys):
    """There is nothing to compare."""
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert calibrate(path) == 1
    assert "there is no sample in it" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [["--target-precision", "0"], ["--resamples", "0"], ["--types", "A"], ["--seed", "x"]],
)
def test_wrong_options_are_refused(samples, capsys, wrong):
    """By the parser, in one line."""
    with pytest.raises(SystemExit, match="2"):
        main(["calibrate", str(samples), "--metric", "cost", "--label", "wrong", *wrong])
    assert capsys.readouterr().err.startswith(f"spanscore: error: calibrate: argument {wrong[0]}")
