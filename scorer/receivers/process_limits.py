"""What the process itself must allow before strangers may send."""

import logging
import resource
import sys

from scorer.config import Config
from scorer.errors import ConfigError

_LOG = logging.getLogger("spanscore.receivers")

# Files, worker pipes, the event loop, and the connections of the web endpoint.
_OWN_DESCRIPTORS = 1024


def require_random_hashing() -> None:
    """Refuse a fixed hash: traces are found by ids that senders choose.

    With a known hash anybody could choose ids that all fall into one place of a table, and make
    each look-up take as long as there are traces.

    Raises:
        ConfigError: The interpreter was started with PYTHONHASHSEED=0.
    """
    if not sys.flags.hash_randomization:
        raise ConfigError(
            "PYTHONHASHSEED=0 makes hashes predictable, so that senders could choose trace ids "
            "that collide; unset it"
        )


def raise_descriptor_limit(config: Config) -> None:
    """Let the process open as many connections as the configuration allows, or warn.

    The usual soft limit of 1024 open files is less than the receivers' max_connections.
    """
    otlp = config.receivers.otlp
    wanted = _OWN_DESCRIPTORS + otlp.grpc.max_connections + otlp.http.max_connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < wanted:
        _LOG.warning(
            "at most %d open files are allowed, max_connections needs %d; raise `ulimit -n`, "
            "or lower receivers.otlp.*.max_connections",
            allowed,
            wanted,
        )
