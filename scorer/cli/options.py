"""Options that several verbs share, and how they become a configuration."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # parsing a command line must not load the configuration's libraries
    from scorer.config import Config, MetricConfig

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse has no public name for it


def add_config_options(parser: argparse.ArgumentParser) -> None:
    """Add `--config` and `--set`."""
    parser.add_argument("--config", metavar="FILE", help="configuration (YAML); default: none")
    add_set_option(parser)


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add `--set`."""
    parser.add_argument(
        "--set",
        dest="overrides",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="override one configuration key, such as assembly.linger=5s (repeatable)",
    )


def add_metrics_option(parser: argparse.ArgumentParser) -> None:
    """Add `--metrics`."""
    parser.add_argument(
        "--metrics",
        metavar="NAME,..",
        type=_names,
        help="score only these metrics or groups; default: scoring.metrics of the configuration",
    )


def read_config(args: argparse.Namespace) -> "Config":
    """Return the configuration that `--config`, `--set` and `--metrics` ask for.

    Raises:
        ConfigError: the file, a key, a value or a metric's name is wrong.
    """
    from scorer.config import load_config

    config = load_config(args.config, args.overrides)
    chosen = getattr(args, "metrics", None)
    return config if chosen is None else _with_metrics(config, chosen)


def _with_metrics(config: "Config", chosen: tuple[str, ...]) -> "Config":
    """Keep the mode and options that the configuration gives to a chosen metric."""
    from msgspec.structs import replace

    from scorer.config import MetricConfig

    configured = {m.name: m for m in config.scoring.metrics if isinstance(m, MetricConfig)}
    metrics = tuple(configured.get(name, name) for name in chosen)
    return replace(config, scoring=replace(config.scoring, metrics=metrics))


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise argparse.ArgumentTypeError("names no metric")
    return names


def read_metric(config: "Config", written: str) -> "MetricConfig":
    """Return the metric that `NAME` or `NAME:option=value,..` asks for.

    What the configuration says of the metric stays, where no option replaces it; `mode` is
    an option too.

    Raises:
        ConfigError: an option has no value.
    """
    import yaml
    from msgspec.structs import replace

    from scorer.config import MetricConfig
    from scorer.config.yaml_text import load_yaml
    from scorer.errors import ConfigError

    name, _, rest = written.partition(":")
    configured = {m.name: m for m in config.scoring.metrics if isinstance(m, MetricConfig)}
    metric = configured.get(name, MetricConfig(name=name))
    for option in filter(None, rest.split(",")):
        key, given, value = option.partition("=")
        if not given:
            raise ConfigError(f"{written!r}: write options as {name}:option=value,..")
        if key != "mode":
            try:
                metric = replace(metric, options={**metric.options, key: load_yaml(value)})
            except yaml.YAMLError as error:
                raise ConfigError(f"{written!r}: {key} is no YAML") from error
        elif value in {"documented", "beyond"}:
            metric = replace(metric, mode=value)
        else:
            raise ConfigError(f"{written!r}: mode is documented or beyond, not {value!r}")
    return metric
