"""The command line as a user runs it: real processes, small inputs, exit codes."""

import gzip
import json
import subprocess
import sys
import time

import pytest

from scorer.testing import assert_balanced

TRACE = "0af7651916cd43dd8448eb211c80319c"
START = 1_760_000_000 * 10**9
_SUCCESS = ("tool_success", "value")


def spanscore(*argv, stdin=b"", cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "scorer", *map(str, argv)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=50,
        check=False,
    )


def error_line(done):
    """The one line on stderr of a command that failed."""
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("spanscore: error: ")
    return lines[0]


def otlp_line(trace_id=TRACE, start=START, *, answer="Rain is wet.", service="weather"):
    """An export of one agent span, as a line of OTLP/JSON."""
    attributes = {
        "openinference.span.kind": "AGENT",
        "agent.name": "forecaster",
        "input.value": "What is rain?",
        "output.value": answer,
    }
    span = {
        "traceId": trace_id,
        "spanId": trace_id[:16],
        "name": "agent",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 2 * 10**9),
        "attributes": [
            {"key": key, "value": {"stringValue": value}} for key, value in attributes.items()
        ],
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    spans = {"resource": resource, "scopeSpans": [{"spans": [span]}]}
    return json.dumps({"resourceSpans": [spans]}).encode() + b"\n"


@pytest.fixture
def spans_file(tmp_path):
    path = tmp_path / "spans.jsonl"
    later = otlp_line("1" * 32, START + 10**10, answer="Write to a.b@example.com.")
    path.write_bytes(later + otlp_line())
    return path


def test_help_is_quick():
    """`--help` answers in half a second (the best of three runs: machines are shared)."""
    durations = []
    for _ in range(3):
        started = time.perf_counter()
        assert spanscore("--help").returncode == 0
        durations.append(time.perf_counter() - started)
    assert min(durations) < 0.5


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["serve", "--set", "assembly.lingr=2s"], "unknown key assembly.lingr"),
        (["serve", "--config", "nowhere.yaml"], "nowhere.yaml"),
        (["replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (["inspect", "nowhere.jsonl"], "nowhere.jsonl"),
        (["score", "nowhere.jsonl"], "nowhere.jsonl"),
        (["score", "-", "--metrics", "niceness"], "niceness"),
        (["check-config", "nowhere.yaml"], "nowhere.yaml"),
        (["check-config", "--set", "scoring.thresholds.niceness.max=1"], "niceness"),
        (["check-config", "--set", "assembly.linger=2"], "assembly.linger"),
        (["explain", "abc"], "32 hexadecimal digits"),
    ],
)
def test_wrong_use_and_configuration_exit_2(argv, text, tmp_path):
    """One clear line says what is wrong; nothing is printed on stdout."""
    done = spanscore(*argv, cwd=tmp_path)
    assert text in error_line(done)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_file_without_spans_exits_1(tmp_path):
    """A named file in which nothing can be read is a failure that names the file."""
    path = tmp_path / "notes.txt"
    path.write_text("these are no spans\n")
    for verb in ("replay", "inspect"):
        done = spanscore(verb, path)
        assert done.returncode == 1
        assert "notes.txt" in error_line(done)


def test_check_config_prints_what_is_in_effect(tmp_path):
    """What is printed is itself a valid configuration, and the same one."""
    path = tmp_path / "c.yaml"
    path.write_text("assembly: {linger: 5s}\n")
    done = spanscore("check-config", path, "--set", "assembly.idle_timeout=90s")
    assert done.returncode == 0, done.stderr
    assert b"linger: 5s" in done.stdout
    path.write_bytes(done.stdout)
    assert spanscore("check-config", path).stdout == done.stdout


def test_metrics_lists_the_catalogue():
    """One JSON object a metric, with what it needs."""
    done = spanscore("metrics", "--json")
    rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert {"faithfulness", "latency", "pii_leakage"} <= rows.keys()
    assert rows["latency"]["outputs"][0]["unit"] == "s"


