"""The memory that this process really takes, whatever is charged to the budget."""

import ctypes
import os
import sys
from resource import getpagesize
from typing import Final

import psutil

HEADROOM: Final = 110 * 2**20
"""What the process may take beyond `assembly.memory`, in bytes, before it refuses more."""

_MARGIN = 150 * 2**20
_SLACK = 60 * 2**20

_PAGE = getpagesize()


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    try:
        return int(_statm().split()[1]) * _PAGE
    except OSError:  # not Linux
        return int(psutil.Process().memory_info().rss)


def _statm() -> bytes:
    """Read the file; it is asked for so often that a file object would be felt."""
    file = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        return os.read(file, 256)
    finally:
        os.close(file)


def reading_limit(memory: int, size_limit: int) -> int:
    """Return the resident memory above which bodies are read one at a time, in bytes.

    `memory` and 150 MiB, less what the one that is then read takes (see parts.size_limit).
    """
    return memory + _MARGIN - _SLACK - 5 * size_limit


def give_back() -> None:
    """Give freed memory back to the system, where the allocator can."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
