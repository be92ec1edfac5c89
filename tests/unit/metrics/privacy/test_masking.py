import pytest

from metrics.privacy.masking import all_quoted, masked, quoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to ann@example.com.", "Write to [email]."),
        ("SSN 078\u201105\u20111120, card 4111 1111 1111 1111", "SSN [ssn], card [credit_card]"),
        ("at 12 Main Street, tel (555) 010-4477", "at [address], tel [phone]"),
        ("from 8.8.8.8", "from [ip]"),
        ("DE89 3704 0044 0532 0130 00", "[iban]"),
    ],
)
def test_personal_data_becomes_its_kind(text, expected):
    """What the detectors find is replaced by its kind in brackets."""
    assert masked(text) == expected


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcDEF123456789",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghij",
        "glpat-abcdefgh12345678",
        "xoxb-123456789012-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "5f4dcc3b5aa765d61d8327deb882cf99",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_credentials_become_secret(secret):
    """Providers' keys, tokens, private keys and long random tokens leave no trace."""
    assert masked(f"It is {secret} indeed.") == "It is [secret] indeed."


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("postgres://bob:hunter2@localhost/x", "hunter2"),
        ("https://bob:p%40ss@host.example/", "p%40ss"),
        ("the password is swordfish", "swordfish"),
        ('{"api_key": "abcd1234"}', "abcd1234"),
        ("Passwort lautet: geheim", "geheim"),
        ("Authorization: Bearer abcdefghijklmnop", "abcdefghijklmnop"),
    ],
)
def test_what_is_announced_as_a_secret_is_hidden(text, hidden):
    """Passwords in URLs, and values behind a word that announces one."""
    assert "[secret]" in masked(text)
    assert hidden not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The warranty lasts 24 months and costs 1,000 euros.",
        "Passwords are stored hashed, the secret is out.",
        "https://example.com/docs/getting-started-with-things-2024/part",
        "internationalization-and-localisation",
        "The token limit is 4096.",
        "\ud800 東京",
    ],
)
def test_plain_text_stays_as_it_is(text):
    """Prose, numbers, paths and long words are shown."""
    assert masked(text) == text


def test_overlapping_findings_are_masked_once():
    """The address inside a URL with a password is not shown in part."""
    assert masked("ftp://a:b@c.example.com x") == "ftp://[secret]@c.example.com x"


def test_a_cut_shows_no_finding_in_part():
    """Wherever the text is cut, no piece of the number remains."""
    for length in range(150, 215):
        shown = quoted("x" * length + " 4111 1111 1111 1111 " + "word " * 200, 200)
        assert len(shown) <= 201
        assert "4111" not in shown
    assert quoted("short", 200) == "short"
    assert quoted("x " * 150, 200).endswith("…")


@pytest.mark.parametrize(
    "secret",
    [
        "4111 1111 1111 1111",
        "a@b.org",
        "token: hunter2hunter2",
        "ftp://bob:hunter2@host",
        "5f4dcc3b5aa765d61d8327deb882cf99",
        "internationalization-and-localisation",
        "",
    ],
)
def test_many_texts_are_quoted_as_each_alone(secret):
    """Whether one of them holds anything or none does."""
    texts = ["Plain text.", f"It says {secret} here.", "word " * 100]
    assert all_quoted(texts, 60) == [quoted(text, 60) for text in texts]
    assert all_quoted([], 60) == []
