"""`spanscore check-config`: validates a configuration and prints what is in effect."""

import argparse
import re
import sys
from typing import Any

from scorer.cli.options import Subparsers, add_set_option, read_config

_SECRET = re.compile(r"(?:key|token|secret|password)\Z")


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "check-config", help="validate a configuration and print what is in effect"
    )
    parser.add_argument("config", metavar="FILE", nargs="?", help="default: only the defaults")
    add_set_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load the configuration and every part it names, then print it as YAML.

    Raises:
        ConfigError: a key or value is wrong, or a metric or plug-in does not load.
    """
    import yaml

    from scorer.access.entry import Entry
    from scorer.config import check_files, to_plain
    from scorer.config.listeners import listeners
    from scorer.registry import load, names
    from scorer.scoring.engine import build_engine
    from scorer.sinks.otlp.build import build_target

    config = read_config(args)
    check_files(config)
    for listener in listeners(config):
        if listener.enabled:
            Entry(listener.tls, listener.auth, listener.key)
    for number, target in enumerate(config.sinks.otlp):
        build_target(target, f"sinks.otlp[{number}]")
    build_engine(config)
    for name in names("receivers"):
        load("receivers", name)
    for name in names("sinks"):
        load("sinks", name)
    plain = to_plain(config)
    for metric in plain["scoring"]["metrics"]:
        if isinstance(metric, dict):
            metric["options"] = masked(metric["options"])
    yaml.safe_dump(plain, sys.stdout, sort_keys=False, allow_unicode=True)
    return 0


def masked(options: dict[str, Any]) -> dict[str, Any]:
    """Return a metric's options without what a key, token, secret or password is."""
    return {
        name: "***" if value and _SECRET.search(name) else value for name, value in options.items()
    }
