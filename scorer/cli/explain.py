"""`spanscore explain`: why a trace was, or was not, scored; asks a running service."""

import argparse
import re
from typing import TYPE_CHECKING, Any

from scorer.cli.options import Subparsers
from scorer.errors import ConfigError, PermanentError

if TYPE_CHECKING:
    from http.client import HTTPResponse

_DEFAULT_URL = "http://127.0.0.1:9464"
_TIMEOUT_S = 10.0
_TRACE_ID = re.compile(r"[0-9a-f]{32}")


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "explain", help="say why a trace was (not) scored; asks a running service"
    )
    parser.add_argument("trace_id", metavar="TRACE_ID", help="32 hexadecimal digits")
    parser.add_argument(
        "--url", default=_DEFAULT_URL, help=f"web endpoint of the service; default: {_DEFAULT_URL}"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask the service and print what happened to the trace.

    Raises:
        ConfigError: the trace id or the URL is not one.
        PermanentError: the service cannot be reached, or does not know the trace.
    """
    from scorer.cli.output import print_all
    from scorer.cli.story import tell

    trace_id = args.trace_id.strip().lower()
    if not _TRACE_ID.fullmatch(trace_id):
        raise ConfigError(f"{args.trace_id!r} is not a trace id; it has 32 hexadecimal digits")
    if not args.url.startswith(("http://", "https://")):
        raise ConfigError(f"--url {args.url}: write it as {_DEFAULT_URL}")
    print_all(tell(_ask(args.url.rstrip("/"), trace_id)))
    return 0


def _ask(url: str, trace_id: str) -> dict[str, Any]:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import urlopen

    try:
        with urlopen(f"{url}/api/v1/traces/{trace_id}", timeout=_TIMEOUT_S) as response:  # noqa: S310 - the scheme is checked by the caller
            return _document(response, url)
    except HTTPError as error:
        with error:
            raise PermanentError(_refusal(error, url)) from error
    except (OSError, HTTPException) as error:
        why = getattr(error, "reason", None) or error
        raise PermanentError(
            f"cannot ask {url}: {why}; is `spanscore serve` running there? (--url names another)"
        ) from error


def _document(response: "HTTPResponse", url: str) -> dict[str, Any]:
    import msgspec

    try:
        document: dict[str, Any] = msgspec.json.decode(response.read(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise PermanentError(f"{url} does not answer as spanscore does: {error}") from error
    return document


def _refusal(error: Any, url: str) -> str:
    import msgspec

    try:
        answer = msgspec.json.decode(error.read(), type=dict[str, Any])
    except (msgspec.DecodeError, OSError):
        answer = {}
    texts = [str(answer[key]) for key in ("error", "hint") if answer.get(key)]
    return ": ".join(texts) or f"{url} answers {error.code} {error.reason}"
