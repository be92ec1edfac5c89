"""`spanscore explain`: why a trace was, or was not, scored; asks a running service."""

import argparse
import re

from scorer.cli.options import Subparsers
from scorer.errors import ConfigError

_DEFAULT_URL = "http://127.0.0.1:9464"
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
    parser.add_argument("--tenant", metavar="NAME", help="default: that of the token, if any")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="send the first token of this file; default: that in SPANSCORE_TOKEN, if any",
    )
    parser.add_argument(
        "--ca-file", metavar="FILE", help="CAs (PEM) to trust for https; default: the system's"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask the service and print what happened to the trace.

    Raises:
        ConfigError: the trace id or the URL is not one, or a file cannot be used.
        PermanentError: the service cannot be reached, refuses, or does not know the trace.
    """
    from scorer.cli.output import print_all
    from scorer.cli.story import tell
    from scorer.cli.web_client import WebClient, find_token

    trace_id = args.trace_id.strip().lower()
    if not _TRACE_ID.fullmatch(trace_id):
        raise ConfigError(f"{args.trace_id!r} is not a trace id; it has 32 hexadecimal digits")
    if not args.url.startswith(("http://", "https://")):
        raise ConfigError(f"--url {args.url}: write it as {_DEFAULT_URL}")
    client = WebClient(args.url, token=find_token(args.token_file), ca_file=args.ca_file)
    query = {} if args.tenant is None else {"tenant": args.tenant}
    print_all(tell(client.get(f"/api/v1/traces/{trace_id}", **query)))
    return 0
