"""What is told of a JSON text without parsing it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.otlp.json_text import Marks, lone_surrogates, marks, mend_surrogates


def mended(text):
    copy = bytearray(text)
    for _ in mend_surrogates(copy):
        pass
    return bytes(copy)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (rb'"\ud83d"', rb'"\ufffd"'),
        (rb'"\uDE00x"', rb'"\ufffdx"'),
        (rb'"\ud83d\ude00"', rb'"\ud83d\ude00"'),
        (rb'"\ud83d\ud83d\ude00\ude00"', rb'"\ufffd\ud83d\ude00\ufffd"'),
        (rb'"\\ud83d"', rb'"\\ud83d"'),
        (rb'"\\\ud83d"', rb'"\\\ufffd"'),
        (rb'"\u00e9"', rb'"\u00e9"'),
    ],
)
def test_half_a_surrogate_pair_is_replaced(text, after):
    """A whole pair stays, and what only looks like an escape."""
    assert mended(text) == after


@given(st.text(st.sampled_from('a\\"\ud83d\ude00\ue000,{'), max_size=12))
def test_a_mended_text_is_what_a_lenient_reader_takes_it_for(text):
    """Which is how the mapper reads a small request."""
    written = json.dumps(text).encode()
    read = json.loads(mended(written))
    assert read == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert lone_surrogates(written) or mended(written) == written


def test_others_get_a_turn_while_very_many_are_mended():
    """It is done in steps."""
    assert len(list(mend_surrogates(bytearray(rb"\ud83d" * 10_000)))) == 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (rb'{"a":[1,2],"b":{}}', Marks(2, 1, 2)),
        (rb'{"a,[{":"{\"[,","b":"\\"}', Marks(1, 0, 1)),
        (b'["' + b"," * 200_000 + b'",1,"' + b"{" * 200_000 + b'"]', Marks(0, 1, 2)),
    ],
)
def test_only_what_stands_outside_of_strings_is_counted(text, found):
    """However long they are, and with escaped quotes."""
    assert marks(text) == found
