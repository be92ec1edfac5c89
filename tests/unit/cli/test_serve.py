import pytest

from scorer.cli.main import main
from scorer.cli.serve import host_port, sights, with_every_metric
from scorer.config import AuthConfig, TlsConfig, WebConfig, parse_config
from scorer.registry import load_metrics


def test_an_ipv6_host_stands_in_brackets():
    """The printed address can be used in a URL."""
    assert host_port(("127.0.0.1", 4317)) == "127.0.0.1:4317"
    assert host_port(("::1", 4317)) == "[::1]:4317"


def test_the_demo_needs_the_grpc_receiver(capsys):
    """`--demo` without the receiver that it sends to is wrong use."""
    code = main(["serve", "--demo", "--set", "receivers.otlp.grpc.enabled=false"])
    assert code == 2
    assert "receivers.otlp.grpc.enabled" in capsys.readouterr().err


def test_the_demo_runs_every_metric():
    """Unless the configuration says which ones."""
    shown = with_every_metric(parse_config({}))
    specs = {metric.spec.name for metric in load_metrics(shown.scoring)}
    assert specs >= {"audio_transcription_quality", "swarm_intelligence", "latency"}
    chosen = parse_config({"scoring": {"metrics": ["latency"]}})
    assert with_every_metric(chosen) is chosen


def test_what_there_is_to_see_is_shown_with_its_command():
    """The commands can be run as they are printed."""
    commands = [command for _, command in sights("127.0.0.1:1", WebConfig())]
    assert commands == [
        "curl -s http://127.0.0.1:1/metrics | grep -E '^spanscore_score_(sum|count)'",
        "curl -s http://127.0.0.1:1/api/v1/traces",
        "spanscore explain TRACE_ID --url http://127.0.0.1:1",
    ]


def test_the_commands_follow_tls_and_tokens():
    """Where they are asked for, and without showing a token."""
    tls = TlsConfig(cert_file="my cert.pem", key_file="k")
    web = WebConfig(tls=tls, auth=AuthConfig(bearer_tokens_file="tokens"))
    (_, _), (_, curl), (_, explain) = sights("h:1", web)
    assert curl == (
        "curl -s --cacert 'my cert.pem' -H \"authorization: Bearer TOKEN\" "
        "https://h:1/api/v1/traces"
    )
    assert explain == (
        "spanscore explain TRACE_ID --url https://h:1 --ca-file 'my cert.pem' --token-file tokens"
    )


def test_an_unknown_log_level_is_wrong_use():
    """Levels are a closed list."""
    with pytest.raises(SystemExit) as caught:
        main(["serve", "--log-level", "loud"])
    assert caught.value.code == 2
