"""The composition root: builds the parts that a configuration asks for, in order.

Start: ledger and journal, sinks, web endpoint, what the journal holds, receivers, workers.
Stop, the other way round, so that nothing is accepted that cannot be finished: receivers
refuse, open traces close with `shutdown`, are scored and passed on, sinks are flushed, workers
end, the web endpoint goes, and the journal and the ledger go last.
"""

import asyncio
import contextlib
import logging
import os
import time
from typing import Any

from scorer import registry
from scorer.api import Sink
from scorer.assembly.assembler import Assembler
from scorer.assembly.budget import MemoryBudget
from scorer.config import Config
from scorer.errors import SpanscoreError
from scorer.forwarding import Forwarding
from scorer.receivers.admission import Admission
from scorer.receivers.assembly_settings import EndMarkers, assembler_settings
from scorer.receivers.durability import Durability
from scorer.receivers.ingest import AssemblingIngest
from scorer.receivers.process_limits import raise_descriptor_limit, require_random_hashing
from scorer.receivers.resident import resident_bytes
from scorer.scoring.account_store import MemoryStore
from scorer.scoring.accounts import Accounts
from scorer.scoring.backlog import Backlog
from scorer.scoring.books import Books, LedgerBooks, NoBooks
from scorer.scoring.pipeline import Pipeline
from scorer.scoring.readings.build import build_readings
from scorer.scoring.readings.host import read_host
from scorer.scoring.scorers import build_scorer
from scorer.scoring.tasks import background
from scorer.sinks.otlp.build import build_couriers
from scorer.sinks.otlp.metrics_push import MetricsPush
from scorer.telemetry import Telemetry
from scorer.web.recent import RecentTraces
from scorer.web.server import Health, WebServer

_RECEIVERS = ("otlp_grpc", "otlp_http")
# Due traces are looked for at least this often, seconds.
_TICK_S = 0.05
_SOURCE = "otlp"
_LOG = logging.getLogger("spanscore.service")
_RELOAD_S = 1.0


