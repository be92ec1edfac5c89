import pytest

from metrics.privacy.patterns import Finder

FINDER = Finder(["email"])


def found(text):
    return [(text[f.start : f.end], f.value) for f in FINDER.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a | b|ann@example.com|c", "ann@example.com"),
        ("https://example.org/u/ann@example.com", "ann@example.com"),
        ("メールはann@example.comです", "ann@example.com"),
        ("例え@例え.テスト", "例え@例え.テスト"),
        (r"Hi\nann@example.com\nBye", "ann@example.com"),
        (r"\u003cann@example.com\u003e", "ann@example.com"),
    ],
)
def test_a_mailbox_ends_where_what_stands_beside_it_begins(text, expected):
    """Cells, paths, scripts without spaces and escapes are no piece of it."""
    assert found(text) == [(expected, expected)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("?to=ann%40example.com&x=1", "ann%40example.com"),
        ("ann&#64;example.com", "ann&#64;example.com"),
        ("ann [at] example [dot] com", "ann [at] example [dot] com"),
        ("ann(at)example.com", "ann(at)example.com"),
        ("mail me: ann at example dot com", "ann at example dot com"),
        ("ann_lee at example dot com", "ann_lee at example dot com"),
    ],
)
def test_a_disguised_mailbox_is_the_same_mailbox(text, written):
    """Encoded, in brackets, or in words where mail is spoken of or it looks like a name."""
    assert [span for span, _ in found(text)] == [written]
    assert found(text)[0][1].partition("@")[2] == "example.com"


@pytest.mark.parametrize(
    "text",
    [
        "look at example dot com",
        "ann at example dot com",  # nobody speaks of mail
        "email us at example dot com",
        "https://ann@example.com/x.git",
        "ssh://git@example.com/x",
        "a%40b",
        "&#64;",
    ],
)
def test_logins_of_urls_and_sentences_are_no_mailboxes(text):
    """They have the form, and not the meaning."""
    assert found(text) == []
