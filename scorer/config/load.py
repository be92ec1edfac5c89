"""Reading and checking a configuration."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from scorer.config.quantities import decode_quantity
from scorer.config.tree import Config
from scorer.errors import ConfigError

_ENV = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


def load_config(path: str | Path | None = None, overrides: Sequence[str] = ()) -> Config:
    """Read a YAML file (None = the defaults), apply `a.b=v` overrides, and check it.

    Raises:
        ConfigError: the file is missing, is not YAML, or a key or value is wrong.
    """
    tree = {} if path is None else _read_yaml(Path(path))
    for override in overrides:
        _apply_override(tree, override)
    return parse_config(tree)


def parse_config(tree: Mapping[str, Any]) -> Config:
    """Turn plain data into a checked `Config`; raises ConfigError naming the path of a fault."""
    try:
        config = msgspec.convert(_substitute(tree, "$"), Config, dec_hook=decode_quantity)
    except msgspec.ValidationError as error:
        raise ConfigError(_explain(str(error))) from error
    _check_endpoints(config)
    return config


def to_plain(config: Config) -> dict[str, Any]:
    """Return the effective configuration as plain data, quantities with their units."""
    plain: dict[str, Any] = msgspec.to_builtins(config, enc_hook=str)
    return plain


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read configuration {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        text = " ".join(str(error).split())
        raise ConfigError(f"configuration {path} is not valid YAML: {text}") from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"configuration {path} must be a mapping, not {type(tree).__name__}")
    return tree


def _apply_override(tree: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    if not separator or not key:
        raise ConfigError(f"--set {override!r}: write it as key.path=value")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {key}: {text!r} is not a YAML value") from error
    *parents, last = key.split(".")
    node = tree
    for name in parents:
        child = node.setdefault(name, {})
        if not isinstance(child, dict):
            raise ConfigError(f"--set {key}: {name} is not a section")
        node = child
    node[last] = value


def _substitute(value: Any, path: str) -> Any:
    """Replace `${env:NAME}` in every text of the tree."""
    if isinstance(value, dict):
        return {str(k): _substitute(v, f"{path}.{k}") for k, v in value.items()}
    if isinstance(value, list):
        return [_substitute(v, f"{path}[{i}]") for i, v in enumerate(value)]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in os.environ:
            raise ConfigError(f"{path[2:]}: environment variable {name} is not set")
        return os.environ[name]

    return _ENV.sub(replace, value)


def _check_endpoints(config: Config) -> None:
    otlp = config.receivers.otlp
    listeners = {
        "receivers.otlp.grpc": (otlp.grpc.endpoint, otlp.grpc.insecure),
        "receivers.otlp.http": (otlp.http.endpoint, otlp.http.insecure),
        "web": (config.web.endpoint, config.web.insecure),
    }
    for path, (endpoint, insecure) in listeners.items():
        if not endpoint.is_loopback and not insecure:
            raise ConfigError(
                f"{path}.endpoint: {endpoint} can be reached from other machines without "
                f"authentication; set {path}.insecure: true if that is meant"
            )


def _explain(text: str) -> str:
    """Turn msgspec's message into `path: what`."""
    message, _, where = text.partition(" - at `")
    path = where.rstrip("`").removeprefix("$").lstrip(".")
    unknown = re.search(r"unknown field `([^`]*)`", message)
    if unknown:
        full = f"{path}.{unknown.group(1)}".lstrip(".")
        return f"unknown key {full}; see the table of configuration keys in the README"
    return f"{path or 'configuration'}: {message}"