class Service:
    """One running Spanscore."""

    def __init__(self, config: Config) -> None:
        """Build the parts; raises ConfigError."""
        self._config = config
        self.telemetry = Telemetry()
        assembly = config.assembly
        self._budget = MemoryBudget(assembly.memory, assembly.max_tenant_share)
        self._assembler = Assembler(assembler_settings(assembly), self._budget)
        backlog = Backlog(float(config.scoring.max_backlog))
        self._scorer = build_scorer(config, self.telemetry, backlog)
        self._recent = RecentTraces(config, self, _unix_time)
        # The decision log comes before sinks that may be slow, so that it is never behind.
        prometheus, *others = build_sinks(config, self.telemetry)
        self._sinks: list[Sink] = [prometheus, self._recent, *others]
        self._durability = Durability(config, os.environ) if config.journal.enabled else None
        self._forwarding = Forwarding(
            config,
            build_couriers(config, self.telemetry),
            clock=time.monotonic,
            budget=self._budget,
            watermark=self._assembler.watermark,
            telemetry=self.telemetry,
            durability=self._durability,
        )
        self._readings = build_readings(config, self.telemetry, time.monotonic)
        durability = self._durability
        self._accounts = Accounts(
            self._scorer.metrics,
            MemoryStore() if durability is None else durability.ledger.state,
            config.scoring.accounts,
            self.telemetry,
        )
        self._pipeline = Pipeline(
            self._scorer,
            self._sinks,
            self._budget,
            self.telemetry,
            clock=time.monotonic,
            books=self._books(),
            accounts=self._accounts,
            forwarder=self._forwarding.forwarder,
            attach=list if self._readings is None else self._readings.attach,
        )
        self._ingest = AssemblingIngest(
            source=_SOURCE,
            assembler=self._assembler,
            admission=Admission(
                self._assembler,
                self._budget,
                backlog=backlog,
                waiting=lambda: self._pipeline.pending_work,
                resident=resident_bytes,
            ),
            telemetry=self.telemetry,
            clock=time.monotonic,
            on_closed=self._pipeline.submit,
            may_end=EndMarkers(assembly.end_marker_services).count_for,
            log=None if self._durability is None else self._durability.journal,
            strays=self._forwarding.strays,
            readings=self._readings,
        )
        self._push = build_push(config, self.telemetry)
        self._web = WebServer(config, self.telemetry, self._recent, self._health)
        self._receivers: dict[str, Any] = {
            name: registry.load("receivers", name)(config, self._ingest, self.telemetry)
            for name in _RECEIVERS
        }
        self._workers_ready = False
        self.addresses: dict[str, tuple[str, int]] = {}
        self.telemetry.refresh.append(self._set_gauges)

    async def start(self) -> None:
        """Listen; raises ConfigError for an endpoint that cannot be listened on."""
        require_random_hashing()
        raise_descriptor_limit(self._config)
        try:
            await self._web.start()
            self.addresses["web"] = self._web.address
            await self._accounts.start()
            await self._recover()
            for name, receiver in self._receivers.items():
                await receiver.start()
                if receiver.is_listening:
                    self.addresses[name] = receiver.address
        except BaseException:
            await self._stop_listening(0)
            await self._web.stop()
            await self._close_books()
            raise

    async def run(self, stop: asyncio.Event) -> None:
        """Score until `stop` is set, then drain within `shutdown_timeout`.

        Raises:
            SpanscoreError: The scoring workers do not start.
        """
        async with background() as tasks:
            parts = [
                self._pipeline.run(),
                self._forwarding.run(),
                self._poll(),
                self._keep_workers(),
                self._reload(),
            ]
            if self._push is not None:
                parts.append(self._push.run())
            if self._readings is not None and self._config.scoring.readings.host:
                parts.append(read_host(self._readings))
            tasks.extend(asyncio.create_task(part) for part in parts)
            stopping = asyncio.create_task(stop.wait())
            tasks.append(stopping)
            done, _ = await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
            try:
                for task in done:
                    task.result()
            finally:
                await self._shut_down(drain=stopping in done)

    def describe(self, trace_id: str, tenant: str = "") -> dict[str, Any] | None:
        """Say what is known of a trace that has no scores yet (see web.recent.OpenTraces)."""
        key = bytes.fromhex(trace_id)
        trace = self._assembler.find(key, tenant)
        if trace is not None:
            return {"state": "open", "opened": trace.opened, "span_count": len(trace.spans)}
        late = self._assembler.late_spans(key, tenant)
        pending = self._pipeline.find(key, tenant)
        if pending is not None:
            return {
                "state": "closed",
                "opened": pending.opened,
                "closed": pending.closed,
                "close_reason": pending.reason,
                "span_count": len(pending.spans),
                "completeness": pending.completeness,
                "late_spans": late,
            }
        return None if late is None else {"state": "late", "late_spans": late}

    def _books(self) -> Books:
        if self._durability is None:
            return NoBooks(self._assembler)
        kept = self._durability
        return LedgerBooks(self._assembler, kept.ledger, kept.journal, _SOURCE)

    async def _recover(self) -> None:
        """Go on where the process before ended."""
        if self._durability is None:
            return
        self._durability.recall(self._assembler, self._readings)
        found = await self._durability.recover(
            self._ingest, self._assembler, self._pipeline.submit, time.monotonic()
        )
        _LOG.info("%s", found)

    async def _close_books(self) -> None:
        if self._durability is not None:
            await self._durability.close()

    async def _keep_workers(self) -> None:
        await self._scorer.start()
        self._workers_ready = True
        await asyncio.Event().wait()

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self._ingest.poll()
            self._forwarding.poll()
            if self._durability is not None:
                self._durability.make_room(self._ingest, self._assembler)

    async def _reload(self) -> None:
        """Follow changes of the web endpoint's files; the receivers follow theirs."""
        while True:
            await asyncio.sleep(_RELOAD_S)
            self._web.reload()

    async def _shut_down(self, *, drain: bool) -> None:
        """Finish what is open, then end every part, whatever fails on the way.

        Raises:
            SpanscoreError: `shutdown_timeout` was over before everything was scored.
        """
        limit = float(self._config.shutdown_timeout) if drain else 1.0
        self._workers_ready = False
        self._ingest.stop()
        self._pipeline.submit(self._assembler.drain(time.monotonic(), "shutdown"))
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._close_books)
            stack.push_async_callback(self._web.stop)
            stack.push_async_callback(self._scorer.stop)
            if self._push is not None:
                stack.push_async_callback(self._push.close)
            stack.push_async_callback(self._forwarding.close)
            for sink in self._sinks:
                stack.push_async_callback(sink.close)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit):
                    await self._stop_listening(min(limit / 2, 5))
                    await self._pipeline.drain()
                    await self._forwarding.drain()
            self._forwarding.tell_left(self._pipeline.unforwarded_traces)
            pending = self._pipeline.pending_traces
        if pending:
            raise SpanscoreError(
                f"{limit:g} s for stopping are over and {pending} closed traces are not scored; "
                "raise shutdown_timeout"
            )

    async def _stop_listening(self, grace_s: float) -> None:
        for receiver in self._receivers.values():
            await receiver.stop(grace_s)

    def _health(self) -> Health:
        return Health(
            listening=bool(self.addresses) and self._listen_all(),
            workers=self._workers_ready,
        )

    def _listen_all(self) -> bool:
        served = (part for name, part in self._receivers.items() if name in self.addresses)
        return all(receiver.is_listening for receiver in served)

    def _set_gauges(self) -> None:
        assembler, pipeline = self._assembler, self._pipeline
        opened = assembler.oldest_opened()
        age = 0.0 if opened is None else time.monotonic() - opened
        gauges = {
            "spanscore_open_traces": assembler.open_traces + pipeline.pending_traces,
            "spanscore_open_spans": assembler.open_spans + pipeline.pending_spans,
            "spanscore_open_bytes": self._budget.used - assembler.kept_bytes,
            "spanscore_kept_bytes": assembler.kept_bytes,
            "spanscore_oldest_open_trace_seconds": age,
            "spanscore_pending_traces": pipeline.pending_traces,
            "spanscore_unforwarded_traces": pipeline.unforwarded_traces,
        }
        if self._readings is not None:
            gauges["spanscore_reading_resources"] = self._readings.resources
        if self._durability is not None:
            gauges |= self._durability.gauges()
        for name, value in gauges.items():
            self.telemetry.set(name, value)


def _unix_time(monotonic: float) -> float:
    """Turn a reading of the monotonic clock into Unix seconds."""
    return time.time() - time.monotonic() + monotonic  # noqa: TID251 - the edge where clocks meet


def build_sinks(config: Config, telemetry: Telemetry) -> list[Sink]:
    """Return the configured sinks."""
    sinks: list[Sink] = [registry.load("sinks", "prometheus")(config, telemetry)]
    if config.sinks.jsonl.path is not None:
        sinks.append(registry.load("sinks", "jsonl")(config))
    return sinks


def build_push(config: Config, telemetry: Telemetry) -> MetricsPush | None:
    """Return what pushes the series, where that is configured."""
    push = config.sinks.otlp_metrics
    return None if push.endpoint is None else MetricsPush(push, telemetry)
