"""The tree of configuration keys with their defaults and descriptions.

The README's table of keys is generated from this file, and a test checks that it is.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from scorer.api import Mode, Threshold
from scorer.config.accounts import AccountsConfig
from scorer.config.forwarding import SamplingConfig
from scorer.config.quantities import (
    Duration,
    Endpoint,
    PositiveDuration,
    PositiveSize,
    Secret,
    Size,
)
from scorer.config.readings import ReadingsConfig
from scorer.model.score import Status


class _Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all configuration sections."""


def _is(description: str) -> Meta:
    return Meta(description=description)


def _count(description: str) -> Meta:
    return Meta(description=description, ge=1)


_INSECURE = "listen beyond this machine without TLS or without authentication"
_REQUEST_SIZE = "largest request, before and after decompression; at most memory / 16"
_CONNECTIONS = "open connections"
_READ_TIMEOUT = "longest time that a body may take"


class TlsConfig(_Section, frozen=True):
    """TLS of one endpoint; the files are read again when they change."""

    cert_file: Annotated[str | None, _is("PEM chain of this server; none = no TLS")] = None
    key_file: Annotated[str | None, _is("PEM key of this server")] = None
    client_ca_file: Annotated[
        str | None, _is("PEM CAs; a client must show a certificate of one of them")
    ] = None
    client_names: Annotated[
        tuple[str, ...], _is("names (SAN) of the client certificates that may enter; none = all")
    ] = ()


class AuthConfig(_Section, frozen=True):
    """Who may use one endpoint."""

    bearer_tokens_file: Annotated[
        str | None, _is("one `TOKEN` or `TOKEN TENANT` a line; read again when it changes")
    ] = None


class GrpcConfig(_Section, frozen=True):
    """OTLP over gRPC."""

    enabled: Annotated[bool, _is("receive OTLP over gRPC")] = True
    endpoint: Annotated[Endpoint, _is("where to listen")] = Endpoint("127.0.0.1:4317")
    max_request_size: Annotated[PositiveSize, _is(_REQUEST_SIZE)] = PositiveSize(64 * 2**20)
    max_concurrent_streams: Annotated[int, _count("calls at a time on one connection")] = 100
    max_connections: Annotated[int, _count(_CONNECTIONS)] = 2000
    read_timeout: Annotated[PositiveDuration, _is(_READ_TIMEOUT)] = PositiveDuration(10)
    tls: TlsConfig = TlsConfig()
    auth: AuthConfig = AuthConfig()
    insecure: Annotated[bool, _is(_INSECURE)] = False


class HttpConfig(_Section, frozen=True):
    """OTLP over HTTP (protobuf and JSON)."""

    enabled: Annotated[bool, _is("receive OTLP over HTTP")] = True
    endpoint: Annotated[Endpoint, _is("where to listen")] = Endpoint("127.0.0.1:4318")
    max_request_size: Annotated[PositiveSize, _is(_REQUEST_SIZE)] = PositiveSize(64 * 2**20)
    max_connections: Annotated[int, _count(_CONNECTIONS)] = 2000
    read_timeout: Annotated[PositiveDuration, _is(_READ_TIMEOUT)] = PositiveDuration(10)
    idle_timeout: Annotated[
        PositiveDuration, _is("close a connection without a request after this time")
    ] = PositiveDuration(60)
    tls: TlsConfig = TlsConfig()
    auth: AuthConfig = AuthConfig()
    insecure: Annotated[bool, _is(_INSECURE)] = False


class OtlpConfig(_Section, frozen=True):
    """The OTLP receivers."""

    grpc: GrpcConfig = GrpcConfig()
    http: HttpConfig = HttpConfig()


class ReceiversConfig(_Section, frozen=True):
    """Where spans come in."""

    otlp: OtlpConfig = OtlpConfig()


class ServiceAssemblyConfig(_Section, frozen=True):
    """Timers of one service; what is not given follows `assembly`."""

    service: str
    linger: Duration | None = None
    idle_timeout: PositiveDuration | None = None
    max_age: PositiveDuration | None = None


class JournalConfig(_Section, frozen=True):
    """The durable log of what was accepted over OTLP."""

    enabled: Annotated[bool, _is("keep what is accepted until it is scored, over a crash")] = True
    path: Annotated[str | None, _is("folder; none = `journal` in `state_dir`")] = None
    fsync: Annotated[
        Literal["batch", "always", "off"],
        _is("when the disk has it: before the answer, many at once or one by one; or whenever"),
    ] = "batch"
    max_size: Annotated[PositiveSize, _is("bytes of the journal; then requests are refused")] = (
        PositiveSize(4 * 2**30)
    )


