"""How a server's certificate looks to clients."""

import ssl

import pytest
from certificates import DAY

from scorer.access.introduction import introduce


def context_of(pair):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.cert_file, pair.key_file)
    return context


@pytest.mark.parametrize("asks_clients", [False, True])
def test_a_good_certificate_tells_its_names(asks_clients, authority):
    """Also when clients must show one: ours has none, and needs none for this."""
    pair = authority.issue("a.example", "10.0.0.1", "spiffe://x/y")
    context = context_of(pair)
    if asks_clients:
        context.load_verify_locations(authority.cert_file)
        context.verify_mode = ssl.CERT_REQUIRED
    assert introduce(context, pair.cert) == (None, ("a.example", "10.0.0.1", "spiffe://x/y"))


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ({"start": -2 * DAY, "end": -DAY}, "certificate has expired"),
        ({"start": DAY, "end": 3 * DAY}, "certificate is not yet valid"),
    ],
)
def test_a_certificate_that_is_not_valid_today_is_told(times, said, authority):
    """In the words that clients will use."""
    pair = authority.issue("a.example", **times)
    assert introduce(context_of(pair), pair.cert) == (said, ())


def test_the_chain_may_follow_the_certificate(authority):
    """Only the first one is judged."""
    pair = authority.issue("a.example")
    assert introduce(context_of(pair), pair.cert + authority.cert) == (None, ("a.example",))


def test_a_handshake_that_fails_is_told(authority):
    """A context that can do no handshake is no reason to crash."""
    pair = authority.issue("a.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    fault, names = introduce(context, pair.cert)
    assert fault
    assert names == ()
