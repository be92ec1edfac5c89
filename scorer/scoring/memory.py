"""Settings of the process for a service that holds many small byte strings for seconds."""

import ctypes
import gc
import sys

# Of mallopt(3): keep freed memory instead of giving it back and faulting it in again.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_KEPT_BYTES = 64 * 2**20
_MMAP_BYTES = 4 * 2**20  # bodies as large as this are given back at once
_ARENAS = 2  # each thread of gRPC would keep one of its own


# New objects that make the cycle collector run, and how often it runs until it walks over older
# ones too. The first decides how long a pause is: for 50,000 it is 25 to 60 ms.
_BATCHES = 50_000, 20
_ANSWERS = 2_000, 500


def settle_memory(*, answers: bool = False) -> None:
    """Tune collector and allocator; call it once, when the process has started.

    With `answers` somebody waits for this process, and no pause may be long.

    Spans and traces are freed by reference counts; with the default thresholds the cycle
    collector would walk over all open traces again and again, and glibc would return the
    memory of closed traces to the system only to ask for it again: 0.4 us a span.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*(_ANSWERS if answers else _BATCHES), 100)


def settle_allocator() -> None:
    """Tune glibc; call it before there are threads, for each would keep an arena of its own."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, _MMAP_BYTES)
            mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
            mallopt(_M_ARENA_MAX, _ARENAS)
