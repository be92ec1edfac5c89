"""Reading a configuration: every fault names its path, and the defaults serve."""

import pytest

from scorer.config import Config, load_config, parse_config, to_plain
from scorer.errors import ConfigError


def test_no_file_is_needed():
    """The defaults are a valid configuration."""
    assert load_config() == Config() == parse_config({})


def test_quantities_carry_units(tmp_path):
    """Durations and sizes are text with a unit."""
    path = tmp_path / "c.yaml"
    path.write_text("assembly: {linger: 500ms, max_age: 1h, memory: 1GiB}\n")
    assembly = load_config(path).assembly
    assert (assembly.linger, assembly.max_age, assembly.memory) == (0.5, 3600, 2**30)


def test_json_is_yaml(tmp_path):
    """A JSON file works."""
    path = tmp_path / "c.json"
    path.write_text('{"web": {"endpoint": "127.0.0.1:0"}}')
    assert load_config(path).web.endpoint.port == 0


def test_an_override_wins_over_the_file(tmp_path):
    """--set a.b=v is YAML and comes last."""
    path = tmp_path / "c.yaml"
    path.write_text("scoring: {workers: 3, metrics: [latency]}\n")
    config = load_config(path, ["scoring.workers=0", "scoring.metrics=[cost, latency]"])
    assert (config.scoring.workers, config.scoring.metrics) == (0, ("cost", "latency"))


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("assembly.lingr=2s", "unknown key assembly.lingr"),
        ("nothing.at.all=1", "unknown key nothing"),
        ("assembly.linger=2", "assembly.linger: Expected a duration"),
        ("assembly.linger=2 parsecs", "assembly.linger: Expected a duration"),
        ("assembly.memory=12", "assembly.memory: Expected a size"),
        ("web.endpoint=here", "web.endpoint: Expected HOST:PORT"),
        ("web.endpoint=127.0.0.1:99999", "web.endpoint: Expected HOST:PORT"),
        ("scoring.workers=-1", "scoring.workers"),
        ("scoring.rules=[{sample: 2}]", r"scoring.rules\[0\].sample"),
        ("scoring.metrics=[{name: x, mod: y}]", r"unknown key scoring.metrics\[0\].mod"),
        ("scoring.thresholds={x: {maximum: 1}}", "unknown key scoring.thresholds.*maximum"),
        ("scoring.metrics=[{name: x, mode: fast}]", r"\[0\].mode: 'fast' .*'documented', 'beyond'"),
        ("scoring.workers=many", "scoring.workers: 'many' is not one of: a whole number, 'auto'"),
        ("scoring.workers=257", "scoring.workers: .*256"),
        ("sinks.prometheus.labels=[tool]", r"labels\[0\]: 'tool' .*'service', 'agent'"),
        (
            "scoring.rules=[{match: {servic: x}}]",
            r"unknown key scoring.rules\[0\].match.servic; known there: 'service'",
        ),
        ("assembly.memory=0B", "assembly.memory: 0B .*more than zero"),
        ("assembly.idle_timeout=0s", "assembly.idle_timeout: 0s .*more than zero"),
        ("assembly.overrides=[{service: x, max_age: 0s}]", r"overrides\[0\].max_age: 0s"),
        ("receivers.otlp.http.max_request_size=0MiB", "max_request_size: 0MiB .*more than zero"),
        ("scoring.metrics=[{name: latency, timeout: 0s}]", r"\[0\].timeout: 0s .*more than zero"),
        (f"assembly.memory={'9' * 400}GiB", "too large"),
        ("web={recent_traces: 1, recent_traces: 2}", "key 'recent_traces' stands twice"),
        ("web.endpoint=${HOST}:1", r"web.endpoint: \$\{HOST\}: only \$\{env:NAME\}"),
        ("web.endpoint=${env:HOST", r"web.endpoint: \$\{env:HOST: only"),
        ("linger", "write it as key.path=value"),
        ("shutdown_timeout.x=1", "shutdown_timeout"),
    ],
)
def test_a_fault_names_its_path(override, said):
    """One line: which key, and what is wrong with it."""
    with pytest.raises(ConfigError, match=said) as error:
        load_config(None, [override])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "override",
    [
        "assembly=",
        "receivers.otlp=",
        "scoring.metrics=",
        "scoring.thresholds=",
        "scoring.rules=",
        "scoring.references=",
    ],
)
def test_an_empty_section_means_the_defaults(override):
    """A key with nothing under it, as when all its lines are commented out."""
    assert load_config(None, [override]) == Config()


