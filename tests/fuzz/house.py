"""The ingest with all behind it but scoring, which here only decodes what was closed."""

from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import parse_config
from scorer.otlp.decode import decode_trace
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import assembler_settings
from scorer.receivers.ingest import AssemblingIngest
from scorer.telemetry import Telemetry
from scorer.testing import ManualClock, assert_balance

SMALL = {
    "memory": "12KiB",
    "max_spans_per_trace": 5,
    "max_bytes_per_trace": "4KiB",
    "max_tombstones": 3,
}


class House:
    """An ingest with small limits, a clock that only a test moves, and its series."""

    def __init__(self, **assembly):
        config = parse_config({"assembly": assembly})
        self.clock = ManualClock()
        self.telemetry = Telemetry()
        self._budget = MemoryBudget(config.assembly.memory, config.assembly.max_tenant_share)
        self._assembler = Assembler(assembler_settings(config.assembly), self._budget)
        self._waiting = []
        self.ingest = AssemblingIngest(
            source="fuzz",
            assembler=self._assembler,
            admission=Admission(self._assembler, self._budget),
            telemetry=self.telemetry,
            clock=self.clock,
            on_closed=self._waiting.extend,
        )
        self.telemetry.refresh.append(self._set_open)

    def score(self):
        """Decode what was closed, count it as the pipeline does and give its memory back."""
        for closed in self._waiting:
            trace = decode_trace(closed)
            assert len(trace.spans) == len(closed.spans)
            assert len(trace.logs) == len(closed.logs)
            self.telemetry.add("spanscore_closed_spans_total", closed.fresh_spans)
            self.telemetry.add("spanscore_scored_spans_total", closed.fresh_spans)
            self._budget.release(closed.size, closed.tenant)
        self._waiting.clear()

    def check(self):
        """Assert the balance, and that the budget knows what is held."""
        assert_balance(self.telemetry)
        held = self._assembler.open_bytes + self._assembler.kept_bytes
        held += sum(trace.size for trace in self._waiting)
        assert self._budget.used == held

    def _set_open(self):
        waiting = sum(trace.fresh_spans for trace in self._waiting)
        self.telemetry.set("spanscore_open_spans", self._assembler.open_spans + waiting)
