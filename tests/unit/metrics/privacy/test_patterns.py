import time

import pytest
from pii_samples import samples

from metrics.privacy.patterns import DEFAULT_KINDS, KINDS, Finder


def found(text, kinds=DEFAULT_KINDS):
    return [(f.kind, text[f.start : f.end]) for f in Finder(kinds).find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to a.b+c@mail.example.co.uk.", ("email", "a.b+c@mail.example.co.uk")),
        ("tëst@exämple.com", ("email", "tëst@exämple.com")),
        ("anna@例え.テスト", ("email", "anna@例え.テスト")),
        ("(555) 010-4477.", ("phone", "(555) 010-4477")),
        ("555-0123", ("phone", "555-0123")),
        ("tel:555.123.4567", ("phone", "555.123.4567")),
        ("+1 (555) 010-4477", ("phone", "+1 (555) 010-4477")),
        ("+49 30 901820", ("phone", "+49 30 901820")),
        ("Call 1234567890 now", ("phone", "1234567890")),
        ("020 7946 0958", ("phone", "020 7946 0958")),
        ("078-05-1120", ("ssn", "078-05-1120")),
        ("SSN is 123456789", ("ssn", "123456789")),
        ("SSN: 123.45.6789", ("ssn", "123.45.6789")),
        ("my card 501800000009", ("credit_card", "501800000009")),
        ("4111 1111 1111 1111", ("credit_card", "4111 1111 1111 1111")),
        ("3782-822463-10005", ("credit_card", "3782-822463-10005")),
        ("2 4111111111111111 3", ("credit_card", "4111111111111111")),
        ("IBAN DE89 3704 0044 0532 0130 00 is it", ("iban", "DE89 3704 0044 0532 0130 00")),
        ("gb82west12345698765432", ("iban", "gb82west12345698765432")),
        ("at 12 Main Street, Springfield", ("address", "12 Main Street")),
        ("in der Hauptstraße 5 wohnt", ("address", "Hauptstraße 5")),
        ("12 bis rue de l'Église, Paris", ("address", "12 bis rue de l'Église")),
        ("Calle Mayor 7, Madrid", ("address", "Calle Mayor 7")),
        ("PO Box 991", ("address", "PO Box 991")),
        ("4111.1111.1111.1111", ("credit_card", "4111.1111.1111.1111")),
        ("4111 1111\n1111 1111", ("credit_card", "4111 1111\n1111 1111")),
        ("4111 11\n11 1111 1111", ("credit_card", "4111 11\n11 1111 1111")),
        ("card 41111111\r\n11111111", ("credit_card", "41111111\r\n11111111")),
        ("4111111111111111/12/27", ("credit_card", "4111111111111111")),
        ("https://a.co/pay?card=4111111111111111", ("credit_card", "4111111111111111")),
        ("DE89-3704-0044-0532-0130-00", ("iban", "DE89-3704-0044-0532-0130-00")),
        ('"john doe"@example.com', ("email", '"john doe"@example.com')),
        ("Tel. No. 555-123-4567", ("phone", "555-123-4567")),
        ("my number is 555-123-4567", ("phone", "555-123-4567")),
        ("customer phone 555-123-4567", ("phone", "555-123-4567")),
        ("They did not answer at 785 8949", ("phone", "785 8949")),
        ("50-98-28-96-Office", ("phone", "50-98-28-96")),
        ("Room 12 555-123-4567", ("phone", "555-123-4567")),
        ("21 212 133 2727", ("phone", "21 212 133 2727")),
        ("06 12345678", ("phone", "06 12345678")),
        ("612 34 56 78", ("phone", "612 34 56 78")),
        ("to=ann@example.com", ("email", "ann@example.com")),
        ("'ann@example.com'", ("email", "ann@example.com")),
        ("ann@example.eduPhone: none", ("email", "ann@example.edu")),
        ("from 8.8.8.8.", ("ip", "8.8.8.8")),
        ("[2001:db8::8a2e:370:7334]", ("ip", "2001:db8::8a2e:370:7334")),
        ("at 2001:db8:1bb9::", ("ip", "2001:db8:1bb9::")),
        ("::ffff:200.35.186.87 is down", ("ip", "::ffff:200.35.186.87")),
        ("IPは10.2.3.4です", ("ip", "10.2.3.4")),
        ("AB12 DE89 3704 0044 0532 0130 00", ("iban", "DE89 3704 0044 0532 0130 00")),
        (
            "my account PL61 1090 1014 0000 0712 1981 2874 is at ING",
            ("iban", "PL61 1090 1014 0000 0712 1981 2874"),
        ),
        ("65.115.194,4111111111111111,x", ("credit_card", "4111111111111111")),
        ("7,4111 1111 1111 1111,22", ("credit_card", "4111 1111 1111 1111")),
        ("4111 - 1111 - 1111 - 1111", ("credit_card", "4111 - 1111 - 1111 - 1111")),
        (
            "4111 1111 1111 1111 12/27",
            ("credit_card", "4111 1111 1111 1111"),
        ),
        ("電話番号は+81 90-1234-4889です", ("phone", "+81 90-1234-4889")),
        (r"call\n212-555-0134", ("phone", "212-555-0134")),
        ("1-800-FLOWERS", ("phone", "1-800-FLOWERS")),
        ("call 800-GOT-JUNK", ("phone", "800-GOT-JUNK")),
        ("212-555-0134, ext 12", ("phone", "212-555-0134, ext 12")),
        ("(+358) 168849712", ("phone", "(+358) 168849712")),
        ("https://wa.me/15551234567", ("phone", "15551234567")),
        ("name;phone\nTom;19117388177", ("phone", "19117388177")),
        ("AKIA2E0A8F3B244C9986 is live", ("secret", "AKIA2E0A8F3B244C9986")),
    ],
)
def test_personal_data_is_found(text, expected):
    """Each kind is found in its usual forms, and nothing else in the same place."""
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no digits here",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "2026-11-30 12:19:18",
        "call at 2026-11-30 12:00",
        "epoch 1764505200000",
        "ISBN 978-3-16-148410-0",
        "order 1234567890 shipped",
        "pi 3.14159265358979",
        "https://example.com/status/1234567890123456789",
        "v1.2.3.4567",
        "$1 234 567.89",
        "4111 1111 1111 1112",  # Luhn
        "0.4111111111111111",
        "order 4111111111111111",
        "501800000009",
        "trace_id=4111111111111111",
        "4111111111111111.25",
        "1,4111,1111,1111,1111",
        "94111111111111111",
        "4111111111111111" * 3,
        "https://example.com/status/4111111111111111",
        "/orders/4111111111111111/items",
        "a1b2-4111-1111-1111-1111-c3d4",
        "12345678-1234-4321-8765-123456789012",
        "41111111\n11111111",
        "4111\n1111\n1111\n1111",
        "part no. 555-123-4567",
        "Order 555-123-4567",
        "order number is 555-123-4567",
        "ID: 555-123-4567",
        "customer id 555-123-4567",
        "Bestellnummer: 555-123-4567",
        "1111 1111 1111 1117",  # no issuer
        "0000000000000000",
        "000-12-3456",  # area
        "666-12-3456",
        "900-12-3456",
        "123-00-4567",  # group
        "123-45-0000",  # serial
        "DE89 3704 0044 0532 0130 01",  # checksum
        "a..b@example.com .a@b.co",
        "a@-b.com",
        "git@github.com:org/repo",
        "icon@2x.png",
        "in 2024 Wall Street rallied",
        "2 people crossed the street",
        "sent via email 5 times",
        "Upgrade to version 27.26.15.11.",
        "OID 1.3.6.1.4.1",
        "a[1::2] b[::2] 1::",
        "nginx/1.25.3.1",
        "Table 3.2.1.4",
        "USPS 9400 4111 1111 1111 1111 55",
        "1234 4111 1111 1111 1111",
        "EAN 4464985977143",
        "Order ID: 365-3788320-4901420",
        "call 45.6789° N, 103.5529° W",
        "800-GOT-JUNK",
        "phone: yes\nNote: zip 78838-7291",
        '{"phone": "none", "sku": "18.68280,-52.62825"}',
        "call us, see doi:10.5367/j.544290.8450",
        "call arn:aws:iam::368841189013:role",
        "offsets [036 609 819]",
        "F: 1234567",
        "127.0.0.1 and 255.255.255.0",
        "use dead::beef here",
        "00:1b:44:11:3a:b7",
        "call 1914-1918",
        "the total reached 1 234 567",
        "take place Sunday, November 20",
        "on August 19 via Netflix",
        "Aug 24 Duo Highway",
        "15 The Wizards square off",
        "750 Seventh Avenue is a tall building",
        "The library building at 220 S. Main Street",
    ],
)
def test_what_only_looks_like_it_is_not(text):
    """Ids, dates, prices, versions and numbers that fail their checks are no personal data."""
    assert [kind for kind, _ in found(text) if (kind, text) != ("email", "")] == []


