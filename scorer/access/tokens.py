"""Bearer tokens: who a request is from.

Tokens are kept as keyed digests, never as text. A request's token is compared with every one
of them in constant time: how long the answer takes tells neither how much of a guess is right
nor which token it is.
"""

import hmac
import re
import secrets
from hashlib import blake2b
from typing import Final, NamedTuple, Protocol

from scorer.access.files import Reread, read_file, warn_if_others_can_read
from scorer.config import AuthConfig
from scorer.errors import ConfigError, UnauthenticatedError

MIN_TOKEN_CHARS: Final = 16
MAX_HEADER_CHARS: Final = 4096

_KEY = "bearer_tokens_file"
_MAX_TOKEN_CHARS = MAX_HEADER_CHARS - len("Bearer ")
_TOKEN = re.compile(r"[!-~]+")
_TENANT = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADER = re.compile(r"bearer +([!-~]+) *", re.IGNORECASE | re.ASCII)
_HOW = "send the header `authorization: Bearer TOKEN`"


class Door(Protocol):
    """Says who a request is from."""

    def tenant_of(self, authorization: str | bytes | None) -> str:
        """Return the tenant that an `authorization` header (None = absent) stands for; "" = none.

        Raises:
            UnauthenticatedError: It does not let its sender in.
        """
        ...

    def reload(self) -> None:
        """Look whether the tokens have changed; called about once a second."""
        ...


class OpenDoor:
    """Lets everybody in, without a tenant."""

    def tenant_of(self, authorization: str | bytes | None) -> str:  # noqa: ARG002
        """Return ""."""
        return ""

    def reload(self) -> None:
        """Do nothing."""


class BearerTokens:
    """Lets those in who send a token of the file at `path`.

    A change of the file is in force after `reload`; a file that has become wrong or unreadable
    is logged once, and the tokens read before stay. `key` is its place in the configuration.
    """

    def __init__(self, path: str, key: str = _KEY) -> None:
        """Read the tokens; raises ConfigError."""
        self._path = path
        self._key = key
        # Of this process alone, so that digests cannot be prepared, nor compared elsewhere.
        self._secret = secrets.token_bytes(32)
        self._known = Reread([path], self._read, f"{key}: {path}")

    def tenant_of(self, authorization: str | bytes | None) -> str:
        """Return the tenant of the token in an `authorization` header (None = absent).

        Raises:
            UnauthenticatedError: The header is not there or not as it should be, or the token
                is not known.
        """
        sent = self._digest(_token_in(authorization))
        found: str | None = None
        for known, tenant in self._known.newest:  # to the end, wherever it matches
            if hmac.compare_digest(known, sent):
                found = tenant
        if found is None:
            raise UnauthenticatedError("the token is not known")
        return found

    def reload(self) -> None:
        """Read the file again when it has changed; what is no longer in it stops working."""
        self._known.reload()

    def _read(self) -> tuple[tuple[bytes, str], ...]:
        lines = read_tokens(self._path, self._key)
        warn_if_others_can_read(self._path, self._key)
        return tuple((self._digest(line.token), line.tenant) for line in lines)

    def _digest(self, token: str) -> bytes:
        return blake2b(token.encode("ascii"), digest_size=32, key=self._secret).digest()


class TokenLine(NamedTuple):
    """One line of a file of tokens."""

    token: str
    tenant: str

    def __repr__(self) -> str:
        return f"TokenLine(tenant={self.tenant!r})"


def door(config: AuthConfig, key: str = "auth") -> Door:
    """Return the door that a section of the configuration asks for; `key` is its path.

    Raises:
        ConfigError: The file of tokens cannot be read, or is wrong.
    """
    if config.bearer_tokens_file is None:
        return OpenDoor()
    return BearerTokens(config.bearer_tokens_file, f"{key}.{_KEY}")


def read_tokens(path: str, key: str = _KEY) -> list[TokenLine]:
    """Read a file of tokens: one `TOKEN` or `TOKEN TENANT` a line, `#` begins a comment line.

    Raises:
        ConfigError: The file cannot be read, holds no token, or a line is wrong; it names file
            and line, never a token.
    """
    text = read_file(path, key).decode("utf-8", "replace")
    lines: dict[str, TokenLine] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        fault = _fault(fields, lines)
        if fault:
            raise ConfigError(f"{key}: {path}: line {number}: {fault}")
        lines[fields[0]] = TokenLine(fields[0], "".join(fields[1:]))
    if not lines:
        raise ConfigError(
            f"{key}: {path} holds no token; write one `TOKEN` or `TOKEN TENANT` a line"
        )
    return list(lines.values())


def _fault(fields: list[str], known: dict[str, TokenLine]) -> str | None:
    token, *rest = fields
    if len(rest) > 1:
        return "it has more than two words; write `TOKEN` or `TOKEN TENANT`"
    if not _TOKEN.fullmatch(token):
        return "the token has characters that are not printable ASCII; make another"
    if not MIN_TOKEN_CHARS <= len(token) <= _MAX_TOKEN_CHARS:
        return f"a token has {MIN_TOKEN_CHARS} to {_MAX_TOKEN_CHARS} characters; make another"
    if rest and not _TENANT.fullmatch(rest[0]):
        return "a tenant has 1 to 64 letters, digits, `.`, `_` or `-`"
    if token in known:
        return "the token stands there twice; give each sender its own"
    return None


def _token_in(authorization: str | bytes | None) -> str:
    if authorization is None or len(authorization) > MAX_HEADER_CHARS:
        raise UnauthenticatedError(_HOW)
    if isinstance(authorization, bytes):
        authorization = authorization.decode("latin-1")
    match = _HEADER.fullmatch(authorization)
    if match is None:
        raise UnauthenticatedError(_HOW)
    return match.group(1)
