import re

import pytest

from metrics.privacy import addresses


def first(text, kind):
    match = re.search(kind, text)
    span = addresses.span_around(text, *match.span())
    return span and text[slice(*span)]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("to 221b Baker St today", "St", "221b Baker St"),
        ("12 Martin Luther King Blvd", "Blvd", "12 Martin Luther King Blvd"),
        ("12\nMain Street", "Street", None),
        ("the Main Street", "Street", None),
        ("12 Street", "Street", None),
        ("3 avenue des Champs", "avenue", "3 avenue des Champs"),
        ("Via Roma, 12", "Via", "Via Roma, 12"),
        ("rue Morgue", "rue", None),
        ("Alte Gasse 12a", "Gasse", "Gasse 12a"),
        ("hauptstraße 5", "straße", None),
        ("Hauptstraße", "straße", None),
        ("P.O. Box 12", r"P\.O\. Box", "P.O. Box 12"),
        ("PO Box", "PO Box", None),
    ],
)
def test_a_kind_of_street_needs_a_name_and_a_number(text, kind, expected):
    """Without a name or a house number on the same line a street is no address."""
    assert first(text, kind) == expected
