"""Bearer tokens and the tenants that they stand for."""

from hmac import compare_digest

import pytest

import scorer.access.tokens
from scorer.access.tokens import (
    MAX_HEADER_CHARS,
    BearerTokens,
    OpenDoor,
    door,
    read_tokens,
)
from scorer.config import AuthConfig
from scorer.errors import ConfigError, UnauthenticatedError

ONE = "one-token-of-many-1"
TWO = "!two~token/with=signs+"


@pytest.fixture
def file(tmp_path):
    """Return a function that writes the file of tokens."""
    path = tmp_path / "tokens"

    def write(text):
        path.touch(mode=0o600)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    write(f"# senders\n\n{ONE}\n  {TWO}\t shop \r\n")
    write.path = str(path)
    return write


def test_a_token_lets_in_and_names_the_tenant(file):
    """A token without a tenant stands for none."""
    tokens = BearerTokens(file.path)
    assert tokens.tenant_of(f"Bearer {ONE}") == ""
    assert tokens.tenant_of(f"Bearer {TWO}") == "shop"


@pytest.mark.parametrize(
    "header",
    [
        f"bearer {ONE}",
        f"BEARER {ONE}",
        f"Bearer   {ONE}  ",
        f"Bearer {ONE}".encode(),
    ],
)
def test_the_scheme_may_be_written_in_any_case(header, file):
    """As text or bytes, with spaces around the token."""
    assert BearerTokens(file.path).tenant_of(header) == ""


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        b"",
        "Bearer",
        "Bearer ",
        ONE,
        f"Basic {ONE}",
        f"Bearer{ONE}",
        f"Bearer {ONE} {TWO}",
        f"Bearer {ONE}, Bearer {TWO}",
        f"Bearer {ONE}\n",
        f"Bearer {ONE}ü",
        "Bearer \udcff" + ONE,
        f"Bearer {ONE}".encode() + b"\xff",
        b"Bearer \x00" + ONE.encode(),
        "Bearer " + "a" * MAX_HEADER_CHARS,
        b"Bearer " + b"a" * 10**6,
        " " * MAX_HEADER_CHARS,
        "Bearer" + " " * (MAX_HEADER_CHARS - 7) + "\x00",
    ],
)
def test_a_header_that_is_none_is_refused_with_what_to_send(header, file):
    """Whatever it holds, it does no harm and is not repeated."""
    with pytest.raises(UnauthenticatedError) as caught:
        BearerTokens(file.path).tenant_of(header)
    assert str(caught.value) == "send the header `authorization: Bearer TOKEN`"


@pytest.mark.parametrize(
    "token", [ONE[:-1], ONE + "x", ONE.upper(), "x", TWO.replace("~", "-"), "a" * 4000]
)
def test_an_unknown_token_is_refused(token, file):
    """Near misses and any length alike; the text does not repeat it."""
    with pytest.raises(UnauthenticatedError) as caught:
        BearerTokens(file.path).tenant_of(f"Bearer {token}")
    assert str(caught.value) == "the token is not known"


@pytest.mark.parametrize("sent", [0, 1, 19, None])
def test_every_known_token_is_compared_in_constant_time(sent, file, monkeypatch):
    """Whichever matches first, all are compared, and digests of one length at that."""
    known = [f"token-number-{number:04}" for number in range(20)]
    tokens = BearerTokens(file("\n".join(known)))
    compared = []

    def compare(one, other):
        compared.append((len(one), len(other)))
        return compare_digest(one, other)

    monkeypatch.setattr(scorer.access.tokens.hmac, "compare_digest", compare)
    if sent is None:
        with pytest.raises(UnauthenticatedError):
            tokens.tenant_of("Bearer " + "x" * 1000)
    else:
        tokens.tenant_of(f"Bearer {known[sent]}")
    assert compared == [(32, 32)] * 20


def test_no_token_is_kept_as_text(file):
    """Neither the object nor what it is made of shows one."""
    tokens = BearerTokens(file.path)
    shown = repr(vars(tokens)) + repr(vars(tokens._known)) + repr(read_tokens(file.path))
    assert ONE not in shown
    assert TWO not in shown