def test_inspect_prints_traces_in_order_of_start(spans_file):
    """`--json` gives one object a trace, whatever the order of the lines."""
    done = spanscore("inspect", spans_file, "--json")
    assert done.returncode == 0, done.stderr
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["trace_id"], second["trace_id"]) == (TRACE, "1" * 32)
    assert (first["question"], first["answer"]) == ("What is rain?", "Rain is wet.")
    assert first["service"] == "weather"


def test_inspect_reads_stdin_and_is_readable(spans_file):
    """Without `--json` a person can read it."""
    done = spanscore("inspect", "-", stdin=spans_file.read_bytes())
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "Rain is wet." in text
    assert "not captured" in text
    assert "2 traces" in text


def test_evidence_says_where_each_fact_comes_from(spans_file):
    """The span and its attributes, and what is missing."""
    done = spanscore("inspect", spans_file, "--json", "--evidence")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout.splitlines()[0])
    (source,) = first["evidence"]["question"]
    assert source["keys"] == ["input.value"]
    assert first["evidence"]["gaps"] == []


def test_a_session_of_log_records_is_replayed(tmp_path):
    """It has no span and no trace id; its key makes it a trace."""
    records = [
        {
            "timeUnixNano": str(START + number * 10**9),
            "eventName": name,
            "attributes": [
                {"key": key, "value": {"stringValue": value}}
                for key, value in {"conversation.id": "c", **fields}.items()
            ],
        }
        for number, (name, fields) in enumerate(
            [
                ("codex.user_prompt", {"prompt": "fix it"}),
                ("codex.tool_result", {"tool_name": "shell", "success": "false"}),
            ]
        )
    ]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    stored = tmp_path / "logs.json"
    stored.write_text(json.dumps(logs))
    seen = json.loads(spanscore("inspect", stored, "--json").stdout)
    assert (seen["question"], seen["session_id"]) == ("fix it", "c")
    scores = tmp_path / "scores.jsonl"
    done = spanscore("replay", stored, "--scores", scores)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    assert {row["trace_id"] for row in rows} == {seen["trace_id"]}
    assert [row["value"] for row in rows if (row["metric"], row["output"]) == _SUCCESS] == [0.0]


def test_coverage_says_what_to_switch_on(spans_file):
    """The traces have no passages: the metrics that need them say so, with advice."""
    done = spanscore("inspect", spans_file, "--coverage")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "no_contexts" in text
    assert "retrieval.documents" in text
    report = json.loads(spanscore("inspect", spans_file, "--coverage", "--json").stdout)
    assert len(report["traces"]) == 2
    assert report["advice"]


def test_replay_writes_scores_and_a_summary(spans_file, tmp_path):
    """stdout is clean JSON with `--summary json`; the scores file is the same each time."""
    outs = []
    for name in ("a.jsonl", "b.jsonl"):
        out = tmp_path / name
        done = spanscore(
            "replay", spans_file, "--scores", out, "--summary", "json", "--set", "scoring.workers=0"
        )
        assert done.returncode == 0, done.stderr
        outs.append(out.read_bytes())
    summary = json.loads(done.stdout)
    assert_balanced(summary["spans"])
    assert summary["spans"]["offered"] == summary["spans"]["scored"] == 2
    by_name = {(m["metric"], m["output"]): m for m in summary["metrics"]}
    assert by_name["latency", "value"]["mean"] == 2.0
    assert outs[0] == outs[1]
    scores = [json.loads(line) for line in outs[0].splitlines()]
    assert {score["trace_id"] for score in scores} == {TRACE, "1" * 32}


def test_a_mistyped_source_keeps_the_scores_file(tmp_path):
    """The scores of an earlier run are replaced only by a run that can start."""
    out = tmp_path / "scores.jsonl"
    out.write_text("earlier\n")
    assert spanscore("replay", "nowhere.jsonl", "--scores", out, cwd=tmp_path).returncode == 2
    assert out.read_text() == "earlier\n"


