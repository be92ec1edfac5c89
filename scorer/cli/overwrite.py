"""Keeps an output from replacing one of the inputs."""

from collections.abc import Iterable
from pathlib import Path

from scorer.errors import ConfigError
from scorer.receivers.sources import file_identity, label


def refuse_overwrite(option: str, out: str | None, inputs: Iterable[str | None]) -> None:
    """Check an output before it is opened; None and `-` are no files.

    Raises:
        ConfigError: It is the same file as one of the inputs, whatever its name.
    """
    if out is None or not Path(out).is_file():
        return
    identity = file_identity(out)
    for path in inputs:
        if path is not None and file_identity(path) == identity:
            raise ConfigError(
                f"{option} {out}: this file is an input ({label(path)}) and would be lost; "
                "name another one"
            )
