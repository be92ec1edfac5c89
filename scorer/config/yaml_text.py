"""YAML to plain data, stricter than PyYAML: a key that stands twice is an error."""

from collections.abc import Hashable
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
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


def load_yaml(text: str) -> Any:
    """Parse YAML.

    Raises:
        yaml.YAMLError: It is none, or a key stands twice in one mapping.
    """
    return yaml.load(text, _Loader)  # noqa: S506 - the loader is a SafeLoader
