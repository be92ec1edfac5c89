import json

import pytest

from scorer.dialects.repair import complete, looks_cut, salvage


def test_every_cut_of_a_document_gives_a_prefix_of_it_or_nothing():
    """Whatever the length limit, what is read is valid JSON."""
    whole = json.dumps([{"role": "user", "parts": [{"content": 'a "b" {c}', "n": 12.5}]}, None])
    for length in range(len(whole)):
        closed = complete(whole[:length])
        if closed is not None:
            json.loads(closed)


def test_a_half_string_is_dropped():
    """Half a text must not be judged as if it were whole."""
    assert salvage('[{"role": "user"}, {"role": "assistant", "content": "It is') == [
        {"role": "user"},
        {"role": "assistant"},
    ]


def test_a_complete_value_before_the_cut_is_kept():
    """A short answer survives the cut of what follows it."""
    assert salvage('[{"content":"done","finish_r') == [{"content": "done"}]


@pytest.mark.parametrize("value", ["[doc-1] plain text", "plain", "", "{template}"])
def test_plain_text_is_not_taken_for_cut_json(value):
    """Text that happens to begin with a bracket is left alone."""
    assert salvage(value) is None
    assert not (value and looks_cut(value))