def test_names_and_national_ids_are_optional():
    """They are found only on request: too many words and numbers look like them."""
    text = "Jane Roe, 111.444.777-35, logged in from 8.8.8.8 and 2001:db8::1, not 127.0.0.1"
    machines = [("ip", "8.8.8.8"), ("ip", "2001:db8::1")]
    assert found(text) == machines
    assert found(text, ("ip", "national_id", "name")) == [
        *machines,
        ("national_id", "111.444.777-35"),
        ("name", "Jane Roe"),
    ]


def test_each_place_counts_once_for_the_strictest_kind():
    """A card number is not also a phone number."""
    text = "card 4111 1111 1111 1111, phone (555) 010-4477"
    assert [kind for kind, _ in found(text)] == ["credit_card", "phone"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("4111\u00a01111\u202f1111\u20091111", "credit_card"),
        ("4111\u20111111\u20111111\u20111111", "credit_card"),
        ("\uff14\uff11\uff11\uff11 1111 1111 1111", "credit_card"),
        ("\u0664\u0661\u0661\u0661 1111 1111 1111", "credit_card"),
        ("4111\u200b1111\u200b1111\u200b1111", "credit_card"),
        ("078\u201305\u20131120", "ssn"),
        ("078\u221205\ufe631120", "ssn"),
        ("078\u201405\u20141120", "ssn"),
        ("DE89\u20073704\u20070044\u20070532\u20070130\u200700", "iban"),
        ("ann\uff20example\uff0ecom", "email"),
        ("ann@exam\u00adple.com", "email"),
        ("\uff08555\uff09\u00a0010\u20104477", "phone"),
    ],
)
def test_typographic_characters_hide_nothing(text, kind):
    """Dashes, spaces, digits and signs of any shape are read as the plain ones."""
    for prefix in ("", "東京 ", "\u200b\u2019 "):
        assert found(f"{prefix}{text}.") == [(kind, text)]


