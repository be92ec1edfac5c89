"""`explain` against a small HTTP server that answers what it is told to."""

import json
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from certificates import Authority

from scorer.cli.main import main

TOKEN = "a-token-of-this-test-only"
KNOWN = json.dumps({"trace_id": "0", "state": "scored", "scores": []}).encode()
ID = "0123456789abcdef" * 2


@contextmanager
def serving(handler, context=None):
    """Serve with a handler of `http.server`; yields host and port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def answering(status, body, *, context=None, **headers):
    """Serve one answer for every request; yields the URL and what was asked.

    That is the path, followed by the token if there was one.
    """
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(" ".join(filter(None, [self.path, self.headers["Authorization"]])))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with serving(Handler, context) as address:
        yield f"{'https' if context else 'http'}://{address}", asked


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """No token and no proxy from outside."""
    for name in ("SPANSCORE_TOKEN", "http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.touch(mode=0o600)
    path.write_text(f"# mine\n{TOKEN} acme\nanother-token-of-some-length\n")
    return str(path)


def test_the_story_of_a_known_trace_is_printed(capsys):
    """The id is sent in lower case."""
    body = json.dumps({"trace_id": ID, "state": "scored", "scores": []}).encode()
    with answering(200, body) as (url, paths):
        assert main(["explain", ID.upper(), "--url", url + "/"]) == 0
    assert paths == [f"/api/v1/traces/{ID}"]
    assert "was scored" in capsys.readouterr().out


def test_the_history_of_a_trace_is_printed(capsys):
    """What came late and joined, what that changed, and what came too late."""
    document = {
        "trace_id": ID,
        "state": "scored",
        "close_reason": "root",
        "revision": 2,
        "span_count": 4,
        "late_spans": 1,
        "history": [
            {"revision": 1, "close_reason": "idle", "span_count": 3, "state": "scored"},
        ],
        "changed": [
            {
                "revision": 2,
                "metric": "latency",
                "before": {"status": "scored", "value": 0.5, "label": None},
                "after": {"status": "scored", "value": 2.5, "label": None},
            }
        ],
    }
    with answering(200, json.dumps(document).encode()) as (url, _):
        assert main(["explain", ID, "--url", url]) == 0
    out = capsys.readouterr().out
    for part in (
        "first finished with 3 spans (idle)",
        "1 span came late and joined it: scored again as revision 2",
        "latency 0.5 -> 2.5",
        "1 span came late and did not join",
    ):
        assert part in out


def test_the_document_of_an_older_service_is_told(capsys):
    """It has no history, and its scores are told as ever."""
    document = {"trace_id": ID, "state": "scored", "close_reason": "root", "revision": 2}
    with answering(200, json.dumps(document).encode()) as (url, _):
        assert main(["explain", ID, "--url", url]) == 0
    out = capsys.readouterr().out
    assert "finished (root)" in out
    assert "late spans joined it: this is revision 2" in out


def test_an_unknown_trace_exits_1_with_the_hint_of_the_service(capsys):
    """The reader learns why a trace may be unknown."""
    body = json.dumps({"error": "trace is not known here", "hint": "no span of it arrived"})
    with answering(404, body.encode()) as (url, _):
        assert main(["explain", ID, "--url", url]) == 1
    assert "not known here: no span of it arrived" in capsys.readouterr().err


def test_something_else_at_the_url_exits_1(capsys):
    """Another program's answer is not taken for ours."""
    with answering(200, b"<html>") as (url, _):
        assert main(["explain", ID, "--url", url]) == 1
    assert "does not answer as spanscore does" in capsys.readouterr().err
    with answering(503, b"busy") as (url, _):
        assert main(["explain", ID, "--url", url]) == 1
    assert "answers 503" in capsys.readouterr().err


def test_nobody_at_the_url_exits_1(capsys):
    """The error says what to start."""
    with answering(200, b"{}") as (url, _):
        pass
    assert main(["explain", ID, "--url", url]) == 1
    err = capsys.readouterr().err
    assert "cannot ask" in err
    assert "spanscore serve" in err


