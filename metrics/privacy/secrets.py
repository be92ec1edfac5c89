"""Credentials: keys and tokens of known forms, private keys, passwords that a word announces.

What has the form alone is not enough, because documentation is full of `sk-xxxx`: the value must
look random, a JSON web token must have a header that decodes, and a password a digit or a sign.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import pairwise

# The prefixes of OpenAI, Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face,
# npm, SendGrid, Shopify, DigitalOcean, PyPI, Groq.
_ISSUED = (
    r"\b(?:(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[\w-]{16,}|whsec_\w{16,}|gh[opsur]_\w{30,}|"
    r"github_pat_\w{22,}|gl(?:pat|ptt|dt|rt)-[\w-]{18,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|"
    r"A(?:KI|SI)A[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|hf_\w{20,}|npm_\w{30,}|"
    r"SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ss|ca|pa)_\w{20,}|dop_v1_\w{30,}|pypi-[\w-]{20,}|"
    r"gsk_\w{20,})"
)
_PEM = r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?"
_JWT = r"\beyJ[\w-]{8,}\.eyJ[\w-]{2,}\.[\w-]*"
_LOGIN_WORD = (
    r"(?:pass(?:word|wd|phrase|code|wort)|pwd|kennwort|contraseña|mot de passe|senha|wachtwoord)"
)
_KEY = (
    r"(?:(?:api|access|private|secret|auth|session|refresh|client)[ _-]?(?:access[ _-]?)?"
    r"(?:key|token|secret)|secret|token|bearer)"
)
_VALUE = r"[\"'`]?([^\s\"'`,;<>]{6,})"
_GIVEN_LOGIN = rf"(?i:\b{_LOGIN_WORD}[\"']?(?: ?[:=]| is|) {{0,2}}{_VALUE})"
_GIVEN_KEY = rf"(?i:{_KEY}[\"']?(?: ?[:=]| is|) {{0,2}}{_VALUE})"
_USER_INFO = r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:]*:([^\s/@]{3,})@"

CANDIDATE = f"{_PEM}|{_JWT}|{_ISSUED}|{_USER_INFO}|{_GIVEN_LOGIN}|{_GIVEN_KEY}"
HINT = (
    r"(?:sk|pk|rk|whsec|gh[opsur]|github_pat|hf|npm|shp(?:at|ss|ca|pa)|dop_v1|gsk)[-_]\w|"
    r"gl(?:pat|ptt|dt|rt)-|xox[a-z]-|xapp-|A(?:KI|SI)A[A-Z0-9]|AIza|ya29\.|SG\.|pypi-|"
    rf"PRIVATE KEY|eyJ|://[^\s/@]*:[^\s/@]+@|(?i:{_LOGIN_WORD})|"
    rf"(?i:{_KEY})[\"']?(?: ?[:=]| is|) {{0,2}}[\"'`]?[^\s\"'`,;<>]*\d"
)

_IN_CANDIDATE = re.compile(rf"(?:{_USER_INFO})|(?:{_GIVEN_LOGIN})|(?:{_GIVEN_KEY})")
_PLACEHOLDER = re.compile(
    r"(?i)[*x.•\-_]+|.*(?:example|placeholder|redacted|your|changeme).*|[$%{\[].*"
)
_CHANGES = 6  # a random token changes its kind of character at least every so many
_MIN_DISTINCT, _MIN_KEY, _MAX_HEADER = 8, 16, 2_000


def secret_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the secret within a candidate stands, without the word that announces it."""
    found = text[start:end]
    if found.startswith(("-----", "eyJ")):
        if found[0] == "-" or _is_web_token(found):
            yield start, end
        return
    announced = _IN_CANDIDATE.fullmatch(found)
    if announced is None:
        if _is_issued(found):
            yield start, end
        return
    group = announced.lastindex or 0
    value = announced.group(group).rstrip(".:!?)")
    if _PLACEHOLDER.fullmatch(value):
        return
    is_real = (True, _is_login(value), _is_key(value))[group - 1]
    if is_real:
        first = start + announced.start(group)
        yield first, first + len(value)


def looks_random(token: str) -> bool:
    """Whether a long token mixes digits and letters as words and paths do not."""
    if not any(map(str.isdigit, token)):
        return False
    kinds = [(character.isdigit(), character.isupper()) for character in token]
    changes = sum(a != b for a, b in pairwise(kinds))
    return changes * _CHANGES >= len(token)


def _is_issued(token: str) -> bool:
    return len(set(token)) >= _MIN_DISTINCT and any(map(str.isdigit, token))


def _is_key(value: str) -> bool:
    return len(value) >= _MIN_KEY and any(map(str.isalpha, value)) and looks_random(value)


def _is_login(value: str) -> bool:
    """Whether a word behind "password" is one and not the next word of the sentence."""
    return any(not character.isalpha() and character not in "-'’/._" for character in value)


def _is_web_token(token: str) -> bool:
    header = token.partition(".")[0][:_MAX_HEADER]
    try:
        return b'"alg"' in base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))
    except (ValueError, binascii.Error):
        return False