def test_an_override_may_go_into_an_empty_section(tmp_path):
    """`assembly:` in the file does not stand in its way."""
    path = tmp_path / "c.yaml"
    path.write_text("assembly:\nweb:\n")
    assert load_config(path, ["assembly.linger=7s"]).assembly.linger == 7


def test_zero_is_fine_where_it_means_something():
    """No waiting, no slack."""
    load_config(None, ["assembly.linger=0s", "replay.lateness=0s", "scoring.workers=0"])


def test_a_key_that_stands_twice_in_the_file_is_an_error(tmp_path):
    """PyYAML would take the last one silently; merge keys still work."""
    path = tmp_path / "c.yaml"
    path.write_text("assembly: {linger: 1s}\nweb: {}\nassembly: {linger: 2s}\n")
    with pytest.raises(ConfigError, match=r"key 'assembly' stands twice.*line 3"):
        load_config(path)
    path.write_text("receivers: {otlp: {grpc: &a {enabled: true}, http: {<<: *a}}}\n")
    assert load_config(path) == Config()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("web: &w {endpoint: *w}", "contains itself"),
        ("a: [", "not valid YAML"),
        ("- a\n", "must be a mapping"),
        ("a: 1\n", "unknown key a"),
    ],
)
def test_a_bad_file_is_named(tmp_path, text, said):
    """The message says what is wrong with the file."""
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_config(path)


def test_a_missing_file_is_a_clear_error(tmp_path):
    """Not a traceback."""
    with pytest.raises(ConfigError, match=r"cannot read configuration .*gone\.yaml"):
        load_config(tmp_path / "gone.yaml")


def test_environment_variables_are_substituted(monkeypatch):
    """`${env:NAME}` in any text, and nothing else."""
    monkeypatch.setenv("HERE", "127.0.0.1")
    config = parse_config({"web": {"endpoint": "${env:HERE}:9000"}})
    assert config.web.endpoint == "127.0.0.1:9000"
    monkeypatch.delenv("HERE")
    with pytest.raises(ConfigError, match=r"web\.endpoint: environment variable HERE is not set"):
        parse_config({"web": {"endpoint": "${env:HERE}:9000"}})


@pytest.mark.parametrize("key", ["web", "receivers.otlp.grpc", "receivers.otlp.http"])
@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "10.0.0.7", "example.org"])
def test_listening_beyond_this_machine_needs_a_word(key, host):
    """Without authentication it is refused unless `insecure: true` stands beside it."""
    endpoint = f"{key}.endpoint='{host}:4000'"
    with pytest.raises(ConfigError, match=f"{key}.insecure"):
        load_config(None, [endpoint])
    load_config(None, [endpoint, f"{key}.insecure=true"])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.0.0.5"])
def test_loopback_needs_none(host):
    """Only this machine can reach it."""
    assert load_config(None, [f"web.endpoint='{host}:4000'"]).web.endpoint.is_loopback


def test_an_ipv6_endpoint_needs_no_quotes():
    """`--set web.endpoint=[::1]:9464` works as it is written."""
    assert load_config(None, ["web.endpoint=[::1]:9464"]).web.endpoint.host == "::1"


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["receivers.otlp.grpc.max_request_size=3GiB"], "over gRPC's own limit"),
        (["assembly.linger=31d"], r"assembly\.linger: 31d is over 30d"),
        (
            ["receivers.otlp.grpc.enabled=false", "receivers.otlp.http.enabled=false"],
            "none is enabled",
        ),
    ],
)
def test_what_could_never_work_is_refused(overrides, said):
    """Before anything starts."""
    with pytest.raises(ConfigError, match=said):
        load_config(None, overrides)


def test_the_printed_configuration_reads_back_the_same():
    """What `check-config` prints is itself a configuration."""
    config = load_config(None, ["assembly.linger=1500ms", "assembly.memory=3MiB"])
    assert parse_config(to_plain(config)) == config


def test_a_share_of_a_sample_is_between_0_and_1():
    """Also that of one service; the fault names its place."""
    target = {"endpoint": "tempo:4317", "mode": "forward"}
    given = {"share": 0.1, "services": {"shop-*": 1.0}}
    (read,) = parse_config({"sinks": {"otlp": [target | {"sampling": given}]}}).sinks.otlp
    assert (read.sampling.share, read.sampling.services) == (0.1, {"shop-*": 1.0})
    assert read.sampling.keep_failing
    for wrong in ({"share": 1.5}, {"services": {"a": -1}}, {"shares": 1}):
        with pytest.raises(ConfigError, match="sampling"):
            parse_config({"sinks": {"otlp": [target | {"sampling": wrong}]}})
