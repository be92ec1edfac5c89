"""Named places where a test may kill the process, as kill -9 or a power cut would.

`SPANSCORE_FAILPOINT=name:count` in the environment ends the process with SIGKILL when the
place is reached for the count-th time. Without it a failpoint is a call of an empty function.
Callers write `failpoints.failpoint("after_append")`: the hook is looked up at each call.
"""

import os
import re
import signal
from collections.abc import Callable, Mapping
from itertools import count
from typing import Final, Literal, get_args

from scorer.errors import ConfigError

VARIABLE: Final = "SPANSCORE_FAILPOINT"

Name = Literal[
    "after_append",  # the record is written, nobody knows yet
    "in_group_commit",  # records are written and not yet synced
    "before_ack",  # the sender is about to be told
    "after_close",  # a trace has closed and is not yet scored
    "after_booking",  # the accounts have what the traces add, no sink has the scores
    "after_sink",  # the sinks have the scores
    "after_forward",  # the targets have the traces, the ledger does not say so
    "before_ledger",
    "after_ledger",
    "before_trim",  # released segments are about to be deleted
    "during_trim",  # the first of several is deleted
]
NAMES: Final[frozenset[str]] = frozenset(get_args(Name))

_VALUE = re.compile(r"(\w+):([1-9]\d{0,8})", re.ASCII)


def _pass(name: Name) -> None:
    """Go on."""


failpoint: Callable[[Name], None] = _pass


def install(environment: Mapping[str, str]) -> None:
    """Install the failpoint that the environment asks for; none takes away what was installed.

    Raises:
        ConfigError: The variable is not `name:count`, or the name is not known.
    """
    global failpoint  # noqa: PLW0603 - the hook is one for the process, as its death is
    value = environment.get(VARIABLE)
    failpoint = _pass if not value else _killer(value)


def _killer(value: str) -> Callable[[Name], None]:
    match = _VALUE.fullmatch(value)
    if match is None or match[1] not in NAMES:
        known = ", ".join(sorted(NAMES))
        raise ConfigError(f"{VARIABLE}: {value[:80]!r} is not `name:count` with a name of {known}")
    wanted, last, hits = match[1], int(match[2]), count(1)

    def kill_at_the_last_hit(name: Name) -> None:
        if name == wanted and next(hits) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    return kill_at_the_last_hit
