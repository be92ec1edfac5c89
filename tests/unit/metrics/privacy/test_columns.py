import pytest

from metrics.privacy.columns import title

TABLES = [
    "name | phone\nann | 123",
    "| name | phone |\n| --- | --- |\n| ann | 123 |",
    "name,order,phone\nbob,7,9\nann,12,123\n",
    "phone;name\n123;ann",
    "above\n\nname\t**phone**\nann\t123",
]


def at_number(text):
    start = text.index("123")
    return start, start + 3


@pytest.mark.parametrize("text", TABLES)
def test_a_value_of_a_row_has_the_title_of_its_column(text):
    """Whatever parts the cells, and whichever row it is."""
    assert title(text, *at_number(text)) == "phone"


@pytest.mark.parametrize(
    "text",
    [
        "123",
        "phone\n123",
        "name | phone\n\nann | 123",  # another block
        "ann@a.b | phone\nbob | 123",  # a row, no head
        "name\nann | 123",
        "name | phone\n" + "ann | 9\n" * 400 + "ann | 123",  # too far below
    ],
)
def test_without_a_head_there_is_no_title(text):
    """What stands above is not the first line of the same table, or is out of reach."""
    assert title(text, *at_number(text)) == ""
