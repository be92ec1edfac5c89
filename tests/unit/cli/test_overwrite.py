import os

import pytest

from scorer.cli.overwrite import refuse_overwrite
from scorer.errors import ConfigError


@pytest.fixture
def spans(tmp_path):
    path = tmp_path / "spans.jsonl"
    path.write_text("{}")
    return path


def names_of(spans):
    """The file under its name, through a symlink, and through a hard link."""
    soft, hard = spans.with_name("soft"), spans.with_name("hard")
    soft.symlink_to(spans)
    os.link(spans, hard)
    return [spans, soft, hard, spans.parent / "." / spans.name]


def test_an_output_that_is_an_input_is_refused_under_any_name(spans):
    """The file decides, not its name."""
    for name in names_of(spans):
        with pytest.raises(ConfigError, match=r"--out .*is an input.*would be lost"):
            refuse_overwrite("--out", str(name), [None, str(spans)])
        with pytest.raises(ConfigError, match="is an input"):
            refuse_overwrite("--out", str(spans), [str(name)])


def test_any_other_output_is_fine(spans):
    """A new file, an older output, standard output, a device."""
    other = spans.with_name("scores.jsonl")
    refuse_overwrite("--out", str(other), [str(spans)])
    other.write_text("")
    for out in (str(other), "-", None, "/dev/null"):
        refuse_overwrite("--out", out, [str(spans), "/dev/null"])
