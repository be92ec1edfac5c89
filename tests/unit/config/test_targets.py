"""What the configuration says of the places that traces and scores are sent to."""

import pytest

from scorer.config import (
    Secret,
    address_of,
    check_files,
    load_config,
    parse_config,
    target_names,
    to_plain,
)
from scorer.errors import ConfigError


def parse(*targets):
    sections = [{"mode": "forward"} | target for target in targets]
    return parse_config({"sinks": {"otlp": sections}})


def address(endpoint, protocol="grpc", **tls):
    section = {"endpoint": endpoint, "protocol": protocol, "tls": tls}
    return address_of(parse(section).sinks.otlp[0])


@pytest.mark.parametrize(
    ("endpoint", "tls", "authority", "is_tls"),
    [
        ("tempo:4317", {}, "tempo:4317", True),
        ("tempo:4317", {"insecure": True}, "tempo:4317", False),
        ("http://tempo:4317", {}, "tempo:4317", False),
        ("https://tempo", {}, "tempo:4317", True),
        ("https://tempo/", {}, "tempo:4317", True),
        ("127.0.0.1:5317", {}, "127.0.0.1:5317", False),
        ("localhost:5317", {}, "localhost:5317", False),
        ("[::1]:5317", {}, "[::1]:5317", False),
        ("localhost:5317", {"insecure": False}, "localhost:5317", True),
        ("localhost:5317", {"ca_file": "x.pem"}, "localhost:5317", True),
    ],
)
def test_grpc_is_plain_text_only_where_that_was_said_or_is_this_machine(
    endpoint, tls, authority, is_tls
):
    """As in the collector, apart from loopback."""
    found = address(endpoint, **tls)
    assert (found.authority, found.is_tls) == (authority, is_tls)


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("http://tempo:4318", "http://tempo:4318"),
        ("https://otlp.example/base/", "https://otlp.example:443/base"),
        ("http://[::1]:6006/", "http://[::1]:6006"),
        ("http://tempo", "http://tempo:80"),
    ],
)
def test_http_takes_a_base_url(endpoint, url):
    """The path of the signal is added to it."""
    assert address(endpoint, "http").base_url == url


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"endpoint": "tempo"}, "endpoint: 'tempo' is not HOST:PORT"),
        ({"endpoint": "tempo:0"}, "endpoint: 'tempo:0'"),
        ({"endpoint": "tempo:x"}, "endpoint: 'tempo:x'"),
        ({"endpoint": ":4317"}, "endpoint: ':4317'"),
        ({"endpoint": "tempo:4317/v1"}, "is not HOST:PORT"),
        ({"endpoint": "ftp://tempo"}, "ftp:// is not known"),
        ({"endpoint": "http://tempo/x"}, "gRPC has no path; did you mean http?"),
        ({"endpoint": "tempo:4318", "protocol": "http"}, "is no URL; write http://HOST:PORT"),
        ({"endpoint": "http://tempo/v1/traces", "protocol": "http"}, "/v1/traces is added to it"),
        ({"endpoint": "http://tempo?x=1", "protocol": "http"}, "there is more in it"),
        ({"endpoint": "http://te mpo", "protocol": "http"}, "there is more in it"),
        ({"endpoint": "tempo:1", "protocol": "kafka"}, "protocol: 'kafka' is not one of"),
        ({"endpoint": "tempo:1", "mode": "both"}, "mode: 'both' is not one of"),
        ({"endpoint": "tempo:1", "compresion": "gzip"}, r"unknown key sinks.otlp\[0\].compresion"),
        ({"endpoint": "https://tempo", "tls": {"insecure": True}}, "contradict each other"),
        ({"endpoint": "http://tempo", "tls": {"insecure": False}}, "contradict each other"),
        ({"endpoint": "http://tempo", "tls": {"ca_file": "x"}}, "tls.ca_file: .* in plain text"),
        ({"endpoint": "tempo:1", "tls": {"key_file": "x"}}, "tls.key_file: it needs"),
        ({"endpoint": "tempo:1", "tls": {"cert_file": "x"}}, "tls.cert_file: it needs"),
        ({"endpoint": "tempo:1", "headers": {"a b": "x"}}, "headers: 'a b' is no name"),
        ({"endpoint": "tempo:1", "headers": {"Content-Type": "x"}}, "belongs to the protocol"),
        ({"endpoint": "tempo:1", "headers": {"grpc-timeout": "x"}}, "belongs to the protocol"),
        ({"endpoint": "tempo:1", "headers": {"x-bin": "x"}}, "binary headers"),
        ({"endpoint": "tempo:1", "headers": {"A": "x", "a": "y"}}, "stands there twice"),
        (
            {"endpoint": "tempo:1", "retry": {"initial_interval": "1m"}},
            "max_interval: it is less than initial_interval",
        ),
        ({"endpoint": "localhost:4317"}, "receivers.otlp.grpc.endpoint of this service"),
        ({"endpoint": "http://127.0.0.1:4318", "protocol": "http"}, "which would send to itself"),
    ],
)
def test_what_cannot_be_meant_is_refused(target, said):
    """With the path of the key."""
    with pytest.raises(ConfigError, match=said) as caught:
        parse(target)
    assert "sinks.otlp[0]" in str(caught.value)


