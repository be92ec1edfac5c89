"""A score as JSON."""

import json

import pytest

from scorer.model.score import Score
from scorer.model.score_json import encode_score, valid_text
from scorer.testing import score


def test_all_fields_are_there_in_order():
    """The object has exactly the fields of a score; what is absent is null."""
    data = json.loads(encode_score(score()))
    assert list(data) == list(Score.__struct_fields__)
    assert data["range"] == [0.0, 1.0]
    assert data["explanation"] is None


def test_a_set_in_the_detail_has_one_order():
    """Equal details give equal bytes, though a set has another order in each process."""
    words = {f"w{n}" for n in range(50)}
    assert json.loads(encode_score(score(detail={"words": words})))["detail"]["words"] == sorted(
        words
    )


def nested():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "bad", [object(), "\ud800", 2**70, nested()], ids=["object", "surrogate", "big", "deep"]
)
def test_a_detail_that_is_no_json_does_not_lose_the_score(bad):
    """The score goes out with what is wrong in the place of the detail."""
    data = json.loads(encode_score(score(value=0.25, detail={"bad": bad})))
    assert data["value"] == 0.25


def test_half_a_character_is_replaced():
    """Text that UTF-8 cannot hold is written with `?`."""
    data = json.loads(encode_score(score(explanation="a\udfffb", detail={"fine": 1})))
    assert data["explanation"] == "a?b"
    assert data["detail"] == {"fine": 1}
    assert valid_text("ü\ud800") == "ü?"
