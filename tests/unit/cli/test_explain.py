import pytest

from scorer.cli.main import main

ID = "0123456789abcdef" * 2


@pytest.mark.parametrize("trace_id", ["", "xyz", ID[:-1], ID + "0"])
def test_what_is_no_trace_id_is_wrong_use(trace_id, capsys):
    """The service is not asked for something that cannot be a trace."""
    assert main(["explain", trace_id]) == 2
    assert "32 hexadecimal digits" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["localhost:9464", "file:///etc/passwd"])
def test_only_http_urls_are_asked(url, capsys):
    """A URL of another kind is wrong use."""
    assert main(["explain", ID, "--url", url]) == 2
    assert "--url" in capsys.readouterr().err
