"""TLS: real handshakes with certificates made for the test."""

import asyncio
import re
import ssl
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest
import uvloop
from certificates import DAY, client_context, replace_files

from scorer.access.certificates import ServerTls, server_tls
from scorer.access.names import names_in_auth_context, names_in_peercert
from scorer.config import TlsConfig
from scorer.errors import ConfigError, ForbiddenError

REFUSED = re.compile("hung up|reset|alert", re.IGNORECASE)


class HttpSide:
    """A TLS server of asyncio that answers with the names in the client's certificate."""

    def __init__(self, tls):
        self._tls = tls

    async def __aenter__(self):
        context = self._tls.ssl_context()
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()

    async def _answer(self, reader, writer):
        await reader.readline()
        names = dict(writer.get_extra_info("peercert") or {}).get("subjectAltName", ())
        writer.write(",".join(value for _, value in names).encode() + b"\n")
        await writer.drain()
        writer.close()

    async def ask(self, context, name="localhost"):
        """Return the answer; raises OSError when the handshake fails."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=context, server_hostname=name
        )
        try:
            writer.write(b"hello\n")
            answer = await reader.readline()
        finally:
            writer.close()
        if not answer:  # with TLS 1.3 a client is refused after its own handshake
            raise ConnectionError("hung up")
        return answer.decode().strip()


@asynccontextmanager
async def grpc_side(tls):
    """A gRPC server that answers with the names in the client's certificate; yields `ask`."""

    async def answer(_, context):
        return ",".join(names_in_auth_context(context.auth_context())).encode()

    server = grpc.aio.server()
    method = grpc.unary_unary_rpc_method_handler(answer)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("S", {"M": method})])
    port = server.add_secure_port("127.0.0.1:0", tls.grpc_credentials())
    await server.start()

    async def ask(authority, pair=None):
        own = (None, None) if pair is None else (pair.key, pair.cert)
        credentials = grpc.ssl_channel_credentials(authority.cert, *own)
        # Else a channel to the same address would share the connection of the one before.
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials, options) as channel:
            return (await channel.unary_unary("/S/M")(b"", timeout=10)).decode()

    ask.port = port
    yield ask
    await server.stop(0)


async def test_a_client_that_knows_the_authority_connects(tls, authority):
    """Without client certificates TLS is all there is."""
    async with HttpSide(tls()) as server, grpc_side(tls()) as ask:
        assert await server.ask(client_context(authority)) == ""
        assert await ask(authority) == ""


async def test_a_client_of_another_authority_does_not(tls, stranger):
    """The server's certificate proves who it is."""
    async with HttpSide(tls()) as server, grpc_side(tls()) as ask:
        with pytest.raises(ssl.SSLCertVerificationError):
            await server.ask(client_context(stranger))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(stranger)
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
async def test_tls_below_1_2_is_refused(tls, authority):
    """By HTTP and gRPC; the same client may speak 1.2."""
    context = client_context(authority)
    context.set_alpn_protocols(["h2"])
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("DEFAULT@SECLEVEL=0")  # or the client would refuse it before the server

    async def connect(port, version):
        context.maximum_version = version
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        writer.close()

    async with HttpSide(tls()) as server, grpc_side(tls()) as ask:
        for port in (server.port, ask.port):
            with pytest.raises((ConnectionError, ssl.SSLError)):
                await connect(port, ssl.TLSVersion.TLSv1_1)
            await connect(port, ssl.TLSVersion.TLSv1_2)


async def test_a_client_shows_its_certificate(tls, authority):
    """Its names are the same for HTTP and gRPC."""
    names = "agent.example", "spiffe://a/b", "10.1.2.3"
    pair = authority.issue(*names, file="client")
    required = tls(client_ca_file=authority.cert_file)
    async with HttpSide(required) as server, grpc_side(required) as ask:
        assert await server.ask(client_context(authority, pair)) == ",".join(names)
        assert await ask(authority, pair) == ",".join(names)


@pytest.mark.parametrize("fault", ["none", "stranger", "expired", "not_yet"])
async def test_a_bad_client_certificate_is_refused(fault, tls, authority, stranger):
    """No certificate, one of another authority, and one that is not valid today."""
    times = {
        "expired": {"start": -3 * DAY, "end": -DAY},
        "not_yet": {"start": DAY, "end": 3 * DAY},
    }
    issuer = stranger if fault == "stranger" else authority
    bad = issuer.issue("agent.example", file="client", **times.get(fault, {}))
    pair = None if fault == "none" else bad
    required = tls(client_ca_file=authority.cert_file)
    async with HttpSide(required) as server, grpc_side(required) as ask:
        with pytest.raises(OSError, match=REFUSED):
            await server.ask(client_context(authority, pair))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(authority, pair)
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


