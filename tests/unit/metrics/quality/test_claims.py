import time

import pytest

from metrics.quality.claims import MAX_SENTENCES, parts_of
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
    start = time.perf_counter()
    claims_of(text, "english")
    claims_of(f"I don't know, {text}", "english")
    assert time.perf_counter() - start < 5
