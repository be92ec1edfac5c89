"""A handshake with ourselves: how a certificate looks to the clients that will see it."""

import ssl

from scorer.access.names import names_in_peercert

# Hello, the server's certificate, its verification: TLS 1.3 needs 3, or 5 after a retry.
_STEPS = 5


def introduce(context: ssl.SSLContext, chain: bytes) -> tuple[str | None, tuple[str, ...]]:
    """Return why clients would refuse a server's certificate (None = they would not), its names.

    `context` has loaded the certificate at the beginning of `chain` (PEM). The chain and the
    host name are not judged: who the clients trust, and how they call us, is not known here.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.minimum_version = ssl.TLSVersion.TLSv1_3
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        client.load_verify_locations(cadata=chain.decode("ascii", "ignore"))
        ours = context.wrap_bio(to_server, to_client, server_side=True)
        theirs = client.wrap_bio(to_client, to_server)
        for _ in range(0, _STEPS, 2):
            if _advance(theirs):
                return None, names_in_peercert(theirs.getpeercert())
            _advance(ours)
    except ssl.SSLCertVerificationError as error:
        return error.verify_message, ()
    except ssl.SSLError as error:
        return str(error), ()
    return "a handshake does not come to its end", ()


def _advance(side: ssl.SSLObject) -> bool:
    """Take the next step; return whether this side is done."""
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True