async def test_a_new_certificate_is_used_after_a_reload(tls, authority, pair):
    """New connections get it, of another key too; the server goes on listening."""
    changing = tls()
    only_new = client_context(authority)
    async with HttpSide(changing) as server, grpc_side(changing) as ask:
        with pytest.raises(ssl.SSLCertVerificationError):
            await server.ask(only_new, "new.example")
        replace_files(pair, authority.issue("new.example", "127.0.0.1", file="newer"))
        changing.reload()
        assert await server.ask(only_new, "new.example") == ""
        assert await ask(authority) == ""
        with pytest.raises(ssl.SSLCertVerificationError):
            await server.ask(only_new, "localhost")
    assert changing.own_names == ("new.example", "127.0.0.1")


async def test_grpc_serves_the_new_certificate_after_a_reload(tls, authority, stranger, pair):
    """What proves it: the authority of the new certificate is another one."""
    changing = tls()
    async with grpc_side(changing) as ask:
        await ask(authority)
        replace_files(pair, stranger.issue("127.0.0.1", file="newer"))
        changing.reload()
        await ask(stranger)
        with pytest.raises(grpc.aio.AioRpcError):
            await ask(authority)


async def check_removed_ca(tls, authority, stranger):
    """Let a client in, take its CA away, and see it refused; then let it in again."""
    both = Path(authority.cert_file).with_name("cas.pem")
    both.write_bytes(authority.cert + stranger.cert)
    changing = tls(client_ca_file=str(both))
    good = authority.issue("good.example")
    gone = stranger.issue("gone.example")
    async with HttpSide(changing) as server, grpc_side(changing) as ask:
        assert await server.ask(client_context(authority, gone)) == "gone.example"
        assert await ask(authority, gone) == "gone.example"
        both.write_bytes(authority.cert)
        changing.reload()
        with pytest.raises(OSError, match=REFUSED):
            await server.ask(client_context(authority, gone))
        with pytest.raises(grpc.aio.AioRpcError):
            await ask(authority, gone)
        assert await server.ask(client_context(authority, good)) == "good.example"
        assert await ask(authority, good) == "good.example"
        both.write_bytes(stranger.cert)
        changing.reload()
        assert await server.ask(client_context(authority, gone)) == "gone.example"
        assert await ask(authority, gone) == "gone.example"


async def test_a_removed_client_ca_is_refused_after_a_reload(tls, authority, stranger):
    """A context of `ssl` cannot forget a CA, so new connections get a new one."""
    await check_removed_ca(tls, authority, stranger)


def test_the_same_holds_on_the_loop_of_the_service(tls, authority, stranger):
    """`serve` runs uvloop, which has a TLS of its own."""
    uvloop.run(check_removed_ca(tls, authority, stranger))


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_of_before_is_not_resumed_after_a_reload(version, tls, authority):
    """Or a client whose CA was removed would come in without showing its certificate again."""
    required = tls(client_ca_file=authority.cert_file)
    context, ours = (
        required.ssl_context(),
        client_context(authority, authority.issue("agent.example")),
    )
    ours.minimum_version = ours.maximum_version = version
    first = shake_hands(context, ours, None)
    assert shake_hands(context, ours, first.session).session_reused
    Path(authority.cert_file).write_bytes(authority.cert + b"\n")
    required.reload()
    assert not shake_hands(context, ours, first.session).session_reused


def shake_hands(server_context, client_context, session):
    """Return the client's side of a finished handshake, session tickets received."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = server_context.wrap_bio(to_server, to_client, server_side=True)
    client = client_context.wrap_bio(
        to_client, to_server, server_hostname="localhost", session=session
    )
    for side in (client, server) * 4:
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    server.write(b"x")
    assert client.read(1) == b"x"
    return client


def test_wrong_files_keep_the_old_ones_in_force(tls, authority, pair, lines):
    """A key of another certificate is logged once; the pair that matches is then taken."""
    changing = tls()
    newer = authority.issue("new.example")
    Path(newer.cert_file).replace(pair.cert_file)
    changing.reload()
    changing.reload()
    assert changing.own_names == ("localhost", "127.0.0.1")
    ((level, text),) = lines()
    assert level == "ERROR"
    assert "is not the key of" in text
    Path(newer.key_file).replace(pair.key_file)
    changing.reload()
    assert changing.own_names == ("new.example",)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cert_file": "nowhere"}, r"web\.tls\.cert_file: cannot read 'nowhere'"),
        ({"key_file": "nowhere"}, r"web\.tls\.key_file: cannot read 'nowhere'"),
        ({"client_ca_file": "nowhere"}, r"web\.tls\.client_ca_file: cannot read 'nowhere'"),
        ({"cert_file": None}, r"web\.tls\.key_file: it needs web\.tls\.cert_file"),
        ({"key_file": None}, r"web\.tls\.cert_file: it needs web\.tls\.key_file"),
        (
            {"cert_file": None, "key_file": None, "client_ca_file": "x"},
            r"web\.tls\.client_ca_file: it needs web\.tls\.cert_file",
        ),
        ({"client_names": ("a",)}, r"web\.tls\.client_names: it needs web\.tls\.client_ca_file"),
        ({"cert_file": None, "key_file": None}, r"web\.tls\.cert_file: it is not set"),
    ],
)
def test_a_section_that_lacks_a_part_names_its_key(options, said, tls):
    """Which key, which file, and what to do."""
    with pytest.raises(ConfigError, match=said):
        tls(**options)


def test_a_key_of_another_certificate_is_told(tls, authority):
    """The two files that do not belong together are named."""
    other = authority.issue("other.example")
    with pytest.raises(ConfigError, match=r"key_file: .*other\.example\.key is not the key of"):
        tls(key_file=other.key_file)


@pytest.mark.parametrize(
    ("option", "content", "said"),
    [
        ("cert_file", b"nothing", "cert_file: .* holds no certificate in PEM"),
        ("key_file", b"nothing", "key_file: .* holds no private key in PEM"),
        ("client_ca_file", b"nothing", "client_ca_file: .* holds no certificates in PEM"),
        ("client_ca_file", b"", "client_ca_file: .* holds no certificates in PEM"),
        ("cert_file", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "be used"),
        ("key_file", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "be used"),
    ],
)
def test_a_file_of_another_kind_is_told(option, content, said, tls, tmp_path):
    """One line, which quotes nothing of the file."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=said) as caught:
        tls(**{option: str(path)})
    assert "AAAA" not in str(caught.value)


