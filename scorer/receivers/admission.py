"""What may be taken now.

Theory of operation. There are three answers: all of a request, nothing of it, or only what
belongs to traces that are open already. The last one is given from 80 % of the memory budget
on, and while scoring is behind: a trace that has begun can then be finished, which is what
frees memory, and new ones wait at the sender. A sender that repeats such a request finds its
first part known (duplicates) and gets the rest in later.

When memory stays short for a second, traces are closed early: a sender of endless traces
cannot block the others for good.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.errors import RetryableError, TooLargeError
from scorer.model.trace import ClosedTrace
from scorer.receivers.resident import HEADROOM
from scorer.scoring.backlog import Backlog, work

Reason = Literal["memory", "tenant_memory", "backlog", "shutdown"]

_PATIENCE_S = 1.0
# The share of the budget that is then freed.
_RELIEF = 0.1
# The share of the budget that only open traces may use.
_RESERVE = 0.2


class Refusal(NamedTuple):
    """Why new traces are not taken; `is_total`: open ones are not either.

    It holds a text and no error: an error that is raised holds the frames it went through,
    which hold the request; were it in one of them, only the collector would free all that.
    """

    reason: Reason
    text: str
    is_total: bool

    @property
    def lacks_room(self) -> bool:
        """Whether what is only passed on cannot be taken; scoring may be behind, it needs none."""
        return self.reason != "backlog"

    def error(self) -> RetryableError:
        """Return a new error that tells the sender to come again."""
        return RetryableError(f"{self.text}; send it again", retry_after_s=2)


class Admission:
    """Decides for one assembler."""

    def __init__(  # noqa: PLR0913 - what it looks at, each with a default that says nothing
        self,
        assembler: Assembler,
        budget: MemoryBudget,
        *,
        reserve: float = _RESERVE,
        backlog: Backlog | None = None,
        waiting: Callable[[], float] = lambda: 0.0,
        resident: Callable[[], int] = lambda: 0,
    ) -> None:
        self._assembler = assembler
        self._budget = budget
        self._reserve = int(budget.limit * reserve)
        self._backlog = backlog
        self._waiting = waiting
        # For whom memory is short, since when; None = for everybody.
        self._short_since: dict[str | None, float] = {}
        self._is_stopping = False
        self._resident = resident
        self._is_short = False

    def stop(self) -> None:
        """Refuse everything from now on."""
        self._is_stopping = True

    def look_at_memory(self) -> bool:
        """Compare what the process takes with what it may; returns whether that is too much.

        The budget counts what is known to be held. Should it count too little, requests are
        refused all the same, as long as there are traces whose end would free memory.
        """
        budget = self._budget
        is_over = self._resident() > budget.limit + HEADROOM
        if is_over:
            self._assembler.forget_kept(self._assembler.kept_bytes)
        self._is_short = is_over and budget.used > budget.limit // 2
        return is_over

    def can_hold(self, size: int) -> bool:
        """Whether a request of this size could ever be held."""
        return size <= self._budget.limit

    def check_size(self, size: int) -> None:
        """Raise TooLargeError for a request that the budget could never hold."""
        if not self.can_hold(size):
            raise TooLargeError(
                f"a request of {size} bytes is over assembly.memory "
                f"({int(self._budget.limit)} bytes)"
            )

    def refusal(self, size: int, tenant: str, now: float) -> Refusal | None:
        """Return why `size` bytes of a tenant cannot all be taken, or None when they can."""
        if self._is_stopping:
            return Refusal("shutdown", "shutting down", True)
        budget = self._budget
        if not budget.fits(size + self._reserve):
            self._assembler.forget_kept(budget.used + size + self._reserve - budget.limit)
        if self._is_short or not budget.fits(size + self._reserve):
            return Refusal("memory", self._full(), self._is_short or not budget.fits(size))
        self._short_since.pop(None, None)
        if not budget.fits_share(size, tenant):
            return Refusal("tenant_memory", self._share_used_up(), True)
        self._short_since.pop(tenant, None)
        if self._is_behind(now):
            return Refusal("backlog", self._behind(), False)
        return None

    def accepted(self, spans: int, size: int, now: float) -> None:
        """Note spans that were taken, of so many bytes."""
        if self._backlog is not None:
            self._backlog.accepted(work(spans, size), now)

    def relieve(self, refusal: Refusal, size: int, tenant: str, now: float) -> list[ClosedTrace]:
        """Close traces early where memory has been short for too long; returns them."""
        if refusal.reason not in ("memory", "tenant_memory"):
            return []
        whose = tenant if refusal.reason == "tenant_memory" else None
        if now - self._short_since.setdefault(whose, now) < _PATIENCE_S:
            return []
        self._short_since[whose] = now
        # After a restart with a smaller budget, far more may be held than fits.
        over = self._budget.used - self._budget.limit
        room = max(size, int(self._budget.limit * _RELIEF), over)
        if self._budget.used - self._assembler.open_bytes - self._assembler.kept_bytes >= room:
            return []  # as much is closed already and leaves when it is scored
        return self._assembler.relieve(room, now, whose)

    def _is_behind(self, now: float) -> bool:
        if self._backlog is None:
            return False
        waiting, assembler = self._waiting(), self._assembler
        open_work = work(assembler.open_spans, assembler.open_bytes)
        return self._backlog.is_behind(waiting, waiting + open_work, now)

    def _full(self) -> str:
        limit = int(self._budget.limit)
        return f"the memory budget is full (assembly.memory: {limit} bytes)"

    def _share_used_up(self) -> str:
        limit = self._budget.tenant_limit
        return f"the share of this tenant is used up (assembly.max_tenant_share: {limit} bytes)"

    def _behind(self) -> str:
        assert self._backlog is not None
        return f"scoring is more than {self._backlog.limit_s:g} s behind (scoring.max_backlog)"