def test_a_source_with_nothing_in_it_keeps_the_scores_file(tmp_path):
    """Nothing readable is a failure in one line, which must not cost earlier scores either."""
    (tmp_path / "empty").mkdir()
    out = tmp_path / "scores.jsonl"
    out.write_text("earlier\n")
    done = spanscore("replay", tmp_path / "empty", "--scores", out)
    assert "empty: no file is in it" in error_line(done)
    assert (done.returncode, out.read_text()) == (1, "earlier\n")


@pytest.mark.parametrize("verb", [("replay", "--scores"), ("score", "--out")])
def test_an_output_that_is_the_input_is_refused(verb, spans_file):
    """Nothing is opened for writing before that is known."""
    before = spans_file.read_bytes()
    link = spans_file.with_name("link")
    link.symlink_to(spans_file)
    for out in (spans_file, link):
        done = spanscore(verb[0], spans_file, verb[1], out)
        assert done.returncode == 2
        assert "is an input" in error_line(done)
    assert spans_file.read_bytes() == before


def test_an_output_inside_a_folder_that_is_read_is_refused(spans_file):
    """It would be read while it is written."""
    before = spans_file.read_bytes()
    done = spanscore("replay", spans_file.parent, "--scores", spans_file)
    assert (done.returncode, spans_file.read_bytes()) == (2, before)


def test_scores_may_go_to_stdout(spans_file):
    """`--scores -` keeps stdout clean: the summary goes to stderr."""
    done = spanscore(
        "replay", spans_file, "--scores", "-", "--metrics", "latency", "--set", "scoring.workers=0"
    )
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["metric"] for line in done.stdout.splitlines()} == {"latency"}
    assert b"2 offered" in done.stderr


def test_process_substitution_is_read(spans_file):
    """`<(cat x)` is a pipe: it can be read only once."""
    command = f"{sys.executable} -m scorer inspect --json <(cat {spans_file})"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "argv",
    [["replay", "-", "-"], ["replay", "-", "--since", "2026-01-02", "--until", "2026-01-01"]],
)
def test_what_cannot_be_read_twice_or_at_all_is_wrong_use(argv):
    """Before anything is read."""
    done = spanscore(*argv)
    assert done.returncode == 2
    assert error_line(done)


def test_inspect_says_what_it_could_not_read(tmp_path):
    """On stderr, so that `--json` stays JSON."""
    folder = tmp_path / "spans"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(otlp_line() + b"garbage\n")
    (folder / "notes.txt").write_text("no spans\n")
    for options in ([], ["--json"], ["--coverage", "--json"]):
        done = spanscore("inspect", folder, *options)
        assert done.returncode == 0
        assert b"1 part of the input could not be read" in done.stderr
        assert b"a.jsonl: line 2" in done.stderr
        assert b"1 file without OTLP was skipped" in done.stderr
        if options:
            assert [json.loads(line) for line in done.stdout.splitlines()]


def test_error_lines_cannot_drive_the_terminal(tmp_path):
    """Names and texts come from outside."""
    done = spanscore("replay", "no\x1b[31m\nwhere")
    assert b"\x1b" not in done.stderr
    assert error_line(done)


@pytest.mark.parametrize(
    ("bound", "code"),
    [
        ("latency.p95<=2", 0),
        ("faithfulness.not_applicable==2", 0),
        ("latency.max<1", 1),
        ("faithfulness>0", 1),
        ("faithfulness.fails==0", 1),
        ("latancy<=1", 2),
    ],
)
def test_an_assertion_decides_the_exit_code(bound, code, spans_file):
    """A bound that does not hold is 1, one on an unknown metric 2."""
    done = spanscore("replay", spans_file, "--set", "scoring.workers=0", "--assert", bound)
    assert done.returncode == code, done.stderr
    if code:
        assert bound in done.stderr.decode()


