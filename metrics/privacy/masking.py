"""Taking personal data and secrets out of a text that is going to be quoted.

What the detectors find becomes its kind in brackets, `[email]`; what looks like a credential
becomes `[secret]`: tokens with a provider's prefix, JSON web tokens, passwords in URLs, values
behind a word such as "password", and long tokens that mix digits and letters as no word does.
When in doubt it masks: a quote is there to show which sentence is meant.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import re2

from metrics.privacy.patterns import KINDS, Finder
from metrics.privacy.secrets import looks_random

_SECRET = "[secret]"  # noqa: S105 - what stands in place of one
_QUOTED_KINDS = tuple(kind for kind in KINDS if kind != "name")

_WORD = (
    r"(?:pass(?:word|wd|phrase|code|wort)|pwd|kennwort|contraseña|mot de passe|senha|wachtwoord)"
)
_KEY = (
    r"(?:(?:(?:api|access|private|secret|auth|session|refresh)[ _-]?)?(?:key|token)|secret|"
    r"credentials?)"
)
_IS = r"(?:is|are|was|lautet|ist|est|es|è|é)[ :]+"
_CREDENTIAL = re2.compile(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?",
            r"eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?",
            # Providers' prefixes: OpenAI, Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google ..
            (
                r"\b(?:sk|pk|rk|whsec)[-_][\w-]{8,}|\bgh[opsur]_\w{8,}|\bgithub_pat_\w{8,}|"
                r"\bgl(?:pat|ptt|dt|rt)-[\w-]{8,}|\bxox[a-z]-[\w-]{6,}|\bxapp-[\w-]{6,}|"
                r"\bA(?:KI|SI|GP|ID|RO|IP|NP|NV|BI|CC)A[A-Z0-9]{8,}|\bAIza[\w-]{16,}|\bya29\.[\w-]{8,}|"
                r"\b(?:hf|npm|r8|gsk|dop_v1|shpat|shpss|sq0\w{3}|pypi|lin_api|pat|key)[-_]\w{12,}|"
                r"\bSG\.[\w-]{8,}(?:\.[\w-]+)?"
            ),
            r"(?i)\b(?:bearer|basic|token) [a-z0-9._~+/=-]{12,}",
            rf"(?i)\b(?:{_WORD}|{_KEY})[\"']? ?[:=] ?[\"'`]?[^\s\"'`,;]{{4,}}",
            rf"(?i)\b{_WORD} {_IS}[\"'`]?[^\s\"'`,;]{{4,}}",
            rf"(?i)\b{_KEY} {_IS}[\"'`]?[^\s\"'`,;]*\d[^\s\"'`,;]*",
        )
    )
)
_LOGIN = r"[^\s/@]*:[^\s/@]*"
_USER_INFO = re2.compile(rf"[A-Za-z][A-Za-z0-9+.-]*://({_LOGIN})@")
_TOKEN = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
# One search for all three is quicker where there is none of them.
_MAYBE_SECRET = re2.compile(rf"{_CREDENTIAL.pattern}|://{_LOGIN}@|[A-Za-z0-9+/_=-]{{20}}")
_MARGIN = 200  # characters read beyond a cut, for what it would split


@cache
def _finder() -> Finder:
    return Finder(_QUOTED_KINDS)


def masked(text: str) -> str:
    """Return the text with personal data as `[kind]` and credentials as `[secret]`."""
    return _masked(text, personal=True, secret=True)


def _masked(text: str, *, personal: bool, secret: bool) -> str:
    spans: list[tuple[int, int, str]] = []
    if personal:
        spans += [(item.start, item.end, f"[{item.kind}]") for item in _finder().find(text)]
    if secret:
        spans += [(start, end, _SECRET) for start, end in _secrets(text)]
    shown: list[str] = []
    reached = 0
    for start, end, mask in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= reached:
            shown += [text[reached:start], mask]
        reached = max(reached, end)
    return "".join([*shown, text[reached:]])


def quoted(text: str, limit: int) -> str:
    """Return the masked text, cut after `limit` characters; no finding is shown in part."""
    return _cut(masked(text[: limit + _MARGIN]), text, limit)


def all_quoted(texts: Sequence[str], limit: int) -> list[str]:
    """Return each text as `quoted` does; together they cost less where there is little to mask."""
    if not texts:
        return []
    read = [text[: limit + _MARGIN] for text in texts]
    # What hints at a finding in one of them hints at it in all of them as one.
    whole = _encodable("\n".join(read))
    personal, secret = _finder().may_find(whole), _MAYBE_SECRET.search(whole) is not None
    shown = [_masked(text, personal=personal, secret=secret) for text in read]
    return [_cut(part, text, limit) for part, text in zip(shown, texts, strict=True)]


def _cut(shown: str, text: str, limit: int) -> str:
    cut = len(text) > limit + _MARGIN
    if cut:
        shown = shown[:-_MARGIN]
    return shown if len(shown) <= limit and not cut else shown[:limit] + "…"


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # RE2 takes no lone surrogate


def _secrets(text: str) -> Iterator[tuple[int, int]]:
    safe = _encodable(text)
    if not _MAYBE_SECRET.search(safe):
        return
    for match in _CREDENTIAL.finditer(safe):
        yield match.span()
    if "://" in safe:
        for match in _USER_INFO.finditer(safe):
            yield match.span(1)
    for token in _TOKEN.finditer(safe):
        if looks_random(token.group()):
            yield token.span()
