"""`spanscore serve`: runs the service until a signal stops it."""

import argparse
import contextlib
import sys
from typing import TYPE_CHECKING

from scorer.cli.options import Subparsers, add_config_options, read_config

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine, Mapping

    from scorer.config import Config, WebConfig

_LEVELS = ("debug", "info", "warning", "error")
_READY = {
    "otlp_grpc": "OTLP/gRPC on {}",
    "otlp_http": "OTLP/HTTP on {scheme}://{}",
    "web": "metrics on {scheme}://{}/metrics",
}
_SIGHTS = (
    ("scores", "curl -s{curl} {url}/metrics | grep -E '^spanscore_score_(sum|count)'"),
    ("recent traces", "curl -s{curl} {url}/api/v1/traces"),
    ("why one was (un)scored", "spanscore explain TRACE_ID --url {url}{explain}"),
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("serve", help="run the service: receive spans, publish scores")
    add_config_options(parser)
    parser.add_argument(
        "--demo", action="store_true", help="feed it sample traces, run all metrics"
    )
    parser.add_argument("--log-level", choices=_LEVELS, default="info", help="default: info")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT, then drain.

    Raises:
        ConfigError: the configuration is wrong.
        OSError: a port cannot be listened on.
    """
    from scorer.telemetry import set_up_logging

    config = read_config(args)
    if args.demo:
        from scorer.cli.demo.channel import require_feedable

        require_feedable(config)
        config = with_every_metric(config)
    set_up_logging(args.log_level.upper())
    _run_loop(_serve(config, demo=args.demo))
    return 0


def with_every_metric(config: "Config") -> "Config":
    """Return the configuration of a demo: every metric runs, unless it says which ones."""
    from msgspec.structs import replace

    from scorer.config import ScoringConfig
    from scorer.registry import groups

    if config.scoring.metrics != ScoringConfig().metrics:
        return config
    return replace(config, scoring=replace(config.scoring, metrics=groups()))


def _run_loop(main: "Coroutine[None, None, None]") -> None:
    try:
        import uvloop
    except ImportError:  # not made for this platform
        import asyncio

        asyncio.run(main)
    else:
        uvloop.run(main)


async def _serve(config: "Config", *, demo: bool) -> None:
    import asyncio

    from scorer.scoring.memory import settle_allocator, settle_memory
    from scorer.service import Service

    settle_allocator()
    stop = asyncio.Event()
    _stop_on_signals(stop)
    service = Service(config)
    await service.start()
    settle_memory(answers=True)
    _announce(service.addresses, config)
    if demo:
        await asyncio.gather(service.run(stop), _demo(config, service.addresses, stop))
    else:
        await service.run(stop)


async def _demo(
    config: "Config", addresses: "Mapping[str, tuple[str, int]]", stop: "asyncio.Event"
) -> None:
    from scorer.cli.demo.feed import feed

    web = addresses.get("web")
    if web:
        _say("sending sample traces; scores appear in about 3 seconds. Look at:")
        for what, command in sights(host_port(web), config.web):
            _say(f"  {what:<22} {command}")
    await feed(addresses["otlp_grpc"], stop, config.receivers.otlp.grpc)


def sights(address: str, web: "WebConfig") -> list[tuple[str, str]]:
    """Return what there is to see, and the command that shows it."""
    from shlex import quote

    scheme, curl, explain = "http", "", ""
    if web.tls.cert_file is not None:
        scheme = "https"
        curl += f" --cacert {quote(web.tls.cert_file)}"
        explain += f" --ca-file {quote(web.tls.cert_file)}"
    if web.auth.bearer_tokens_file is not None:
        curl += ' -H "authorization: Bearer TOKEN"'
        explain += f" --token-file {quote(web.auth.bearer_tokens_file)}"
    url = f"{scheme}://{address}"
    return [
        (what, command.format(url=url, curl=curl, explain=explain)) for what, command in _SIGHTS
    ]


def _stop_on_signals(stop: "asyncio.Event") -> None:
    """Let the first signal drain; a second one ends everything at once."""
    import asyncio
    import signal

    def on_signal() -> None:
        if stop.is_set():
            _exit_at_once()
        stop.set()
        _say("stopping: open traces are closed and scored (a second signal stops at once)")

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)


def _exit_at_once() -> None:
    import multiprocessing
    import os

    try:
        _say("stopped at once: open traces are lost")
        for worker in multiprocessing.active_children():
            worker.kill()
    finally:
        os._exit(1)


def _announce(addresses: "Mapping[str, tuple[str, int]]", config: "Config") -> None:
    sections = {"otlp_http": config.receivers.otlp.http.tls, "web": config.web.tls}
    for name, address in addresses.items():
        tls = sections.get(name)
        scheme = "https" if tls is not None and tls.cert_file is not None else "http"
        text = _READY.get(name, name + " on {}").format(host_port(address), scheme=scheme)
        _say(f"listening: {text}")


def host_port(address: tuple[str, int]) -> str:
    """Return `HOST:PORT`, an IPv6 host in brackets."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _say(text: str) -> None:
    """Tell the operator; that nobody listens any more (a closed pipe) is no reason to fail."""
    with contextlib.suppress(OSError):
        print(f"spanscore: {text}", file=sys.stderr, flush=True)
