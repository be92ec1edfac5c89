from scorer.cli.check_config import masked
from scorer.cli.main import main


def test_keys_among_the_options_are_not_printed(tmp_path, capsys):
    """What is in effect may be pasted into a ticket."""
    path = tmp_path / "spanscore.yaml"
    path.write_text("scoring: {metrics: [{name: pii_leakage, options: {hash_key: open-sesame}}]}")
    assert main(["check-config", str(path)]) == 0
    out = capsys.readouterr().out
    assert "hash_key: '***'" in out
    assert "sesame" not in out


def test_other_options_are_printed():
    """An option that is not set is no secret either."""
    options = {"detectors": ["email"], "hash_key": ""}
    assert masked(options) == options
