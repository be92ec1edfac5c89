"""Counts and logs what became of the items for one target."""

import logging
import time
from collections.abc import Callable
from typing import get_args

from scorer.errors import SpanscoreError
from scorer.otlp.signal import Signal
from scorer.sinks.otlp.batch import Batch
from scorer.sinks.otlp.target import Sent
from scorer.telemetry import FaultLog, Telemetry

_LOG = logging.getLogger("spanscore.otlp")


class TargetTally:
    """The series of one target; `target` is its name, from the configuration."""

    def __init__(
        self, target: str, telemetry: Telemetry, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._target = target
        self._telemetry = telemetry
        self._log = FaultLog(_LOG, clock)
        self._is_failing = False
        for signal in get_args(Signal):
            for name in ("sent", "rejected"):
                self._add(f"spanscore_otlp_{name}_items_total", 0, signal=signal)
        self._add("spanscore_otlp_retries_total", 0)

    def taken(self, batch: Batch, sent: Sent) -> None:
        """Count what has arrived."""
        items, signal = batch.items, batch.signal
        rejected = min(sent.rejected, items)
        self._add("spanscore_otlp_sent_items_total", items - rejected, signal=signal)
        self._add("spanscore_otlp_rejected_items_total", rejected, signal=signal)
        if rejected:
            why = f"{rejected} of {items}: {sent.message or 'it gave no reason'}"
            self._log.report(f"{self._target}: {signal} items are rejected", SpanscoreError(why))
        if self._is_failing:
            self._is_failing = False
            _LOG.info("%s: takes requests again", self._target)

    def lost(self, signal: Signal, items: int, reason: str, error: Exception) -> None:
        """Count what will never arrive."""
        self._add("spanscore_otlp_lost_items_total", items, signal=signal, reason=reason)
        self._log.report(f"{self._target}: {signal} items are lost ({reason})", error)

    def retried(self, error: Exception) -> None:
        """Count a request that will be sent again."""
        self._add("spanscore_otlp_retries_total", 1)
        self._is_failing = True
        self._log.report(f"{self._target}: does not take requests, they are sent again", error)

    def faulted(self, error: Exception) -> None:
        """Log a fault of our own."""
        self._log.report(f"{self._target}: unexpected fault, the request is sent again", error)

    def queued(self, size: int) -> None:
        """Show the bytes that wait."""
        self._telemetry.set("spanscore_otlp_queue_bytes", size, target=self._target)

    def _add(self, name: str, amount: float, **labels: str) -> None:
        self._telemetry.add(name, amount, target=self._target, **labels)
