import argparse

import pytest

from scorer.cli.options import add_config_options, add_metrics_option, read_config
from scorer.config import MetricConfig
from scorer.errors import ConfigError


def config_of(*argv):
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_config_options(parser)
    add_metrics_option(parser)
    return read_config(parser.parse_args(argv))


def test_without_options_the_defaults_hold():
    """No file is needed."""
    assert config_of() == read_config(argparse.Namespace(config=None, overrides=[]))


def test_set_overrides_the_file(tmp_path):
    """`--set` wins over `--config`."""
    path = tmp_path / "c.yaml"
    path.write_text("assembly: {linger: 5s, idle_timeout: 9s}")
    config = config_of("--config", str(path), "--set", "assembly.linger=7s")
    assert (config.assembly.linger, config.assembly.idle_timeout) == (7.0, 9.0)


def test_metrics_replace_the_configured_ones_and_keep_their_settings():
    """A chosen metric keeps the mode that the configuration gives it."""
    config = config_of(
        "--set", "scoring.metrics=[{name: latency, mode: documented}, cost]", "--metrics",
        "latency, tool_success",
    )  # fmt: skip
    assert config.scoring.metrics == (
        MetricConfig(name="latency", mode="documented"),
        "tool_success",
    )


def test_an_empty_list_of_metrics_is_wrong_use():
    """`--metrics ,` names nothing."""
    with pytest.raises(argparse.ArgumentError, match="names no metric"):
        config_of("--metrics", " , ")


def test_a_missing_file_is_a_configuration_error():
    """The error names the file."""
    with pytest.raises(ConfigError, match=r"missing\.yaml"):
        config_of("--config", "missing.yaml")
