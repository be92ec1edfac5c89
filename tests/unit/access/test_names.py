"""The names in certificates."""

import pytest

from scorer.access.names import canonical, names_in_auth_context, names_in_peercert, shown


def test_names_of_every_kind_are_read_from_a_peercert():
    """Names of hosts, URIs, e-mail and addresses; not the common name, nor other kinds."""
    certificate = {
        "subject": ((("commonName", "boss"),),),
        "subjectAltName": (
            ("DNS", "a.example"),
            ("URI", "spiffe://b"),
            ("email", "c@d.example"),
            ("IP Address", "0:0:0:0:0:0:0:1"),
            ("DirName", ((("commonName", "e"),),)),
            ("othername", "<unsupported>"),
        ),
    }
    assert names_in_peercert(certificate) == (
        "a.example",
        "spiffe://b",
        "c@d.example",
        "0:0:0:0:0:0:0:1",
    )


@pytest.mark.parametrize("certificate", [None, {}, {"subject": ()}])
def test_without_a_certificate_there_is_no_name(certificate):
    """Plain connections, and certificates without names."""
    assert names_in_peercert(certificate) == ()
    assert names_in_auth_context(certificate or {}) == ()


def test_names_of_a_grpc_call_are_text():
    """The common name is not among them."""
    context = {
        "x509_common_name": [b"boss"],
        "x509_subject_alternative_name": [b"a.example", b"\xff"],
    }
    assert names_in_auth_context(context) == ("a.example", "\ufffd")


def test_addresses_have_one_form():
    """OpenSSL and gRPC write them in different ways."""
    assert canonical("0:0:0:0:0:0:0:1") == canonical("::1") == "::1"
    assert canonical("FE80::A") == "fe80::a"
    assert canonical("A.example") == "A.example"


def test_shown_names_are_bounded_and_printable():
    """What a stranger's certificate says goes into an answer and a log."""
    assert shown([]) == "no name (SAN)"
    assert shown(["a", "b"]) == "a, b"
    assert shown(["a\n\x1b"] * 4) == r"a\n\x1b, a\n\x1b, a\n\x1b, .."
    assert len(shown(["x" * 1000] * 1000)) < 300
