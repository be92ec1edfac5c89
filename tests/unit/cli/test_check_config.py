"""`spanscore check-config`: what it finds, and what it does not print."""

import yaml

from scorer.cli import main as cli
from scorer.cli.check_config import masked


def check(tmp_path, target):
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({"sinks": {"otlp": [target]}}))
    return cli.main(["check-config", str(path)])


def test_targets_are_printed_without_their_secrets(tmp_path, monkeypatch, capsys):
    """With every default that is in effect."""
    monkeypatch.setenv("TEMPO_TOKEN", "s3cret")
    headers = {"authorization": "Bearer ${env:TEMPO_TOKEN}"}
    assert check(tmp_path, {"endpoint": "tempo:1", "mode": "forward", "headers": headers}) == 0
    printed = capsys.readouterr().out
    (target,) = yaml.safe_load(printed)["sinks"]["otlp"]
    assert target["headers"] == {"authorization": "***"}
    assert (target["protocol"], target["queue_size"]) == ("grpc", "64MiB")
    assert "s3cret" not in printed


def test_a_certificate_that_cannot_be_used_is_found(tmp_path, capsys):
    """Before the service starts, with the path of its key."""
    (tmp_path / "ca.pem").write_text("nonsense")
    tls = {"ca_file": str(tmp_path / "ca.pem")}
    assert check(tmp_path, {"endpoint": "tempo:1", "mode": "forward", "tls": tls}) == 2
    assert "sinks.otlp[0].tls.ca_file: " in capsys.readouterr().err


def test_keys_among_the_options_are_not_printed(tmp_path, capsys):
    """What is in effect may be pasted into a ticket."""
    path = tmp_path / "spanscore.yaml"
    path.write_text("scoring: {metrics: [{name: pii_leakage, options: {hash_key: open-sesame}}]}")
    assert cli.main(["check-config", str(path)]) == 0
    out = capsys.readouterr().out
    assert "hash_key: '***'" in out
    assert "sesame" not in out


def test_other_options_are_printed():
    """An option that is not set is no secret either."""
    options = {"detectors": ["email"], "hash_key": ""}
    assert masked(options) == options
