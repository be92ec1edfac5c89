import pytest

from scorer.cli.main import main
from scorer.cli.serve import host_port


def test_an_ipv6_host_stands_in_brackets():
    """The printed address can be used in a URL."""
    assert host_port(("127.0.0.1", 4317)) == "127.0.0.1:4317"
    assert host_port(("::1", 4317)) == "[::1]:4317"


def test_the_demo_needs_the_grpc_receiver(capsys):
    """`--demo` without the receiver that it sends to is wrong use."""
    code = main(["serve", "--demo", "--set", "receivers.otlp.grpc.enabled=false"])
    assert code == 2
    assert "receivers.otlp.grpc.enabled" in capsys.readouterr().err


def test_an_unknown_log_level_is_wrong_use():
    """Levels are a closed list."""
    with pytest.raises(SystemExit) as caught:
        main(["serve", "--log-level", "loud"])
    assert caught.value.code == 2
