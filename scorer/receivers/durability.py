"""The journal and the ledger of one service, and what is found in them at the start."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from scorer.assembly.assembler import Assembler
from scorer.config import Config
from scorer.errors import ConfigError, PermanentError, RetryableError, SpanscoreError
from scorer.journal import Journal
from scorer.ledger import Closing, Ledger
from scorer.model.trace import ClosedTrace
from scorer.receivers.ingest import AssemblingIngest
from scorer.scoring.readings.join import Readings
from scorer.telemetry import FaultLog, failpoints

_LOG = logging.getLogger("spanscore.recovery")

# From this share of max_size on, traces that pin old segments are written anew.
_SPILL_FROM = 0.5
# Where this share of it is of traces that are done.
_WORTH_A_SPILL = 0.25
_SPILLED_AT_ONCE = 20
_MAX_TOLD = 10
# Where the ledger keeps the offset below which all strays are passed on.
_NAMESPACE = "forward"
_PASSED_ON = b"passed_on"


class Recovered(Struct, frozen=True):
    """What was found at the start."""

    segments: int
    records: int
    spans: int
    rereads: int
    open_traces: int
    closed_again: int
    damaged: int

    def __str__(self) -> str:
        return (
            f"recovered from the journal: {self.segments} segments, {self.records} records, "
            f"{self.spans} spans ({self.rereads} of them of traces that were scored before); "
            f"{self.open_traces} traces are open, {self.closed_again} are scored again; "
            f"{self.damaged} places are damaged"
        )


class Durability:
    """Opens journal and ledger in `state_dir`; the rows of the ledger are loaded once.

    Raises:
        ConfigError: They cannot be used.
    """

    def __init__(self, config: Config, environment: Mapping[str, str]) -> None:
        failpoints.install(environment)
        folder = Path(config.state_dir)
        _make(folder)
        capacity = config.assembly.max_tombstones
        durable = config.journal.fsync != "off"
        self.ledger = Ledger(folder / "ledger.sqlite", capacity=capacity, durable=durable)
        self._max_size = int(config.journal.max_size)
        self._faults = FaultLog(_LOG)
        self._rows: Sequence[Closing] = tuple(self.ledger.load())
        self.passed_on_before = self._read_passed_on()
        last = max((row.closed_at for row in self._rows), default=0)
        self.journal = Journal(
            Path(config.journal.path or folder / "journal"),
            fsync=config.journal.fsync,
            max_size=self._max_size,
            first_offset=max(last + 1, self.passed_on_before),
        )

    def recall(self, assembler: Assembler, readings: Readings | None = None) -> None:
        """Tell the assembler which traces were closed, and what they were scored with."""
        for row in self._rows:
            reason = None if row.is_scored else row.reason
            assembler.recall((row.tenant, row.trace_id), row.closed_at, row.revision, reason)
            if readings is not None and not row.is_scored:
                readings.recall((row.tenant, row.trace_id, row.revision), row.readings)
        self._rows = ()

    async def recover(
        self,
        ingest: AssemblingIngest,
        assembler: Assembler,
        on_closed: Callable[[Sequence[ClosedTrace]], None],
        now: float,
    ) -> Recovered:
        """Push what the journal holds, and close what was closed before."""
        records = spans = rereads = bad = 0
        segments = self.journal.segments
        for record in self.journal.replay():
            with suppress(PermanentError):  # which is told below
                ingest.foresee(record)
            await asyncio.sleep(0)
        for record in self.journal.replay():
            records += 1
            try:
                taken, again = ingest.take_again(record)
            except PermanentError as error:
                bad += 1
                _LOG.error("record %d of the journal is left out: %s", record.offset, error)
                continue
            spans, rereads = spans + taken, rereads + again
            await asyncio.sleep(0)
        again_closed = assembler.end_of_recovery(now)
        on_closed(again_closed)
        self.make_room(ingest, assembler)
        self._tell_damage()
        damaged = len(self.journal.damage) + bad
        return Recovered(
            segments, records, spans, rereads, assembler.open_traces, len(again_closed), damaged
        )

    def make_room(self, ingest: AssemblingIngest, assembler: Assembler) -> None:
        """Release what no trace needs, though none may be scored that would do it.

        While the journal fills up, traces that hold old segments are written anew, as long as
        there is much in it beside them: else they would be written again and again.
        """
        self._release(assembler)
        for _ in range(_SPILLED_AT_ONCE):
            pinned = self.journal.pinned_bytes
            idle = pinned - assembler.open_bytes
            if pinned < self._max_size * _SPILL_FROM or idle < self._max_size * _WORTH_A_SPILL:
                return
            trace = assembler.spillable()
            if trace is None:
                return
            try:
                ingest.spill(trace)
            except SpanscoreError as error:
                self._faults.report("an open trace cannot be written anew", error)
                return
            self._release(assembler)

    def _release(self, assembler: Assembler) -> None:
        lowest = assembler.watermark.lowest()
        self.journal.release(self.journal.next_offset if lowest is None else lowest)

    async def note_passed_on(self, before: int) -> None:
        """Note that what belongs to no trace is passed on, below this offset of the journal.

        When the disk does not take it, it is told, and some is passed on again after a restart.
        """
        if before == self.passed_on_before:
            return
        try:
            await self.ledger.state.put(_NAMESPACE, {_PASSED_ON: before.to_bytes(8, "big")})
        except RetryableError as error:
            self._faults.report("what is passed on is not noted", error)
        else:
            self.passed_on_before = before

    def gauges(self) -> dict[str, float]:
        """Return what the journal says of itself."""
        journal = self.journal
        return {
            "spanscore_journal_bytes": journal.size_bytes,
            "spanscore_journal_segments": journal.segments,
            "spanscore_journal_pinned_records": journal.next_offset - journal.oldest_offset,
        }

    async def close(self) -> None:
        """Close both."""
        await self.ledger.close()
        self.journal.close()

    def _read_passed_on(self) -> int:
        return int.from_bytes(dict(self.ledger.state.items(_NAMESPACE)).get(_PASSED_ON, b""), "big")

    def _tell_damage(self) -> None:
        for damage in self.journal.damage[:_MAX_TOLD]:
            _LOG.error("damage in the journal: %s", damage)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"state_dir: cannot make {folder}: {error.strerror}; name a folder that can be "
            "written, or set journal.enabled: false"
        ) from error