def test_the_first_token_of_the_file_is_sent(token_file, environment, capsys):
    """It goes before that of the environment, and neither is printed."""
    environment.setenv("SPANSCORE_TOKEN", "the-token-of-the-environment")
    with answering(200, KNOWN) as (url, asked):
        assert main(["explain", ID, "--url", url, "--token-file", token_file]) == 0
        assert main(["explain", ID, "--url", url]) == 0
    path = f"/api/v1/traces/{ID}"
    assert asked == [f"{path} Bearer {TOKEN}", f"{path} Bearer the-token-of-the-environment"]
    printed = capsys.readouterr()
    assert "token" not in printed.out + printed.err


def test_the_tenant_is_asked_for(capsys):
    """Any name arrives whole."""
    with answering(200, KNOWN) as (url, asked):
        assert main(["explain", ID, "--url", url, "--tenant", "a&b=c d"]) == 0
        assert main(["explain", ID, "--url", url, "--tenant", ""]) == 0
    path = f"/api/v1/traces/{ID}"
    assert asked == [f"{path}?tenant=a%26b%3Dc+d", f"{path}?tenant="]


def test_the_token_does_not_follow_a_redirect(token_file):
    """Whoever answers at the given URL cannot hand it to another host."""
    with (
        answering(200, KNOWN) as (elsewhere, followed),
        answering(302, b"", Location=f"{elsewhere}/there") as (url, asked),
    ):
        assert main(["explain", ID, "--url", url, "--token-file", token_file]) == 0
    assert asked == [f"/api/v1/traces/{ID} Bearer {TOKEN}"]
    assert followed == ["/there"]


def test_the_token_is_not_sent_in_plain_text_through_a_proxy(token_file, environment):
    """Without a token a proxy is used as the environment says."""
    with answering(200, KNOWN) as (proxy, through), answering(200, KNOWN) as (url, direct):
        environment.setenv("http_proxy", proxy)
        assert main(["explain", ID, "--url", url, "--token-file", token_file]) == 0
        assert (len(direct), len(through)) == (1, 0)
        assert main(["explain", ID, "--url", url]) == 0
        assert (len(direct), len(through)) == (1, 1)


def test_a_refused_token_is_told_with_how_to_give_another(token_file, capsys):
    """What was sent is not shown."""
    body = json.dumps({"error": "the token is not known"}).encode()
    with answering(401, body) as (url, _):
        assert main(["explain", ID, "--url", url, "--token-file", token_file]) == 1
    err = capsys.readouterr().err
    assert "the token is not known (--token-file names a file" in err
    assert TOKEN not in err


@pytest.mark.parametrize("token", ["ümlaut-in-the-token", "a token with spaces", "a\ntoken\x01"])
def test_what_is_no_token_is_told_without_showing_it(token, environment, capsys):
    """The libraries below would quote it in their error."""
    environment.setenv("SPANSCORE_TOKEN", token)
    assert main(["explain", ID]) == 2
    err = capsys.readouterr().err
    assert err == "spanscore: error: SPANSCORE_TOKEN: a token is printable ASCII without spaces\n"


def test_a_token_file_that_cannot_be_read_is_wrong_use(tmp_path, capsys):
    """The option is named."""
    assert main(["explain", ID, "--token-file", str(tmp_path / "nowhere")]) == 2
    assert "--token-file: cannot read" in capsys.readouterr().err


def test_a_ca_file_makes_https_trusted(tmp_path, token_file, capsys):
    """Without it the system's CAs decide, and the error says so."""
    authority = Authority(tmp_path)
    pair = authority.issue("127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.cert_file, pair.key_file)
    with answering(200, KNOWN, context=context) as (url, asked):
        command = ["explain", ID, "--url", url, "--token-file", token_file]
        assert main([*command, "--ca-file", authority.cert_file]) == 0
        assert asked == [f"/api/v1/traces/{ID} Bearer {TOKEN}"]
        assert main(command) == 1
        assert "is not trusted" in (err := capsys.readouterr().err)
        assert "--ca-file" in err
        assert len(asked) == 1


def test_a_ca_file_that_cannot_be_used_is_wrong_use(tmp_path, capsys):
    """Not there, of another kind, or of no use for this URL."""
    other = tmp_path / "other"
    other.write_text("nothing")
    for url, path in (
        ("https://127.0.0.1:1", tmp_path / "nowhere"),
        ("https://127.0.0.1:1", other),
        ("http://127.0.0.1:1", other),
    ):
        assert main(["explain", ID, "--url", url, "--ca-file", str(path)]) == 2
        assert "--ca-file" in capsys.readouterr().err
