import base64

import pytest

from metrics.privacy.patterns import Finder

HEADER = base64.urlsafe_b64encode(b'{"alg":"HS256"}').decode().rstrip("=")
# Put together here so that no scanner takes this file for a leak.
TOKENS = [
    "sk-" + "proj-Ab12Cd34Ef56Gh78Ij90",
    "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc",
    "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_" + "11ABCDEFG0aBcDeFgHiJkL",
    "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "xoxb-" + "123456789012-abcdefABCDEF",
    "AKIA" + "2E0A8F3B244C9986",
    "AIza" + "SyD1234567890abcdefghijklmnopqrstuv",
    "hf_" + "aBcDeFgHiJkLmNoPqRsT12",
    f"{HEADER}.eyJzdWIiOiIxMjM0In0.abc-DEF_123",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
]


def found(text):
    return [text[f.start : f.end] for f in Finder(("secret",)).find(text)]


@pytest.mark.parametrize("token", TOKENS)
def test_a_credential_of_a_known_form_is_found(token):
    """Wherever it stands in the text."""
    assert found(f"use {token} now") == [token]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("password: hunter2", "hunter2"),
        ("The password is s3cret!x.", "s3cret!x"),
        ('{"api_key": "q7Rt29Zk41Lm88Xv"}', "q7Rt29Zk41Lm88Xv"),
        ("client_secret=a8F3k29dKq01zX7p&x=1", "a8F3k29dKq01zX7p&x=1"),
        ("Authorization: Bearer a8F3k29dKq01zX7pQ", "a8F3k29dKq01zX7pQ"),
        ("postgres://app:tr0ub4dor@db.example.com/x", "tr0ub4dor"),
    ],
)
def test_what_a_word_announces_is_found(text, value):
    """The finding is the value without the word."""
    assert found(text) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-your-key-goes-in-this-place",
        "password: ********",
        "password: required",
        "Your password is required.",
        "password=${env:PASSWORD}",
        "password: <password>",
        "token: 1234567890123456",
        "max_tokens: 4096, token: word",
        "eyJub3RhaGVhZGVy.eyJub3RoaW5n.x1",
        "a secret ingredient called paprika",
        "https://example.com:8080/a@b",
    ],
)
def test_placeholders_and_prose_are_none(text):
    """Documentation is full of what only has the form."""
    assert found(text) == []