class AssemblyConfig(_Section, frozen=True):
    """When a trace is finished, and how much may be open."""

    linger: Annotated[
        Duration, _is("close a trace with root and all parents when nothing came for this long")
    ] = Duration(2)
    idle_timeout: Annotated[
        PositiveDuration, _is("close any trace when nothing came for this long")
    ] = PositiveDuration(30)
    max_age: Annotated[PositiveDuration, _is("close a trace at this age at the latest")] = (
        PositiveDuration(21600)
    )
    memory: Annotated[
        PositiveSize,
        _is("bytes that open traces may hold, and one request more; then requests are refused"),
    ] = PositiveSize(512 * 2**20)
    max_spans_per_trace: Annotated[int, _count("close a trace at this many spans")] = 50_000
    max_bytes_per_trace: Annotated[
        PositiveSize, _is("close a trace at this size; at most memory / 8")
    ] = PositiveSize(64 * 2**20)
    kept: Annotated[
        Size,
        _is(
            "bytes of closed traces that are kept, so that late spans can join; of `memory`, while "
            "it has room, an eighth at most; 0B = none"
        ),
    ] = Size(64 * 2**20)
    max_tombstones: Annotated[
        int,
        _count(
            "closed traces that are remembered, so that late spans are known as late; at most one "
            "for each 2500 bytes of `memory`"
        ),
    ] = 200_000
    max_tenant_share: Annotated[
        float,
        Meta(gt=0, le=1, description="share of `memory` that one named tenant may hold"),
    ] = 0.5
    end_marker_services: Annotated[
        tuple[str, ...], _is("services (glob) whose spans may end a trace by `spanscore.trace.end`")
    ] = ("*",)
    overrides: Annotated[
        tuple[ServiceAssemblyConfig, ...],
        _is("timers of a service: `{service: NAME, linger: .., idle_timeout: .., max_age: ..}`"),
    ] = ()


class MetricConfig(_Section, frozen=True):
    """One metric with its mode and options: `{name: faithfulness, mode: documented}`."""

    name: str
    mode: Mode = "beyond"
    timeout: PositiveDuration | None = None
    options: dict[str, Any] = {}


class RuleConfig(_Section, frozen=True):
    """Metrics and sampling for the services that match (glob); the first match wins."""

    match: dict[Literal["service"], str] = {}
    metrics: tuple[str, ...] | None = None
    sample: Annotated[float, Meta(ge=0, le=1)] = 1.0


class ReferencesConfig(_Section, frozen=True):
    """Known right answers."""

    file: Annotated[
        str | None, _is("JSON lines with `case_id` or `question`, and `answer`, `contexts` ..")
    ] = None


class ScoringConfig(_Section, frozen=True):
    """What is computed of a finished trace, and where."""

    metrics: Annotated[
        tuple[str | MetricConfig, ...],
        _is("names, groups (`default` or a kind) or `{name, mode, timeout, options}`"),
    ] = ("default",)
    workers: Annotated[
        Annotated[int, Meta(ge=0, le=256)] | Literal["auto"],
        _is("scoring processes; 0 = in the service's own; auto = one a core, less one"),
    ] = "auto"
    max_backlog: Annotated[
        PositiveDuration,
        _is("new traces are refused while scoring is this far behind; open ones go on"),
    ] = PositiveDuration(1)
    task_timeout: Annotated[
        PositiveDuration,
        _is("a worker that is silent for this long outside of any metric is replaced"),
    ] = PositiveDuration(30)
    thresholds: Annotated[
        dict[str, Threshold], _is("`{METRIC: {min: .., max: ..}}`; default: the metric's own")
    ] = {}
    rules: Annotated[
        tuple[RuleConfig, ...],
        _is("`{match: {service: GLOB}, metrics: [..], sample: 0..1}`; the first match decides"),
    ] = ()
    references: ReferencesConfig = ReferencesConfig()
    readings: ReadingsConfig = ReadingsConfig()
    accounts: AccountsConfig = AccountsConfig()


class ReplayConfig(_Section, frozen=True):
    """Reading stored spans."""

    lateness: Annotated[
        Duration, _is("added to every timer: how far the order of stored spans may be off")
    ] = Duration(600)


class PrometheusConfig(_Section, frozen=True):
    """The series on /metrics and the bounds of their labels."""

    labels: Annotated[
        tuple[Literal["service", "agent"], ...], _is("labels that take their values from spans")
    ] = ("service", "agent")
    max_label_values: Annotated[
        int, _count("values of one such label; the rest is counted as `other`")
    ] = 200
    max_series: Annotated[
        int,
        _count("time series whose labels come from spans, in all; the rest is counted as `other`"),
    ] = 20_000


class JsonlConfig(_Section, frozen=True):
    """The scores file."""

    path: Annotated[str | None, _is("append each score to this file, a JSON object a line")] = None


class OtlpTargetTlsConfig(_Section, frozen=True):
    """How one target is spoken to; the files are read again when a connection fails."""

    insecure: Annotated[
        bool | None,
        _is("plain text; none = only where the endpoint is this machine or says `http://`"),
    ] = None
    ca_file: Annotated[
        str | None, _is("PEM CAs that vouch for the target; none = the public ones")
    ] = None
    cert_file: Annotated[str | None, _is("PEM chain that is shown to the target")] = None
    key_file: Annotated[str | None, _is("PEM key of that certificate")] = None
    server_name: Annotated[
        str | None, _is("name in the target's certificate, where it is not the endpoint's host")
    ] = None


