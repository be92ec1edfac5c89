import pytest

from metrics.quality.units import meanings, unit_of


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("kg", "kg"),
        ("Kilogramm", "kg"),
        ("%", "percent"),
        ("Jahre", "year"),
        ("m", "m"),
        ("L", "litre"),
        ("M", None),
        ("apples", None),
    ],
)
def test_spellings_of_a_unit_are_one(token, name):
    """Abbreviations and the words of other languages included; one letter only in its case."""
    unit = unit_of(token)
    assert (unit.name if unit else None) == name


def test_a_wide_word_means_several_units():
    """A dollar may be anybody's, and one of a country is a dollar; a kilogram is one."""
    assert meanings("dollar") == ("dollar", "usd", "cad", "aud")
    assert meanings("usd") == ("usd", "dollar")
    assert meanings("kg") == ("kg",)
