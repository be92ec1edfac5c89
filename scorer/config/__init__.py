"""The configuration: one frozen tree, its defaults in one place (`tree`).

YAML (or JSON) in the collector's style. Durations and sizes carry units (`2s`, `64MiB`),
`${env:NAME}` is the only substitution, an unknown key is an error that names its path.
"""

from scorer.config.accounts import AccountsConfig
from scorer.config.checks import check_files
from scorer.config.listeners import tls_faults
from scorer.config.load import load_config, parse_config, to_plain
from scorer.config.quantities import Duration, Endpoint, Secret, Size
from scorer.config.readings import ReadingsConfig
from scorer.config.targets import Address, address_of, is_same_place, target_names
from scorer.config.tree import (
    AssemblyConfig,
    AuthConfig,
    Config,
    GrpcConfig,
    HttpConfig,
    JsonlConfig,
    MetricConfig,
    OtlpMetricsConfig,
    OtlpRetryConfig,
    OtlpTargetConfig,
    OtlpTargetTlsConfig,
    PrometheusConfig,
    RuleConfig,
    ScoringConfig,
    TlsConfig,
    WebConfig,
)

__all__ = [
    "AccountsConfig",
    "Address",
    "AssemblyConfig",
    "AuthConfig",
    "Config",
    "Duration",
    "Endpoint",
    "GrpcConfig",
    "HttpConfig",
    "JsonlConfig",
    "MetricConfig",
    "OtlpMetricsConfig",
    "OtlpRetryConfig",
    "OtlpTargetConfig",
    "OtlpTargetTlsConfig",
    "PrometheusConfig",
    "ReadingsConfig",
    "RuleConfig",
    "ScoringConfig",
    "Secret",
    "Size",
    "TlsConfig",
    "WebConfig",
    "address_of",
    "check_files",
    "is_same_place",
    "load_config",
    "parse_config",
    "target_names",
    "tls_faults",
    "to_plain",
]
