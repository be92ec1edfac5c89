"""Reading and checking a configuration."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import Struct

from scorer.config.checks import check
from scorer.config.faults import explain
from scorer.config.quantities import decode_quantity
from scorer.config.tree import Config
from scorer.config.yaml_text import load_yaml
from scorer.errors import ConfigError

_REFERENCE = re.compile(r"\$\{([^}]*)\}?")
_ENV = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")


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
        given = _without_empty(_substituted(tree), Config())
        config = msgspec.convert(given, Config, dec_hook=decode_quantity)
    except msgspec.ValidationError as error:
        raise ConfigError(explain(str(error), Config)) from error
    check(config)
    return config


def to_plain(config: Config) -> dict[str, Any]:
    """Return the effective configuration as plain data, quantities with their units."""
    plain: dict[str, Any] = msgspec.to_builtins(config, enc_hook=str)
    return plain


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        tree = load_yaml(path.read_text(encoding="utf-8"))
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
        # An IPv6 endpoint would be taken for the beginning of a list.
        value = text if text.startswith("[") and "]:" in text else load_yaml(text)
    except yaml.YAMLError as error:
        why = getattr(error, "problem", None) or "it does not parse"
        raise ConfigError(f"--set {key}: {text!r} is not a YAML value: {why}") from error
    *parents, last = key.split(".")
    node = tree
    for name in parents:
        if node.get(name) is None:  # not there, or nothing under it
            node[name] = {}
        node = node[name]
        if not isinstance(node, dict):
            raise ConfigError(f"--set {key}: {name} is not a section")
    node[last] = value


def _substituted(tree: Any) -> Any:
    try:
        return _substitute(tree, "$")
    except RecursionError as error:
        raise ConfigError("the configuration contains itself (a YAML alias)") from error


def _substitute(value: Any, path: str) -> Any:
    """Replace `${env:NAME}` in every text of the tree."""
    if isinstance(value, dict):
        return {str(k): _substitute(v, f"{path}.{k}") for k, v in value.items()}
    if isinstance(value, list):
        return [_substitute(v, f"{path}[{i}]") for i, v in enumerate(value)]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        named = _ENV.fullmatch(match.group(1))
        if named is None or not match.group().endswith("}"):
            raise ConfigError(f"{path[2:]}: {match.group()}: only ${{env:NAME}} is replaced")
        name = named.group(1)
        if name not in os.environ:
            raise ConfigError(f"{path[2:]}: environment variable {name} is not set")
        return os.environ[name]

    return _REFERENCE.sub(replace, value)


def _without_empty(tree: Any, defaults: Struct) -> Any:
    """Leave out sections, lists and mappings with nothing under their key: the defaults hold."""
    if not isinstance(tree, dict):
        return tree
    kept = {}
    for key, value in tree.items():
        default = getattr(defaults, key, None)
        if value is None and isinstance(default, Struct | tuple | dict):
            continue
        kept[key] = _without_empty(value, default) if isinstance(default, Struct) else value
    return kept
