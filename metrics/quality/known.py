"""What has been worked out about words, kept: natural text repeats them."""

from collections.abc import Callable
from typing import TypeVar

_MAX_KNOWN = 50_000  # forms kept per language and use
_LONGEST_KNOWN = 64  # characters; what is longer is seldom met again

_Value = TypeVar("_Value")


class Known(dict[str, _Value]):
    """What a function says of every form met so far; it forgets all when it knows too many."""

    def __init__(self, work: Callable[[str], _Value]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, form: str) -> _Value:
        found = self._work(form)
        if len(form) <= _LONGEST_KNOWN:
            if len(self) >= _MAX_KNOWN:
                self.clear()
            self[form] = found
        return found
