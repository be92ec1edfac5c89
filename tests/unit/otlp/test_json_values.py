"""JSON texts and values."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from scorer.errors import PermanentError, TooLargeError
from scorer.otlp.json_values import iter_json, json_kind, parse_json


def test_documents_that_follow_each_other_are_parsed_one_by_one():
    """White space or nothing stands between them."""
    assert list(iter_json(b'\xef\xbb\xbf {"a": 1}\n\n[2]{} \t')) == [{"a": 1}, [2], {}]
    assert list(iter_json(b" \n")) == []


def test_good_documents_come_before_the_error_of_a_bad_one():
    """What was readable is not lost."""
    documents = iter_json(b"{} {")

    assert next(documents) == {}
    with pytest.raises(PermanentError, match="no JSON"):
        next(documents)


def test_a_text_that_is_not_utf8_is_a_permanent_error():
    """Other encodings are not guessed."""
    with pytest.raises(PermanentError, match="at byte 1"):
        list(iter_json(b"{\xff}"))


def test_duplicate_keys_are_found_fast_in_large_objects():
    """The first duplicate is named; a hundred thousand keys are no problem."""
    keys = ",".join(f'"k{n}":0' for n in range(100_000))
    with pytest.raises(PermanentError, match="'k7' stands twice"):
        parse_json(f'{{{keys},"k7":0}}')


def test_a_key_that_is_no_name_is_not_shown():
    """It may hold anything."""
    with pytest.raises(PermanentError, match="key a text of 11 characters stands twice"):
        parse_json('{"078-05-1120": 1, "078-05-1120": 2}')


def test_every_json_type_has_a_name():
    """Error texts speak of JSON, not of Python."""
    names = [json_kind(v) for v in ({}, [], "", True, None, 1, 1.5)]

    assert names == [
        "an object",
        "an array",
        "a string",
        "a boolean",
        "null",
        "a number",
        "a number",
    ]


def test_a_large_text_of_tiny_objects_is_refused_before_it_is_parsed():
    """Three characters of an empty object would become seventy bytes of memory."""
    with pytest.raises(TooLargeError, match="tiny objects"):
        parse_json("[" + "{}," * 500_000 + "{}]")
    assert len(parse_json("[" + '{"a":"bcd"},' * 100_000 + "{}]")) == 100_001


def test_deep_nesting_is_refused_in_a_thread_too():
    """Large bodies are parsed in one, whose stack may be smaller."""
    for text in (b"[" * 20_000 + b"]" * 20_000, b'{"a":' * 20_000):
        with ThreadPoolExecutor(1) as pool, pytest.raises(PermanentError, match="nests too deeply"):
            pool.submit(parse_json, text).result()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" * 400, int("9" * 400)),
        ("9" * 5000, math.inf),
        ("-" + "9" * 1_000_000, -math.inf),
        ("1e999999999", math.inf),
        ("1e-999999999", 0.0),
        ("0." + "0" * 1_000_000 + "1", 0.0),
    ],
)
def test_numbers_of_any_length_are_read(text, value):
    """Python refuses integers of more than 4300 digits, for which it would take too long."""
    assert parse_json(text) == value
    assert list(iter_json(f"{text} {text}".encode())) == [value, value]


def test_a_huge_text_is_read():
    """Length alone is bounded by the request, not by the parser."""
    assert parse_json(b'"' + b"x" * 5_000_000 + b'"') == "x" * 5_000_000
