"""`explain` against a small HTTP server that answers what it is told to."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scorer.cli.main import main

ID = "0123456789abcdef" * 2


@contextmanager
def answering(status, body):
    """Serve one answer for every request; yields the URL and the paths that were asked."""
    paths = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()
        thread.join()


def test_the_story_of_a_known_trace_is_printed(capsys):
    """The id is sent in lower case."""
    body = json.dumps({"trace_id": ID, "state": "scored", "scores": []}).encode()
    with answering(200, body) as (url, paths):
        assert main(["explain", ID.upper(), "--url", url + "/"]) == 0
    assert paths == [f"/api/v1/traces/{ID}"]
    assert "was scored" in capsys.readouterr().out


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
