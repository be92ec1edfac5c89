"""YAML to plain data, stricter than PyYAML: a key that stands twice is an error.

Only `true` and `false` are truth values, as in YAML 1.2 and in every reader but the oldest: `off`
is a text. And `1e-6` is a number, as in YAML 1.2 and JSON.
"""

import re
from collections.abc import Hashable
from typing import Any

import yaml

_BOOL = "tag:yaml.org,2002:bool"
_FLOAT = "tag:yaml.org,2002:float"


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own name
        first: [resolver for resolver in resolvers if resolver[0] != _BOOL]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} stands twice", key_node.start_mark
                )
            seen.add(key) if isinstance(key, Hashable) else None
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(
    _BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
)
_Loader.add_implicit_resolver(
    _FLOAT,
    re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+\Z"),
    list("-+.0123456789"),
)


def load_yaml(text: str) -> Any:
    """Parse YAML.

    Raises:
        yaml.YAMLError: It is none, or a key stands twice in one mapping.
    """
    return yaml.load(text, _Loader)  # noqa: S506 - the loader is a SafeLoader
