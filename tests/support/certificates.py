"""Certificates for tests: real ones, made in a moment, of an authority that nobody else trusts."""

import datetime as dt
import ssl
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = dt.timedelta(days=1)


class Pair(NamedTuple):
    """A certificate and its key, PEM, and where they were written."""

    cert: bytes
    key: bytes
    cert_file: str
    key_file: str


class Authority:
    """A CA that writes what it issues into a folder."""

    def __init__(self, folder, name="authority"):
        self._folder = Path(folder)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _common_name(name)
        certificate = _draft(self._name, self._name, self._key, -DAY, DAY)
        constraints = x509.BasicConstraints(ca=True, path_length=None)
        certificate = certificate.add_extension(constraints, critical=True)
        self.cert = _pem(certificate.sign(self._key, hashes.SHA256()))
        self.cert_file = str(self._folder / f"{name}.pem")
        Path(self.cert_file).write_bytes(self.cert)

    def issue(self, *names, file=None, start=-DAY, end=DAY, password=None):
        """Issue a certificate for names (DNS, URI, e-mail or IP); times are from now on."""
        file = file or (names[0] if names else "nameless").replace("/", "_")
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _draft(_common_name("test"), self._name, key, start, end)
        if names:
            alternatives = x509.SubjectAlternativeName([_general_name(name) for name in names])
            certificate = certificate.add_extension(alternatives, critical=False)
        pair = Pair(
            _pem(certificate.sign(self._key, hashes.SHA256())),
            _private_pem(key, password),
            str(self._folder / f"{file}.crt"),
            str(self._folder / f"{file}.key"),
        )
        Path(pair.cert_file).write_bytes(pair.cert)
        Path(pair.key_file).touch(mode=0o600)
        Path(pair.key_file).write_bytes(pair.key)
        return pair


def replace_files(pair, newer):
    """Put the files of a newer certificate and key in the place of the old ones."""
    Path(newer.cert_file).replace(pair.cert_file)
    Path(newer.key_file).replace(pair.key_file)


def client_context(authority, pair=None):
    """Return the context of a client that trusts one authority, and shows a certificate."""
    context = ssl.create_default_context(cafile=authority.cert_file)
    if pair is not None:
        context.load_cert_chain(pair.cert_file, pair.key_file)
    return context


def _draft(subject, issuer, key, start, end):
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + min(start, end - DAY))
        .not_valid_after(now + end)
    )


def _common_name(text):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _general_name(name):
    if "://" in name:
        return x509.UniformResourceIdentifier(name)
    if "@" in name:
        return x509.RFC822Name(name)
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def _private_pem(key, password):
    scheme = (
        serialization.NoEncryption()
        if password is None
        else serialization.BestAvailableEncryption(password)
    )
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, scheme)
