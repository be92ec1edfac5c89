"""Pushes the series of /metrics by OTLP, for users who do not scrape.

The exporters of the OpenTelemetry SDK block, so they run in a thread; what they send is a
snapshot that was taken between two events, as a scrape is. A push that fails is no loss: the
series are cumulative, and the next push says the same and more.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scorer import __version__
from scorer.config import OtlpMetricsConfig
from scorer.config.quantities import Endpoint
from scorer.errors import ConfigError, RetryableError
from scorer.telemetry import FaultLog, Telemetry

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricExporter

_LOG = logging.getLogger("spanscore.otlp_metrics")
_KEY = "sinks.otlp_metrics"
_PATH = "/v1/metrics"
# Points of one request; a histogram is one point of 200 to 400 bytes, and receivers take 4 MiB.
_MAX_POINTS = 4_000


class MetricsPush:
    """Pushes all series of `telemetry` every `interval`, and once more at the end.

    Raises:
        ConfigError: The SDK is not installed, or `ca_file` cannot be read.
    """

    def __init__(
        self,
        config: OtlpMetricsConfig,
        telemetry: Telemetry,
        *,
        unix_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        try:
            from scorer.sinks.otlp.series import SeriesConverter  # noqa: PLC0415 - it needs the SDK

            self._exporter = _exporter(config)
        except ImportError as error:
            raise ConfigError(
                f"{_KEY}: {error.name} is not installed; pip install 'spanscore[otlp-metrics]'"
            ) from error
        self._interval = float(config.interval)
        self._timeout = float(config.timeout)
        self._telemetry = telemetry
        self._unix_ns = unix_ns
        self._converter = SeriesConverter(__version__, str(uuid.uuid4()), unix_ns())
        self._faults = FaultLog(_LOG)
        self._one_at_a_time = asyncio.Lock()

    async def run(self) -> None:
        """Push until cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            await self.push()

    async def push(self) -> bool:
        """Push the series as they are now; returns whether they were taken."""
        async with self._one_at_a_time:
            snapshot, now_ns = self._telemetry.snapshot(), self._unix_ns()
            taken = await asyncio.to_thread(self._send, snapshot, now_ns)
        if not taken:
            self._telemetry.add("spanscore_sink_errors_total", sink="OtlpMetrics")
            self._faults.report("series were not pushed", RetryableError("the target took none"))
        return taken

    async def close(self) -> None:
        """Push once more, within the time of one push, and end."""
        try:
            async with asyncio.timeout(self._timeout):
                await self.push()
        except TimeoutError:
            _LOG.warning("the last push of series took longer than %g s", self._timeout)
        # A push that waits to be tried again stops waiting.
        await asyncio.to_thread(self._exporter.shutdown)

    def _send(self, snapshot: Any, now_ns: int) -> bool:
        data = self._converter.convert(snapshot.collect(), now_ns)
        return self._exporter.export(data).name == "SUCCESS"


def _exporter(config: OtlpMetricsConfig) -> "MetricExporter":
    headers = {name.lower(): value.reveal() for name, value in config.headers.items()}
    if config.protocol == "http":
        return _http_exporter(config, headers)
    return _grpc_exporter(config, headers)


def _http_exporter(config: OtlpMetricsConfig, headers: dict[str, str]) -> "MetricExporter":
    from opentelemetry.exporter.otlp.proto.http import Compression  # noqa: PLC0415
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import (  # noqa: PLC0415
        OTLPMetricExporter,
    )

    url = (config.endpoint or "").rstrip("/")
    return OTLPMetricExporter(
        endpoint=url if url.endswith(_PATH) else url + _PATH,
        certificate_file=config.ca_file,
        headers=headers,
        timeout=float(config.timeout),
        compression=Compression.Gzip if config.compression == "gzip" else Compression.NoCompression,
        max_export_batch_size=_MAX_POINTS,
    )


def _grpc_exporter(config: OtlpMetricsConfig, headers: dict[str, str]) -> "MetricExporter":
    import grpc  # noqa: PLC0415 - with what needs it
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import (  # noqa: PLC0415
        OTLPMetricExporter,
    )

    endpoint = config.endpoint or ""
    is_plain = _is_plain(endpoint, config.insecure)
    roots = None
    if config.ca_file is not None and not is_plain:
        roots = _read(config.ca_file)
    return OTLPMetricExporter(
        endpoint=endpoint,
        insecure=is_plain,
        credentials=None if is_plain else grpc.ssl_channel_credentials(roots),
        headers=headers,
        timeout=float(config.timeout),
        compression=grpc.Compression.Gzip
        if config.compression == "gzip"
        else grpc.Compression.NoCompression,
        max_export_batch_size=_MAX_POINTS,
    )


def _is_plain(endpoint: str, insecure: bool | None) -> bool:
    scheme, found, _ = endpoint.partition("://")
    if found:
        return scheme == "http"
    return Endpoint(endpoint).is_loopback if insecure is None else insecure


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - bytes of a small file
            return file.read()
    except OSError as error:
        raise ConfigError(f"{_KEY}.ca_file: cannot read {path}: {error.strerror}") from error
