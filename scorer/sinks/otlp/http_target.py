"""OTLP over HTTP with protobuf bodies, as a client."""

import asyncio
import datetime as dt
import gzip
import io
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp

from scorer.access.client_tls import ClientFiles, ClientTls
from scorer.config import OtlpTargetConfig, address_of
from scorer.errors import RetryableError, SpanscoreError
from scorer.otlp.signal import Signal
from scorer.sinks.otlp.answers import (
    http_error,
    read_response,
    status_text,
    unreachable,
    without_secrets,
)
from scorer.sinks.otlp.target import USER_AGENT, RefusedError, Sent

_PROTOBUF: Final = "application/x-protobuf"
_MAX_RESPONSE: Final = 4 * 2**20
_MAX_ERROR: Final = 64 * 2**10
# Above that it is done in a thread, for it would stop everything else; zlib lets others run.
_INLINE_GZIP: Final = 16 * 2**10
# Half the time of the usual 6, for a tenth more bytes.
_GZIP_LEVEL: Final = 1


class HttpTarget:
    """A target that is spoken to over HTTP; `key` is the path of its section.

    Raises:
        ConfigError: The endpoint or the files of TLS cannot be used.
    """

    def __init__(
        self,
        config: OtlpTargetConfig,
        key: str = "sinks.otlp",
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self._config = config
        self._now = now
        self._address = address_of(config, key)
        self._tls = ClientTls(config.tls, f"{key}.tls") if self._address.is_tls else None
        self._headers = {
            "user-agent": USER_AGENT,
            **{name.lower(): value.reveal() for name, value in config.headers.items()},
            "content-type": _PROTOBUF,
            # What is not compressed cannot burst.
            "accept-encoding": "identity",
        }
        if config.compression == "gzip":
            self._headers["content-encoding"] = "gzip"
        self._session: aiohttp.ClientSession | None = None
        self._opened_with: ClientFiles | None = None

    async def send(self, signal: Signal, body: bytes) -> Sent:
        """Send one request (see `Target`)."""
        await self._follow_files()
        session = self._session = self._session or self._open()
        data = await self._encoded(body)
        try:
            async with session.post(
                f"{self._address.base_url}/v1/{signal}",
                data=io.BytesIO(data),  # as bytes it would be written in one go
                headers=self._headers,
                allow_redirects=False,
                server_hostname=self._config.tls.server_name,
            ) as response:
                return await self._read(signal, response)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._clean(self._unreachable(error)) from None
        except SpanscoreError as error:
            raise self._clean(error) from None

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _read(self, signal: Signal, response: aiohttp.ClientResponse) -> Sent:
        if 200 <= response.status < 300:
            body = await _at_most(response, _MAX_RESPONSE)
            if response.content_type == "text/html":
                raise RefusedError(
                    f"HTTP {response.status} with a web page: no OTLP is served there",
                    reason="no_otlp",
                    is_about_data=False,
                )
            return read_response(signal, body) if response.content_type == _PROTOBUF else Sent()
        body = await _at_most(response, _MAX_ERROR)
        is_status = response.content_type == _PROTOBUF
        text = status_text(body) if is_status else body.decode("utf-8", "replace")
        retry_after = response.headers.get("Retry-After")
        raise http_error(response.status, text, retry_after, self._time_at(response))

    def _time_at(self, response: aiohttp.ClientResponse) -> dt.datetime:
        """Return the target's time, so that its clock may differ from ours."""
        try:
            date = parsedate_to_datetime(response.headers.get("Date", ""))
        except ValueError:
            return self._now()
        return date.replace(tzinfo=date.tzinfo or dt.UTC)

    def _unreachable(self, error: BaseException) -> RetryableError:
        if self._tls is not None:
            # A certificate may have come to its end; the next request takes newer files.
            self._tls.reload()
        return unreachable(error)

    def _clean(self, error: SpanscoreError) -> SpanscoreError:
        return without_secrets(error, [v.reveal() for v in self._config.headers.values()])

    async def _encoded(self, body: bytes) -> bytes:
        if self._config.compression == "none":
            return body
        if len(body) < _INLINE_GZIP:
            return gzip.compress(body, _GZIP_LEVEL, mtime=0)
        return await asyncio.to_thread(gzip.compress, body, _GZIP_LEVEL, mtime=0)

    async def _follow_files(self) -> None:
        """Close the connections when the files of TLS have changed."""
        if self._tls is not None and self._opened_with not in (None, self._tls.files):
            await self.close()

    def _open(self) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(total=float(self._config.timeout))
        limit = self._config.concurrency
        connector = aiohttp.TCPConnector(limit=limit)
        if self._tls is not None:
            self._opened_with = self._tls.files
            connector = aiohttp.TCPConnector(limit=limit, ssl=self._opened_with.context)
        return aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )


async def _at_most(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """Return the body, or as much of it as an honest target would send."""
    body = bytearray()
    async for part in response.content.iter_chunked(64 * 2**10):
        body += part
        if len(body) > limit:
            response.close()
            break
    return bytes(body[:limit])