def test_a_dash_that_parts_clauses_is_no_hyphen():
    """The phone number behind it is not a piece of the word in front."""
    assert found("call me\u2014555-123-4567") == [("phone", "555-123-4567")]


def test_offsets_are_characters_even_around_broken_text():
    """Text before a finding may be of any script, or not even valid text."""
    for prefix in ("東京 ", "\ud800 ", "é"):
        finding = Finder(("email",)).find(f"{prefix} a@b.co")[0]
        assert finding.start == len(prefix) + 1


def test_the_kinds_together_find_what_each_finds_alone():
    """The set that says which kinds can occur never rules out one that does."""
    together = Finder(KINDS)
    for sample in samples(seed=5, count=25):
        alone = Finder((sample.kind,)).find(sample.text)
        assert [f for f in together.find(f"{sample.text} {'é x 1 ' * 50}") if f in alone] == alone


def test_an_unknown_kind_is_refused():
    """A typing error in the configuration is found at once."""
    with pytest.raises(ValueError, match="emial"):
        Finder(("emial",))


def test_no_detector_at_all_finds_nothing():
    """An empty choice is a choice."""
    assert Finder(()).find("a@b.co") == []


@pytest.mark.parametrize(
    "unit",
    [
        "1 ",
        "a@",
        "a@b.co ",
        "4111.",
        "4111\n",
        "\u200b1",
        '"a@',
        "id: ",
        "+1 ",
        "street ",
        "Abc ",
        "555-123-4567 ",
        "password ",
        "password: ",
        "eyJ",
        "sk-1",
        "-----BEGIN PRIVATE KEY-----",
        "a://b:c",
        "12:",
        "12 34 56 78 ",
        "call at 12 ",
    ],
)
def test_hostile_text_takes_linear_time(unit):
    """100 KB of any repetition is scanned in well under five seconds."""
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    Finder(KINDS).find(text)
    assert time.process_time() - start < 5
