"""Every guard of the list of threats has a test that fails when the guard is removed.

Each case takes one guard out of a copy of the source and runs the tests that stand for it:
they must fail, else nothing would tell when the guard is lost.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
WEB_ACCESS = "tests/integration/test_web_access.py"


class Guard(NamedTuple):
    """A guard, as the text of the source with it and without it, and its tests."""

    threat: str
    file: str
    guarded: str
    unguarded: str
    tests: tuple[str, ...]


GUARDS = (
    Guard(
        "1: an open port",
        "scorer/config/listeners.py",
        "if listener.endpoint.is_loopback or listener.insecure:",
        "if True:",
        (
            "tests/unit/config/test_listeners.py::test_an_endpoint_for_others_needs_tls_and_authentication",
        ),
    ),
    Guard(
        "2: a client without a certificate",
        "scorer/access/certificates.py",
        "verify_mode = ssl.CERT_REQUIRED",
        "verify_mode = ssl.CERT_OPTIONAL",
        ("tests/unit/access/test_certificates.py::test_a_bad_client_certificate_is_refused",),
    ),
    Guard(
        "2: a certificate of somebody else",
        "scorer/receivers/otlp_grpc.py",
        "self._entry.require_name(",
        "list(",
        ("tests/integration/test_otlp_access.py::test_grpc_lets_in_the_names_of_its_list",),
    ),
    Guard(
        "3: an unknown token over gRPC",
        "scorer/receivers/otlp_grpc.py",
        "tenant = self._entry.tenant_of(_authorizations(handler_call_details))",
        'tenant = ""',
        ("tests/integration/test_otlp_access.py::test_only_known_tokens_are_let_in[grpc]",),
    ),
    Guard(
        "3: an unknown token over HTTP",
        "scorer/receivers/otlp_http.py",
        'return self._entry.tenant_of(request.headers.getall("Authorization", []))',
        'return ""',
        ("tests/integration/test_otlp_access.py::test_only_known_tokens_are_let_in[http]",),
    ),
    Guard(
        "3: a token guessed by the time that a comparison takes",
        "scorer/access/tokens.py",
        "hmac.compare_digest(",
        "(lambda one, other: one == other)(",
        ("tests/unit/access/test_tokens.py::test_every_known_token_is_compared_in_constant_time",),
    ),
    Guard(
        "4: a gzip bomb over HTTP",
        "scorer/receivers/bounded_body.py",
        "        _check_size(len(self._body), self._limit)\n        if not member.eof:",
        "        if not member.eof:",
        ("tests/unit/receivers/test_bounded_body.py::test_gzip_body_stops_at_its_limit",),
    ),
    Guard(
        "4: a gzip bomb over gRPC",
        "scorer/receivers/otlp_grpc.py",
        '("grpc.max_receive_message_length", size_limit)',
        '("grpc.max_receive_message_length", -1)',
        ("tests/integration/test_otlp_bombs.py::test_grpc_inflates_to_its_limit_only",),
    ),
    Guard(
        "5: millions of tiny messages",
        "scorer/otlp/split.py",
        "if len(body) > _SMALL:",
        "if False:",
        (
            "tests/unit/otlp/test_split.py::test_a_large_request_of_tiny_messages_is_refused_before_it_is_parsed",
        ),
    ),
    Guard(
        "6: bodies that do not arrive",
        "scorer/receivers/body_gate.py",
        "reader.stop(partial(_too_slow, self._read_timeout_s))",
        "pass",
        ("tests/unit/receivers/test_body_gate.py::test_a_slow_body_is_given_up",),
    ),
    Guard(
        "6: bodies that are hoarded",
        "scorer/receivers/body_gate.py",
        "elif place and self._is_tight:",
        "elif False:",
        (
            "tests/unit/receivers/test_body_gate.py::test_short_of_memory_all_but_the_first_are_told_to_come_again",
        ),
    ),
    Guard(
        "6: connections that are held",
        "scorer/receivers/http_connections.py",
        "if len(self._transports) > self._max_connections:",
        "if False:",
        (
            "tests/integration/test_otlp_http_connections.py::test_a_new_connection_takes_the_place_of_an_idle_one",
        ),
    ),
    Guard(
        "6: gRPC connections that are held",
        "scorer/receivers/otlp_grpc.py",
        '("grpc.max_allowed_incoming_connections", config.max_connections)',
        '("grpc.max_allowed_incoming_connections", 10**6)',
        ("tests/integration/test_otlp_grpc.py::test_connections_are_bounded",),
    ),
    Guard(
        "7: a flood of trace ids",
        "scorer/receivers/admission.py",
        "if self._is_short or not budget.fits(size + self._reserve):",
        "if False:",
        ("tests/unit/receivers/test_admission.py::test_the_reserve_is_for_open_traces",),
    ),
    Guard(
        "7: a tenant that takes all of the memory",
        "scorer/receivers/admission.py",
        "if not budget.fits_share(size, tenant):",
        "if False:",
        ("tests/unit/receivers/test_admission.py::test_a_tenant_may_hold_its_share",),
    ),
    Guard(
        "7: tombstones without bound",
        "scorer/assembly/graves.py",
        "while len(self._closed_at) > self._capacity:",
        "while False:",
        ("tests/unit/assembly/test_assembler.py::TestMemory::test_tombstones_are_bounded",),
    ),
    Guard(
        "8: a trace that never ends",
        "scorer/assembly/open_trace.py",
        "self.due = min(now + wait, self.opened + self.timers.max_age)",
        "self.due = now + wait",
        ("tests/unit/assembly/test_assembler.py::TestTimers",),
    ),
    Guard(
        "9: the trace id of another tenant",
        "scorer/assembly/open_trace.py",
        'return trace_id if not tenant else tenant.encode() + b"\\0" + trace_id',
        "return trace_id",
        ("tests/unit/assembly/test_assembler.py::TestTenants",),
    ),
    Guard(
        "9: an end marker of somebody else",
        "scorer/receivers/ingest.py",
        "return has_end_marker(wire) and self._may_end(envelope)",
        "return has_end_marker(wire)",
        ("tests/unit/receivers/test_ingest.py::test_end_markers_count_only_from_allowed_services",),
    ),
    Guard(
        "10: ids that collide",
        "scorer/receivers/process_limits.py",
        "if not sys.flags.hash_randomization:",
        "if False:",
        (
            "tests/unit/receivers/test_process_limits.py::test_predictable_hashes_are_refused[0-True]",
        ),
    ),
    Guard(
        "11: label values without bound",
        "scorer/sinks/labels.py",
        "if len(self._known) >= self._limit:",
        "if False:",
        ("tests/property/test_labels.py::test_a_label_never_takes_more_than_its_limit_and_other",),
    ),
    Guard(
        "11: series without bound",
        "scorer/sinks/labels.py",
        "if count > self._left:",
        "if False:",
        (
            "tests/property/test_labels.py::test_children_never_cost_more_than_the_budget_and_one_other_each",
        ),
    ),
    Guard(
        "11: control characters in labels",
        "scorer/sinks/labels.py",
        "if text.isprintable():",
        "if True:",
        ("tests/property/test_labels.py::test_a_clean_value_is_short_printable_and_encodable",),
    ),
    Guard(
        "25: the web endpoint without a token",
        "scorer/web/entry.py",
        'entry.tenant_of(request.headers.getall("Authorization", []))',
        '""',
        (f"{WEB_ACCESS}::test_every_route_but_health_needs_a_token",),
    ),
    Guard(
        "25: one tenant that reads about all",
        "scorer/web/entry.py",
        "if request[_TENANT]:",
        "if False:",
        (f"{WEB_ACCESS}::test_metrics_are_not_for_a_tenant",),
    ),
)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.threat)
def test_a_guard_that_is_removed_is_missed(guard, tmp_path):
    """The tests of a guard fail without it."""
    for package in ("scorer", "metrics"):
        shutil.copytree(ROOT / package, tmp_path / package)
    source = tmp_path / guard.file
    text = source.read_text()
    assert text.count(guard.guarded) == 1, f"{guard.file} has changed; say here what guards it"
    source.write_text(text.replace(guard.guarded, guard.unguarded))
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-x",
        "--timeout=10",
        "-pno:cacheprovider",
    ]
    done = subprocess.run(
        [*command, *guard.tests],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
