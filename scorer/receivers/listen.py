"""Telling clearly why an endpoint cannot be listened on."""

import asyncio
import errno
import os
import socket
from collections.abc import Iterable
from typing import Any

from scorer.config import Endpoint
from scorer.errors import ConfigError

_AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]


async def require_bindable(endpoint: Endpoint, key: str) -> None:
    """Bind every address of `endpoint` for a moment; `key` is its place in the configuration.

    gRPC names no cause when it cannot bind, and is content with `localhost` when another program
    holds one of its two addresses: that program would get half of the requests.

    Raises:
        ConfigError: The host has no address, or one of them cannot be bound.
    """
    loop = asyncio.get_running_loop()
    try:
        infos = await loop.getaddrinfo(
            endpoint.host, endpoint.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise cannot_listen(endpoint, key, error) from error
    _bind_all(infos, endpoint, key)


def cannot_listen(endpoint: Endpoint, key: str, error: OSError) -> ConfigError:
    """Say in one line why `endpoint`, configured at `key`, cannot be listened on."""
    reason = _reason(error)
    hint = f"stop the program that uses it, or change {key}"
    if error.errno != errno.EADDRINUSE:
        hint = f"change {key}"
    return ConfigError(f"cannot listen on {endpoint}: {reason}; {hint}")


def _bind_all(infos: Iterable[_AddressInfo], endpoint: Endpoint, key: str) -> None:
    absent: OSError | None = None
    bound = 0
    for family, kind, proto, _, address in infos:
        try:
            _bind(socket.socket(family, kind, proto), address)
        except OSError as error:
            # Hosts without IPv6 often list ::1 all the same.
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                raise cannot_listen(endpoint, key, error) from error
            absent = error
        else:
            bound += 1
    if absent is not None and not bound:
        raise cannot_listen(endpoint, key, absent) from absent


def _bind(sock: socket.socket, address: tuple[Any, ...]) -> None:
    with sock:
        if os.name == "posix":  # elsewhere it would let two programs share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sock.family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)
