import pytest

from metrics.privacy.cards import card_spans


def cards(text):
    return [text[start:end] for start, end, _ in card_spans(text, 0, len(text))]


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111111",
        "4111 1111-1111 1111",
        "3782.822463.10005",
        "4111\n1111 1111 1111",
        "4111 1111 11\n11 1111",
    ],
)
def test_a_card_number_may_be_parted_as_cards_are(text):
    """By spaces and hyphens anyhow; by dots or a line break only in the groups of a card."""
    assert cards(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "4111.11111111.1111",
        "4111.1111 1111.1111",
        "4111\n1111\n1111 1111",
        "41111111\n11111111",
        "4111111111111112",
        "1.4111111111111111",
        "4111111111111111,5",
        "ab12-4111111111111111",
        "4111111111111111-0123456789ab",
        "http://a.co/4111111111111111",
    ],
)
def test_other_groups_and_pieces_of_something_else_are_none(text):
    """Columns, decimals, identifiers and paths pass the checksum by chance."""
    assert cards(text) == []


def test_what_is_announced_as_a_card_may_be_broken_anywhere():
    """Two lines of eight digits are one number when the text says so."""
    text = "Visa: 41111111\n11111111"
    assert [text[s:e] for s, e, _ in card_spans(text, 6, len(text))] == [text[6:]]
