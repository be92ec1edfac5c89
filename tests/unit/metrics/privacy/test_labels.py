import pytest

from metrics.privacy.labels import Label


@pytest.mark.parametrize(
    "before",
    [
        "part no. ",
        "Order ",
        "orders: ",
        "sku=",
        '"orderId": "',
        "order number is ",
        "zip code [",
        "CAS ",
    ],
)
def test_the_name_of_a_thing_stands_right_in_front(before):
    """Alone, or with "number", in a sentence or as a field."""
    assert Label(before).is_thing


@pytest.mark.parametrize("before", ["customer id: ", "Bestellnummer: ", "trace_id=", "spanId: "])
def test_the_number_of_a_record_is_told_by_two_words(before):
    """Whose record, and that it is a number or an id."""
    assert Label(before).is_record


@pytest.mark.parametrize("before", ["no. ", "ID: ", "#", "nr "])
def test_what_is_only_counted_is_told_apart(before):
    """It may be the number of anything."""
    label = Label(before)
    assert (label.is_counted, label.is_thing, label.is_record) == (True, False, False)


@pytest.mark.parametrize(
    "before", ["", "the order came, call ", "customer: ", "area code ", "order 7 "]
)
def test_other_words_name_no_thing(before):
    """A name must be the last word, and a customer is none."""
    label = Label(before)
    assert (label.is_thing, label.is_record, label.is_counted) == (False, False, False)
