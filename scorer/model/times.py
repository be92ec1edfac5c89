"""Times as text."""

from datetime import UTC, datetime

_SECOND = 1_000_000_000


def rfc3339(unix_ns: int) -> str | None:
    """Return a time of Unix nanoseconds as RFC 3339 in UTC; None for 0 and for year 10000 on."""
    if unix_ns <= 0:
        return None
    seconds, nanos = divmod(unix_ns, _SECOND)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment.isoformat()[:19]}.{nanos:09d}Z"


def unix_ns(text: str | None) -> int:
    """Return what `rfc3339` made a text of, as Unix nanoseconds; 0 for None and other texts."""
    try:
        moment = datetime.fromisoformat(f"{(text or '')[:19]}+00:00")
        nanos = int((text or "")[20:29].ljust(9, "0"))
    except ValueError:
        return 0
    return max(int(moment.timestamp()), 0) * _SECOND + nanos