def test_replay_prints_a_table(spans_file):
    """The summary of a person's run is a table on stdout."""
    done = spanscore("replay", spans_file, "--metrics", "latency", "--set", "scoring.workers=0")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "latency" in text
    assert "2 offered" in text
    assert "faithfulness" not in text


def test_since_and_until_choose_traces(spans_file):
    """Traces that ended outside the time range are left out."""
    done = spanscore(
        "replay", spans_file, "--summary", "json", "--set", "scoring.workers=0",
        "--until", "2025-10-09T08:53:25Z",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    metrics = {m["metric"]: m for m in json.loads(done.stdout)["metrics"] if m["output"] == "value"}
    assert metrics["latency"]["scored"] == 1


SAMPLES = b"""\
{"id": "good", "question": "Where?", "answer": "Paris is in France.", \
"contexts": ["Paris is in France."], "tool_calls": [{"name": "f", "status": "error"}]}
{"id": "bad
{"id": "bare"}
"""


def test_score_scores_samples_and_reports_bad_lines(tmp_path):
    """A bad line has its number and does not stop the rest; the exit code is 1."""
    out = tmp_path / "out.jsonl"
    done = spanscore("score", "-", "--out", out, stdin=SAMPLES)
    assert done.returncode == 1
    assert b"spanscore: standard input: line 2: " in done.stderr
    scores = {
        (s["subject"], s["metric"]): s for s in map(json.loads, out.read_bytes().splitlines())
    }
    assert scores["good", "faithfulness"]["value"] == 1.0
    assert scores["good", "tool_success"]["value"] == 0.0
    assert scores["bare", "faithfulness"]["status"] == "not_applicable"
    assert scores["bare", "faithfulness"]["value"] is None
    assert b"faithfulness" in done.stdout


def test_score_reads_compressed_samples_and_tells_of_unknown_fields(tmp_path):
    """A misspelt field is told once, with the name that was meant."""
    path = tmp_path / "samples.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a", "answer": "x", "context": []}\n{"answer": "y"}\n'))
    done = spanscore("score", path, "--out", "-")
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["subject"] for line in done.stdout.splitlines()} == {"a", "line-2"}
    assert done.stderr.count(b"\n") == 1
    assert b"did you mean 'contexts'?" in done.stderr


def test_garbage_is_told_in_a_few_lines(tmp_path):
    """Ten lines, with the name of the file, then how many there are."""
    path = tmp_path / "garbage"
    path.write_text("x\n" * 500)
    done = spanscore("score", path)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, len(lines)) == (1, 11)
    assert all("garbage: " in line for line in lines)
    assert "500 lines could not be scored" in lines[-1]


def test_stored_spans_are_no_samples(spans_file):
    """The error names the command that reads them."""
    done = spanscore("score", spans_file)
    assert done.returncode == 1
    assert b"spanscore replay" in done.stderr


def test_an_empty_samples_file_is_a_failure(tmp_path):
    """Nothing was scored, so nothing was checked."""
    done = spanscore("score", "-", stdin=b"\n\n")
    assert done.returncode == 1
    assert "there is no sample in it" in error_line(done)


def test_score_can_write_to_stdout(tmp_path):
    """`--out -` prints only scores, all of whose ids differ."""
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b'{"id": "x", "answer": "a"}\n{"id": "y", "answer": "a"}\n')
    done = spanscore("score", path, "--out", "-")
    assert done.returncode == 0, done.stderr
    ids = [json.loads(line)["id"] for line in done.stdout.splitlines()]
    assert len(ids) == len(set(ids)) > 2


def test_nobody_to_explain_exits_1():
    """Without a running service the error says what to start."""
    done = spanscore("explain", TRACE, "--url", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "spanscore serve" in error_line(done)
