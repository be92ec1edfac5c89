"""What msgspec says, as one line of ours."""

from typing import Literal

import msgspec
import pytest
from msgspec import Struct

from scorer.config import Config
from scorer.config.faults import explain


class Part(Struct, forbid_unknown_fields=True):
    mode: Literal["a", "b"] | None = None


class Root(Struct):
    parts: tuple[Part | str, ...] = ()
    by_name: dict[Literal["x", "y"], Part] = {}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"parts": [{"mode": "c"}]}, "parts[0].mode: 'c' is not one of: 'a', 'b'"),
        ({"by_name": {"z": {}}}, "unknown key by_name.z; known there: 'x', 'y'"),
        ({"by_name": {"x": {"mode": "c"}}}, "by_name[...].mode: 'c' is not one of: 'a', 'b'"),
        ({"parts": 5}, "parts: Expected `array`, got `int`"),
        (5, "configuration: Expected `object`, got `int`"),
    ],
)
def test_a_wrong_value_is_told_with_what_is_allowed(data, said):
    """Through lists, mappings, alternatives."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(data, Root)
    assert explain(str(caught.value), Root) == said


def test_an_unknown_key_is_told_with_its_path():
    """And where the keys are listed."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"parts": [{"mod": 1}]}, Root)
    assert explain(str(caught.value), Root).startswith("unknown key parts[0].mod; see the table")


def test_an_option_beside_its_metric_is_told_where_it_belongs():
    """Not only that the key is unknown: nothing in the table of keys would help."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(
            {"scoring": {"metrics": ["cost", {"name": "faithfulness", "method": "embedding"}]}},
            Config,
        )
    assert explain(str(caught.value), Config) == (
        "unknown key scoring.metrics[1].method; an option of a metric stands in its `options: {..}`"
    )
