"""TLS of a connection that we open."""

from pathlib import Path

import pytest
from certificates import Authority, replace_files

from scorer.access.client_tls import ClientTls
from scorer.config import OtlpTargetTlsConfig
from scorer.errors import ConfigError


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def tls(**files):
    return ClientTls(OtlpTargetTlsConfig(**files), "sinks.otlp[0].tls")


def test_without_files_the_public_authorities_are_trusted():
    """And names are checked."""
    context = tls().files.context
    assert context.check_hostname


def test_a_named_authority_is_the_only_one(authority):
    """Those of the system are not meant then."""
    context = tls(ca_file=authority.cert_file).files.context
    assert len(context.get_ca_certs()) == 1
    assert context.check_hostname


def test_wrong_files_are_refused(authority, tmp_path):
    """At the start, with the key of the configuration."""
    nonsense = tmp_path / "nonsense"
    nonsense.write_text("x")
    pair, other = authority.issue("a"), authority.issue("b")
    locked = authority.issue("c", password=b"secret")
    for files, said in (
        ({"ca_file": str(nonsense)}, "tls.ca_file: .* holds no certificates"),
        ({"ca_file": str(tmp_path / "none")}, "tls.ca_file: cannot read"),
        ({"cert_file": str(nonsense), "key_file": pair.key_file}, "cannot be used together"),
        ({"cert_file": pair.cert_file, "key_file": other.key_file}, "cannot be used together"),
        ({"cert_file": locked.cert_file, "key_file": locked.key_file}, "is encrypted"),
    ):
        with pytest.raises(ConfigError, match=said):
            tls(**files)


def test_newer_files_are_taken_and_wrong_ones_are_not(authority):
    """What was read before stays in force then."""
    pair = authority.issue("a")
    made = tls(cert_file=pair.cert_file, key_file=pair.key_file)
    first = made.files
    made.reload()
    assert made.files is first
    replace_files(pair, authority.issue("b"))
    made.reload()
    second = made.files
    assert second is not first
    Path(pair.cert_file).write_text("x")
    made.reload()
    assert made.files is second
