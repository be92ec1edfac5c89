import time

import pytest

from metrics.privacy.documented import detections


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("x a@b.com, c@d.org", ["email", "email"]),
        ("@@a@b.com@", ["email"]),
        ("a@b", []),
        ("ëa@b.com", []),  # no word boundary before the local part
        (".a@b.com", ["email"]),
        ("a@b.comé", []),  # no word boundary after the host
        ("555 123 4567", []),
        ("1234567890", ["phone"]),
        ("123-45-6789", ["ssn"]),
        ("4111-1111 11111111", ["credit_card"]),
        ("New York", ["name"]),
        ("12 Main Street", ["name"]),
    ],
)
def test_the_detectors_are_those_of_the_original(text, kinds):
    """Accidents of the original included."""
    assert detections(text) == kinds


@pytest.mark.parametrize("unit", ["a", "a.", "@", "a@", "Aa "])
def test_hostile_text_takes_linear_time(unit):
    """100 KB of any repetition is scanned in well under five seconds."""
    start = time.process_time()
    detections(unit * (100_000 // len(unit)))
    assert time.process_time() - start < 5
