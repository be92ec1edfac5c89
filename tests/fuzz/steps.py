"""Counts what our own code does, so that a bound on work needs no clock.

A step is a line of `scorer` that is executed. What libraries in C do with one call (parse a
message, scan a JSON text) counts as one: it is linear, and they are not ours.
"""

import sys
from pathlib import Path

import scorer

_OURS = str(Path(scorer.__file__).parent)

PER_BYTE = 20
FREE = 1000


class TooManyStepsError(BaseException):
    """No handler for ordinary errors may swallow it."""


def within_steps(size, call, *args):
    """Call, and fail after more than `FREE + PER_BYTE * size` steps."""
    room = FREE + PER_BYTE * size

    def at_line(frame, event, _):
        nonlocal room
        room -= 1
        if room < 0:
            raise TooManyStepsError(f"{call.__name__} of {size} bytes, in {frame.f_code.co_name}")
        return at_line

    def at_call(frame, event, _):
        return at_line if frame.f_code.co_filename.startswith(_OURS) else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        return call(*args)
    finally:
        sys.settrace(before)
