"""The names in a certificate: its subject alternative names (SAN), as text.

The common name is not among them: nothing says of what kind it is, and CAs need not check it.
"""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any

_KINDS = frozenset({"DNS", "URI", "email", "IP Address"})
_SHOWN_NAMES = 3
_SHOWN_CHARS = 64


def names_in_peercert(certificate: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the names in what `ssl` calls a `peercert`; none without a certificate."""
    pairs = (certificate or {}).get("subjectAltName", ())
    return tuple(str(value) for kind, value in pairs if kind in _KINDS)


def names_in_auth_context(context: Mapping[str, Iterable[bytes]]) -> tuple[str, ...]:
    """Return the names in the `auth_context()` of a gRPC call; none without a certificate."""
    names = context.get("x509_subject_alternative_name", ())
    return tuple(name.decode("utf-8", "replace") for name in names)


def canonical(name: str) -> str:
    """Return addresses in one form, for OpenSSL writes 0:0:0:0:0:0:0:1 and gRPC ::1."""
    try:
        return str(ip_address(name))
    except ValueError:
        return name


def shown(names: Sequence[str]) -> str:
    """Return the first names as printable text of bounded length."""
    if not names:
        return "no name (SAN)"
    first = [ascii(name[:_SHOWN_CHARS])[1:-1] for name in names[:_SHOWN_NAMES]]
    return ", ".join([*first, ".."] if len(names) > _SHOWN_NAMES else first)