class OtlpRetryConfig(_Section, frozen=True):
    """When what a target did not take is sent again."""

    initial_interval: Annotated[
        PositiveDuration, _is("wait after the first failure; it doubles with each one more")
    ] = PositiveDuration(1)
    max_interval: Annotated[PositiveDuration, _is("longest of these waits")] = PositiveDuration(30)
    max_elapsed_time: Annotated[
        PositiveDuration | None,
        _is("what could not be delivered for this long is given up and counted; none = never"),
    ] = None


class OtlpTargetConfig(_Section, frozen=True):
    """One place that traces with scores, or scores alone, are sent to."""

    endpoint: Annotated[
        str, _is("gRPC: `HOST:PORT`; HTTP: base URL, `/v1/traces` and the like are added")
    ]
    mode: Annotated[
        Literal["forward", "results"],
        _is("pass traces on with their scores, or send the scores alone"),
    ]
    protocol: Annotated[Literal["grpc", "http"], _is("http = protobuf over HTTP")] = "grpc"
    hold_timeout: Annotated[
        Duration, _is("longest time that a trace waits for its scores before it is passed on")
    ] = Duration(5)
    sampling: Annotated[
        SamplingConfig | None,
        _is(
            "pass on every failing trace and a share: `{keep_failing: true, share: 0.1, services}`"
        ),
    ] = None
    statuses: Annotated[
        tuple[Status, ...], _is("which scores are sent by themselves, by their status")
    ] = ("scored", "failed")
    signals: Annotated[
        tuple[Literal["traces", "logs"], ...],
        _is("what they are sent as: evaluator spans, log events, or both"),
    ] = ("traces", "logs")
    compression: Annotated[
        Literal["none", "gzip"], _is("of requests; gzip more than halves them, for CPU time")
    ] = "none"
    headers: Annotated[
        dict[str, Secret], _is("sent with each request; values are never shown")
    ] = {}
    tls: OtlpTargetTlsConfig = OtlpTargetTlsConfig()
    timeout: Annotated[PositiveDuration, _is("longest time that a request may take")] = (
        PositiveDuration(10)
    )
    max_request_size: Annotated[
        PositiveSize, _is("largest request, before compression, that several traces share")
    ] = PositiveSize(4 * 2**20)
    queue_size: Annotated[
        PositiveSize, _is("bytes that wait for the target; then requests are refused")
    ] = PositiveSize(64 * 2**20)
    concurrency: Annotated[int, _count("requests at a time")] = 4
    retry: OtlpRetryConfig = OtlpRetryConfig()


class OtlpMetricsConfig(_Section, frozen=True):
    """The series of /metrics, pushed for users who do not scrape."""

    endpoint: Annotated[
        str | None,
        _is("gRPC: `HOST:PORT`; HTTP: base URL, `/v1/metrics` is added; none = no push"),
    ] = None
    protocol: Annotated[Literal["grpc", "http"], _is("http = protobuf over HTTP")] = "grpc"
    interval: Annotated[PositiveDuration, _is("time between two pushes")] = PositiveDuration(30)
    timeout: Annotated[PositiveDuration, _is("longest time that a push may take")] = (
        PositiveDuration(10)
    )
    compression: Annotated[Literal["gzip", "none"], _is("of requests")] = "gzip"
    headers: Annotated[
        dict[str, Secret], _is("sent with each request; values are never shown")
    ] = {}
    insecure: Annotated[
        bool | None,
        _is("plain text; none = only where the endpoint is this machine or says `http://`"),
    ] = None
    ca_file: Annotated[
        str | None, _is("PEM CAs that vouch for the target; none = those of the system")
    ] = None


class SinksConfig(_Section, frozen=True):
    """Where scores go out."""

    prometheus: PrometheusConfig = PrometheusConfig()
    jsonl: JsonlConfig = JsonlConfig()
    otlp_metrics: OtlpMetricsConfig = OtlpMetricsConfig()
    otlp: tuple[OtlpTargetConfig, ...] = ()


class WebConfig(_Section, frozen=True):
    """/metrics, health and the API."""

    endpoint: Annotated[Endpoint, _is("where to listen")] = Endpoint("127.0.0.1:9464")
    tls: TlsConfig = TlsConfig()
    auth: AuthConfig = AuthConfig()
    insecure: Annotated[bool, _is(_INSECURE)] = False
    recent_traces: Annotated[
        int, _count("finished traces that the API and `explain` can tell about")
    ] = 2_000


class Config(_Section, frozen=True):
    """The whole configuration."""

    shutdown_timeout: Annotated[
        Duration, _is("longest time for closing and scoring what is open on SIGTERM")
    ] = Duration(30)
    state_dir: Annotated[str, _is("folder of the journal, the ledger and other state")] = (
        "./spanscore-data"
    )
    receivers: ReceiversConfig = ReceiversConfig()
    journal: JournalConfig = JournalConfig()
    assembly: AssemblyConfig = AssemblyConfig()
    scoring: ScoringConfig = ScoringConfig()
    replay: ReplayConfig = ReplayConfig()
    sinks: SinksConfig = SinksConfig()
    web: WebConfig = WebConfig()
