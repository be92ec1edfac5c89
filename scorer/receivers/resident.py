"""The memory that this process really takes, whatever is charged to the budget."""

import ctypes
import sys
from pathlib import Path
from resource import getpagesize
from typing import Final

import psutil

HEADROOM: Final = 110 * 2**20
"""What the process may take beyond `assembly.memory`, in bytes, before it refuses more."""

_STATM = Path("/proc/self/statm")
_PAGE = getpagesize()


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    try:
        return int(_STATM.read_bytes().split()[1]) * _PAGE
    except OSError:  # not Linux
        return int(psutil.Process().memory_info().rss)


def give_back() -> None:
    """Give freed memory back to the system, where the allocator can."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