def test_an_encrypted_key_is_an_error_and_asks_nobody(tls, authority):
    """OpenSSL would ask for the passphrase on the terminal, and the service would hang."""
    locked = authority.issue("a.example", password=b"secret")
    with pytest.raises(ConfigError, match=r"key_file: .* is encrypted; name a key without"):
        tls(cert_file=locked.cert_file, key_file=locked.key_file)


def test_an_expired_certificate_is_a_warning(tls, authority, lines):
    """It is served: some clients do not look, and nothing is better without it."""
    old = authority.issue("old.example", start=-3 * DAY, end=-DAY)
    tls(cert_file=old.cert_file, key_file=old.key_file)
    ((level, text),) = lines()
    assert level == "WARNING"
    assert "web.tls.cert_file" in text
    assert "certificate has expired" in text


def test_a_key_that_others_can_read_is_a_warning(tls, pair, lines):
    """As for tokens."""
    Path(pair.key_file).chmod(0o644)
    tls()
    ((level, text),) = lines()
    assert level == "WARNING"
    assert "web.tls.key_file" in text
    assert "mode 644" in text


@pytest.mark.parametrize(
    ("names", "enters"),
    [
        (["a.example"], True),
        (["b.example", "spiffe://x/agent"], True),
        (["0:0:0:0:0:0:0:1"], True),
        (["::1"], True),
        (["A.example"], False),
        (["x.a.example", "a.example.evil", "*.example", ""], False),
        (["spiffe://x/agent/more"], False),
        ([], False),
    ],
)
def test_only_names_of_the_list_may_enter(names, enters, tls, authority):
    """One of them is enough; they are compared as a whole."""
    listed = ("a.example", "spiffe://x/agent", "0::1")
    server = tls(client_ca_file=authority.cert_file, client_names=listed)
    if enters:
        server.require_name(names)
    else:
        with pytest.raises(ForbiddenError, match=r"web\.tls\.client_names"):
            server.require_name(names)


def test_without_a_list_every_name_may_enter(tls, authority):
    """The CA alone decides."""
    server = tls(client_ca_file=authority.cert_file)
    assert server.names == frozenset()
    server.require_name([])
    server.require_name(["anybody"])


async def test_the_names_of_a_handshake_are_compared(tls, authority):
    """What HTTP and gRPC say of the same certificate is read alike."""
    listed = ("::1",)
    server_tls_ = tls(client_ca_file=authority.cert_file, client_names=listed)
    pair = authority.issue("::1", file="client")
    async with HttpSide(server_tls_) as server, grpc_side(server_tls_) as ask:
        seen = [await server.ask(client_context(authority, pair)), await ask(authority, pair)]
    assert seen == ["0:0:0:0:0:0:0:1", "::1"]
    for name in seen:
        server_tls_.require_name(names_in_peercert({"subjectAltName": (("IP Address", name),)}))


def test_no_section_is_no_tls(pair):
    """The default is a plain connection."""
    assert server_tls(TlsConfig(), "web.tls") is None
    config = TlsConfig(cert_file=pair.cert_file, key_file=pair.key_file)
    assert isinstance(server_tls(config, "web.tls"), ServerTls)
    with pytest.raises(ConfigError):
        server_tls(TlsConfig(client_names=("a",)), "web.tls")
