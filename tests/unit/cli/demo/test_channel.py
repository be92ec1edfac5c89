"""How the demo gets into its own service."""

import pytest
from certificates import DAY, Authority

from scorer.cli.demo.channel import first_token, require_feedable
from scorer.cli.main import main
from scorer.config import AuthConfig, parse_config
from scorer.errors import ConfigError

TOKEN = "the-first-token-of-the-file"


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


@pytest.fixture
def tokens(tmp_path):
    path = tmp_path / "tokens"
    path.touch(mode=0o600)
    path.write_text(f"{TOKEN} acme\nthe-second-token-of-the-file\n")
    return str(path)


def receiving(**section):
    return parse_config({"receivers": {"otlp": {"grpc": section}}})


def files(pair):
    return {"cert_file": pair.cert_file, "key_file": pair.key_file}


def test_the_first_token_is_the_demos(tokens):
    """Without a file it has none, and needs none."""
    assert first_token(AuthConfig(bearer_tokens_file=tokens)) == TOKEN
    assert first_token(AuthConfig()) is None


def test_a_receiver_that_lets_the_demo_in_is_fine(authority, tokens):
    """Plain, with tokens, with TLS."""
    require_feedable(receiving())
    require_feedable(
        receiving(auth={"bearer_tokens_file": tokens}, tls=files(authority.issue("scorer.example")))
    )


def test_client_certificates_are_told_at_the_start(authority):
    """The demo has none to show."""
    pair = authority.issue("scorer.example")
    with pytest.raises(ConfigError, match=r"client certificate .*tls\.client_ca_file out"):
        require_feedable(receiving(tls=files(pair) | {"client_ca_file": authority.cert_file}))


def test_wrong_files_are_told_before_anything_listens(authority, capsys):
    """One line, exit code 2."""
    pair = authority.issue("scorer.example")
    settings = f"receivers.otlp.grpc.tls={{cert_file: {pair.cert_file}, key_file: nowhere}}"
    assert main(["serve", "--demo", "--set", settings]) == 2
    assert "tls.key_file: cannot read" in capsys.readouterr().err


@pytest.mark.parametrize("fault", ["nameless", "expired"])
def test_a_certificate_that_cannot_be_trusted_is_told_at_the_start(fault, authority):
    """The samples would never arrive, and the log would not say why."""
    names = [] if fault == "nameless" else ["scorer.example"]
    times = {"start": -3 * DAY, "end": -DAY} if fault == "expired" else {}
    with pytest.raises(ConfigError, match="--demo cannot trust"):
        require_feedable(receiving(tls=files(authority.issue(*names, **times))))