def test_two_doors_have_different_digests_of_a_token(file):
    """Digests are of no use outside the object that made them."""
    first, second = BearerTokens(file.path), BearerTokens(file.path)
    assert first._known.newest != second._known.newest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no token"),
        ("# nothing\n\n", "holds no token"),
        ("\n\nshort-token\n", "line 3: a token has 16 to 4089 characters"),
        ("x" * 4090, "line 1: a token has 16 to 4089 characters"),
        (f"{ONE} a b\n", "line 1: it has more than two words"),
        (f"{ONE} # mine\n", "line 1: it has more than two words"),
        (f"{ONE} a/b\n", "line 1: a tenant has 1 to 64"),
        (f"{ONE} {'a' * 65}\n", "line 1: a tenant has 1 to 64"),
        (f"{ONE}\n{TWO} a\n{ONE} b\n", "line 3: the token stands there twice"),
        (f"{ONE}ü\n", "line 1: the token has characters that are not printable"),
        (b"\xff\xfe" + ONE.encode(), "line 1: the token has characters that are not printable"),
        (f"{ONE}\x01\n", "line 1: the token has characters that are not printable"),
    ],
)
def test_a_wrong_line_is_named_without_its_token(text, said, file):
    """File, line and what to do, and nothing that could be used."""
    path = file(text)
    with pytest.raises(ConfigError) as caught:
        BearerTokens(path, "web.auth.bearer_tokens_file")
    message = str(caught.value)
    assert message.startswith(f"web.auth.bearer_tokens_file: {path}")
    assert said in message
    assert "one-token" not in message
    assert "short-token" not in message


def test_a_missing_file_is_an_error(tmp_path):
    """At the start, not at the first request."""
    with pytest.raises(ConfigError, match=r"web\.auth\.bearer_tokens_file: cannot read .*nowhere"):
        door(AuthConfig(bearer_tokens_file=str(tmp_path / "nowhere")), "web.auth")


def test_a_file_that_others_can_read_is_a_warning(file, lines, tmp_path):
    """The tokens work all the same."""
    (tmp_path / "tokens").chmod(0o644)
    tokens = BearerTokens(file.path)
    assert tokens.tenant_of(f"Bearer {ONE}") == ""
    ((level, text),) = lines()
    assert level == "WARNING"
    assert "mode 644" in text


def test_a_removed_token_stops_and_a_new_one_works_after_a_reload(file):
    """Tokens are changed without a restart."""
    tokens = BearerTokens(file.path)
    file(f"{TWO} other\nnew-token-in-the-file\n")
    tokens.reload()
    assert tokens.tenant_of(f"Bearer {TWO}") == "other"
    assert tokens.tenant_of("Bearer new-token-in-the-file") == ""
    with pytest.raises(UnauthenticatedError):
        tokens.tenant_of(f"Bearer {ONE}")


def test_a_file_that_has_become_wrong_keeps_the_old_tokens(file, lines):
    """It is logged once, without any token."""
    tokens = BearerTokens(file.path)
    file(f"{TWO}\nshort-token\n")
    tokens.reload()
    tokens.reload()
    assert tokens.tenant_of(f"Bearer {ONE}") == ""
    ((level, text),) = lines()
    assert level == "ERROR"
    assert "line 2: a token has 16" in text
    assert "short-token" not in text


def test_without_a_file_the_door_is_open():
    """Nothing is asked of anybody, and nobody has a tenant."""
    opened = door(AuthConfig())
    assert isinstance(opened, OpenDoor)
    opened.reload()
    assert [opened.tenant_of(header) for header in (None, "x", b"\xff")] == ["", "", ""]


def test_tokens_are_read_in_order(file):
    """The first one is what a client of ours sends."""
    assert [(line.token, line.tenant) for line in read_tokens(file.path)] == [
        (ONE, ""),
        (TWO, "shop"),
    ]
