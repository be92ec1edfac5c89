import time

import pytest

from metrics.quality.claims import MAX_SENTENCES, is_greeting, may_greet, parts_of
from metrics.quality.grounding import claims_of


def claimed(answer, language="english"):
    return [claim.text for claim in claims_of(answer, language)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is red. It is big!", ["It is red.", "It is big!"]),
        ("I don't know the price, but it weighs 5 kg.", ["it weighs 5 kg."]),
        ("It weighs 5 kg, but I'm not sure.", ["It weighs 5 kg"]),
        ("Although I found no price, I do not know why, it weighs 5 kg.", ["it weighs 5 kg."]),
        ("The documents do not mention price, colour, and the weight of it.", []),
        ("I'm sorry, the kettle was recalled.", ["I'm sorry, the kettle was recalled."]),
        ("I'm sorry to hear that your kettle broke.", []),
    ],
)
def test_a_hedge_exempts_its_own_clause_only(answer, expected):
    """What stands beside it is a claim; a piece of a list is none."""
    assert claimed(answer) == expected


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("What is the price?", 0),
        ("Why was the kettle recalled in 2020?", 0),
        ("Did you know that the kettle was recalled?", 1),
        ("Wussten Sie, dass der Kessel brennt?", 1),
        ("The kettle was recalled, wasn't it?", 1),
        ("It was recalled, right?", 1),
        ("It was recalled in 2020 after a fire in a hotel, shouldn't they?", 1),
    ],
)
def test_a_question_claims_what_it_tells(answer, count):
    """A true question claims nothing."""
    assert len(claimed(answer)) == count


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("## Warranty terms\nIt is red.", 1),
        ("## Warranty: 10 years\nIt is red.", 2),
        ("Warranty terms\n===\nIt is red.", 1),
        ("**Warranty terms**\nIt is red.", 1),
        ("**Ten years**", 1),
        ("# Write to help@acme.com", 1),
        ("Here are 3 tips:\n- Clean it.", 1),
        ("It lasts 10 years and covers:\n- Parts.", 2),
    ],
)
def test_a_title_claims_only_amounts_and_addresses(answer, count):
    """Headings, underlined lines, bold lines above others, and lead-ins are treated alike."""
    assert len(claimed(answer)) == count


@pytest.mark.parametrize(
    "answer",
    [
        "```\nmoon = cheese\n```\nIt is red.",
        "~~~python\nmoon = cheese\n~~~\nIt is red.",
        "It is red.\n```\nmoon = cheese",
    ],
)
def test_code_blocks_are_left_out(answer):
    """Closed or not; a back-tick within a line opens none."""
    assert claimed(answer) == ["It is red."]
    assert claimed("```moon``` is red.") == ["moon is red."]


def test_a_table_claims_its_rows():
    """Neither the header row nor the rule below it."""
    assert claimed("| Item | Price |\n|---|--:|\n| Kettle | $42 |\n| Cup | $3 |") == [
        "| Kettle | $42 |",
        "| Cup | $3 |",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        '{"warranty_years": 2, "covers": ["parts", "labour"], "valid": true, "note": null}',
        '```json\n{"warranty_years": 2, "covers": ["parts", "labour"]}\n```',
    ],
)
def test_json_claims_its_values(answer):
    """A number with the unit that its key names; flags and nulls claim nothing."""
    assert claimed(answer) == ["2 years", "parts", "labour"]
    assert claimed("{not json at all}") == ["{not json at all}"]


def test_the_strings_of_json_are_normal_text():
    """An escape may stand for any character, even half of one; keys are read so too."""
    answer = r'{"\ud800": ["\ud800A \ufb01ve\u00a0\u0664"], "weight_\uff4b\uff47": 5}'
    assert claimed(answer) == ["?A five 4", "5 kg"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("- It is *red*.\n  * It is `big` [1, 2].\n(3) It is old 【4】.", ["red", "big", "old"]),
        ("1. It is red [1].", ["red"]),
        ("* It is red", ["red"]),
    ],
)
def test_marks_of_lists_citations_and_emphasis_are_no_text(answer, expected):
    """On the first line as on any other."""
    found = [text.removeprefix("It is ").rstrip(" .") for text in claimed(answer)]
    assert found == expected


@pytest.mark.parametrize("answer", ["# 5 kg", "  ## 5 kg #", "---\n# 5 kg\n===", "\t\n# 5 kg"])
def test_a_heading_is_a_title_on_any_line(answer):
    """The marks are taken off, and rules are left out."""
    assert claimed(answer) == ["5 kg:"]


def test_white_space_within_a_sentence_is_one_space():
    """Of whatever kind it is."""
    assert claimed("It\tis  red,\nwide\x85and\x1fbig.") == ["It is red, wide and big."]


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("Hello there!", 0),
        ("Thanks, Bob!", 0),
        ("Great question!", 0),
        ("Great Britain won.", 1),
        ("Sure, in 1905.", 1),
        ("Sure, Einstein wrote the paper.", 1),
    ],
)
def test_a_greeting_claims_nothing_and_hides_nothing(answer, count):
    """It may name whom it greets; a number or more words make it a claim."""
    assert len(claimed(answer)) == count


@pytest.mark.parametrize(
    ("sentence", "greets"),
    [
        ("Sure, it is.", True),
        ("“Of course!” it says", True),
        ("… \nOLÁ", True),
        ("Thanks", True),
        ("Dearest of all", False),
        ("It is great, sure.", False),
        ("東京 sure", True),
    ],
)
def test_a_courtesy_among_sentences_is_found_at_once(sentence, greets):
    """Where none of the sentences begins with one, none is a greeting."""
    assert is_greeting(sentence, 0) == greets
    assert may_greet(["It is red.", sentence, "It is great."]) == greets
    assert not may_greet([])


def test_what_comes_after_500_sentences_is_counted():
    """It is not read, and not forgotten."""
    found = parts_of("It is red.\n" * (MAX_SENTENCES + 7), "english")
    assert (len(found.sentences), found.unread) == (MAX_SENTENCES, 7)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "# ",
        "# #",
        "```\n",
        "```",
        "~~~ ",
        "|-|\n",
        "- ",
        "--\n",
        " \t",
        "a@",
        "a.com ",
        "x, the ",
        "?",
        ": ",
    ],
)
def test_hostile_text_takes_linear_time(unit):
    """100 KB of any repetition is taken apart in well under five seconds."""
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    claims_of(text, "english")
    claims_of(f"I don't know, {text}", "english")
    assert time.process_time() - start < 5
