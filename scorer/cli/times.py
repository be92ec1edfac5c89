"""Times on the command line."""

import argparse
from datetime import UTC, datetime


def parse_time(text: str) -> int:
    """Return an ISO 8601 date or time as Unix nanoseconds; without an offset it is UTC.

    Raises:
        argparse.ArgumentTypeError: it is not a time.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write it as 2026-03-01 or 2026-03-01T12:00:00Z"
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000_000 + delta.microseconds * 1_000
