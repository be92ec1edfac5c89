"""Where Spanscore listens: what other machines may reach, and what belongs together."""

import os

import pytest

from scorer.config import check_files, load_config, parse_config
from scorer.errors import ConfigError

SECTIONS = ("receivers.otlp.grpc", "receivers.otlp.http", "web")
CERTIFICATE = {"cert_file": "c", "key_file": "k"}
TOKENS = {"bearer_tokens_file": "t"}


def configured(section, **settings):
    """Return the configuration with these settings in one section."""
    tree = settings
    for name in reversed(section.split(".")):
        tree = {name: tree}
    return parse_config(tree)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    ("settings", "lacking", "remedies"),
    [
        ({}, "without TLS and without authentication", ["cert_file", "bearer_tokens_file"]),
        ({"tls": CERTIFICATE}, "without authentication", ["bearer_tokens_file", "client_ca_file"]),
        ({"auth": TOKENS}, "without TLS;", ["cert_file"]),
    ],
)
@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "10.0.0.1", "scorer.example"])
def test_an_endpoint_for_others_needs_tls_and_authentication(
    host, settings, lacking, remedies, section
):
    """The error says what is missing, and with which keys to set it."""
    with pytest.raises(ConfigError) as caught:
        configured(section, endpoint=f"{host}:4444", **settings)
    text = str(caught.value)
    assert text.startswith(f"{section}.endpoint: {host}:4444 can be reached")
    assert lacking in text
    assert all(f"{section}." in text and remedy in text for remedy in remedies)
    assert ("tls.cert_file" in text) == ("without TLS" in lacking)
    assert f"{section}.insecure: true" in text


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    "settings",
    [
        {"tls": CERTIFICATE, "auth": TOKENS},
        {"tls": CERTIFICATE | {"client_ca_file": "a"}},
        {"insecure": True},
        {"endpoint": "127.0.0.1:4444"},
        {"endpoint": "[::1]:4444"},
        {"endpoint": "localhost:4444", "auth": TOKENS},
    ],
)
def test_what_is_protected_or_local_or_meant_is_fine(settings, section):
    """TLS with tokens or client certificates; this machine alone; `insecure`."""
    configured(section, **({"endpoint": "0.0.0.0:4444"} | settings))


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    ("tls", "said"),
    [
        ({"key_file": "k"}, r"key_file: it needs .*tls\.cert_file"),
        ({"cert_file": "c"}, r"cert_file: it needs .*tls\.key_file"),
        ({"client_ca_file": "a"}, r"client_ca_file: it needs .*tls\.cert_file"),
        (CERTIFICATE | {"client_names": ["n"]}, r"client_names: it needs .*tls\.client_ca_file"),
    ],
)
def test_a_section_of_tls_is_whole_or_refused(tls, said, section):
    """Half of it would look like protection and be none."""
    with pytest.raises(ConfigError, match=rf"^{section}\.tls\.{said}"):
        configured(section, tls=tls)


@pytest.mark.parametrize("key", ["cert_file", "key_file", "client_ca_file", "tokens"])
def test_files_that_are_not_there_are_told(key, tmp_path):
    """Asked by check-config, before the service is started on that machine."""
    files = {
        name: tmp_path / name for name in ("cert_file", "key_file", "client_ca_file", "tokens")
    }
    for path in files.values():
        path.touch()
    paths = {name: str(path) for name, path in files.items()}
    auth = {"bearer_tokens_file": paths.pop("tokens")}
    config = configured("web", tls=paths, auth=auth)
    check_files(config)
    files[key].unlink()
    name = {"tokens": "auth.bearer_tokens_file"}.get(key, f"tls.{key}")
    with pytest.raises(ConfigError, match=rf"^web\.{name}: there is no file .*{key}"):
        check_files(config)


def test_a_file_without_rights_is_told(tmp_path, monkeypatch):
    """As the user who runs the check."""
    path = tmp_path / "tokens"
    path.touch()
    config = configured("web", auth={"bearer_tokens_file": str(path)})
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    with pytest.raises(ConfigError, match=r"^web\.auth\.bearer_tokens_file: .*cannot be read"):
        check_files(config)


def test_files_of_a_listener_that_is_off_are_not_asked_for():
    """They are not needed on this machine."""
    section = "receivers.otlp.grpc"
    check_files(configured(section, enabled=False, auth=TOKENS, tls=CERTIFICATE))
    with pytest.raises(ConfigError):
        check_files(configured(section, auth=TOKENS))


def test_no_section_needs_nothing():
    """The defaults listen on this machine, without TLS and tokens."""
    check_files(load_config())