def test_a_target_must_say_what_it_is_for():
    """To pass all traces on is nothing to fall into."""
    with pytest.raises(ConfigError, match=r"sinks.otlp\[0\]: .*missing required field `mode`"):
        parse_config({"sinks": {"otlp": [{"endpoint": "tempo:4317"}]}})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"endpoint": "tempo:4317"}, {"endpoint": "tempo:4317"}),
        ({"endpoint": "tempo:4317"}, {"endpoint": "https://tempo"}),
    ],
)
def test_two_targets_that_are_one_are_refused(first, second):
    """Everything would arrive twice."""
    with pytest.raises(ConfigError, match=r"sinks.otlp\[1\]: it sends the same"):
        parse(first, second)


@pytest.mark.parametrize(
    "second",
    [
        {"endpoint": "tempo:4317", "mode": "results"},
        {"endpoint": "tempo:4318"},
        {"endpoint": "tempo:4317", "headers": {"X-Scope-OrgID": "b"}},
    ],
)
def test_two_targets_that_only_look_alike_are_fine(second):
    """Each has a name of its own, for labels and the log."""
    targets = parse({"endpoint": "tempo:4317"}, second).sinks.otlp
    assert len(set(target_names(targets))) == 2


def test_secrets_are_never_shown():
    """Not in what check-config prints, not in an error, not in a repr."""
    config = parse({"endpoint": "tempo:1", "headers": {"authorization": "Bearer s3cret"}})
    header = config.sinks.otlp[0].headers["authorization"]
    assert header.reveal() == "Bearer s3cret"
    assert "s3cret" not in f"{to_plain(config)} {config} {header} {header!r}"
    for fault in ({"a": "s3cret\n"}, {"te": "s3cret"}):
        with pytest.raises(ConfigError) as caught:
            parse({"endpoint": "tempo:1", "headers": fault})
        assert "s3cret" not in str(caught.value)
    with pytest.raises(ConfigError, match="credentials stand in it") as caught:
        parse({"endpoint": "https://user:s3cret@tempo"})
    assert "s3cret" not in str(caught.value)


def test_secrets_are_equal_when_their_texts_are():
    """Two targets may be compared."""
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert len({Secret("a"), Secret("a")}) == 1


def test_a_secret_must_be_a_text():
    """A number would lose its leading zeros."""
    with pytest.raises(ConfigError, match=r"headers.*: Expected a text; put it into quotes"):
        parse({"endpoint": "tempo:1", "headers": {"a": 7}})


def test_headers_may_come_from_the_environment(monkeypatch):
    """As every text."""
    monkeypatch.setenv("TOKEN", "s3cret")
    config = parse({"endpoint": "tempo:1", "headers": {"authorization": "Bearer ${env:TOKEN}"}})
    assert config.sinks.otlp[0].headers["authorization"] == Secret("Bearer s3cret")


def test_files_that_are_not_there_are_found_by_check_config(tmp_path):
    """Before the service starts."""
    tls = f"{{ca_file: {tmp_path / 'none.pem'}}}"
    config = load_config(None, [f"sinks.otlp=[{{endpoint: 'a:1', mode: results, tls: {tls}}}]"])
    with pytest.raises(ConfigError, match=r"sinks.otlp\[0\].tls.ca_file: there is no file"):
        check_files(config)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://user:hush@tempo:99999",
        "http://user:hush@tempo:4318/v1/traces",
        "user:hush@tempo:4318",
        "https://tempo?key=hush",
        "https://tempo#hush",
    ],
)
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_secret_in_an_endpoint_is_refused_and_not_quoted(endpoint, protocol):
    """Wherever else the endpoint is wrong; a push of series is no exception."""
    place = {"endpoint": endpoint, "protocol": protocol}
    for sinks in ({"otlp": [place | {"mode": "forward"}]}, {"otlp_metrics": place}):
        with pytest.raises(ConfigError, match=r"put (them|keys) into headers") as raised:
            parse_config({"sinks": sinks})
        assert "hush" not in str(raised.value)
