"""Asks the web endpoint of a running service."""

import os
import re
import ssl
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

import msgspec

from scorer.errors import ConfigError, PermanentError

TOKEN_VARIABLE = "SPANSCORE_TOKEN"  # noqa: S105 - the name of a variable

_TIMEOUT_S = 10.0
_TOKEN = re.compile(r"[!-~]+")


def find_token(token_file: str | None) -> str | None:
    """Return the first token of a file, else that of the environment, else None.

    Raises:
        ConfigError: The file cannot be read or holds no token, or the variable's is not one.
    """
    if token_file is not None:
        from scorer.access.tokens import read_tokens

        return read_tokens(token_file, "--token-file")[0].token
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    # Checked here, for the libraries below would quote it in their errors.
    if token and not _TOKEN.fullmatch(token):
        raise ConfigError(f"{TOKEN_VARIABLE}: a token is printable ASCII without spaces")
    return token or None


class WebClient:
    """Asks the service at `url` (http or https), and sends it a token if there is one.

    The token goes to that URL and nowhere else: not to where a redirect leads, and not in plain
    text through a proxy. `ca_file` names the CAs (PEM) that are trusted instead of the system's.
    """

    def __init__(self, url: str, *, token: str | None = None, ca_file: str | None = None) -> None:
        """Raises ConfigError for a file of CAs that cannot be used."""
        self._url = url.rstrip("/")
        self._token = token
        self._opener = self._build_opener(ca_file)

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """Return the JSON object at a path.

        Raises:
            PermanentError: The service cannot be reached, refuses, or answers something else.
        """
        question = f"?{urlencode(query)}" if query else ""
        request = Request(f"{self._url}{path}{question}")  # noqa: S310 - the caller checks the scheme
        if self._token is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as response:
                return self._document(response)
        except HTTPError as error:
            with error:
                raise PermanentError(self._refusal(error)) from error
        except (OSError, HTTPException) as error:
            raise PermanentError(f"cannot ask {self._url}: {_why(error)}") from error

    def _build_opener(self, ca_file: str | None) -> OpenerDirector:
        is_plain = self._url.startswith("http:")
        handlers: list[Any] = []
        if is_plain and self._token is not None:
            handlers.append(ProxyHandler({}))
        if ca_file is not None:
            if is_plain:
                raise ConfigError("--ca-file: the URL is not https, so no certificate is checked")
            handlers.append(HTTPSHandler(context=_trusting(ca_file)))
        return build_opener(*handlers)

    def _document(self, response: HTTPResponse) -> dict[str, Any]:
        try:
            document: dict[str, Any] = msgspec.json.decode(response.read(), type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise PermanentError(
                f"{self._url} does not answer as spanscore does: {error}"
            ) from error
        return document

    def _refusal(self, error: HTTPError) -> str:
        try:
            answer = msgspec.json.decode(error.read(), type=dict[str, Any])
        except (msgspec.DecodeError, OSError):
            answer = {}
        texts = [str(answer[key]) for key in ("error", "hint") if answer.get(key)]
        said = ": ".join(texts) or f"{self._url} answers {error.code} {error.reason}"
        if error.code == 401:
            return f"{said} (--token-file names a file with the token, or set {TOKEN_VARIABLE})"
        return said


def _trusting(ca_file: str) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        why = getattr(error, "reason", None) or error.strerror or error
        raise ConfigError(
            f"--ca-file {ca_file}: {why}; name a file of certificates (PEM)"
        ) from error
    # The server's own certificate will do too, as in curl.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _why(error: OSError | HTTPException) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {reason.verify_message} (--ca-file names the CA)"
    return f"{reason}; is `spanscore serve` running there? (--url names another)"
