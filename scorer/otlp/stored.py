"""Reads stored telemetry: files that other tools wrote, as a stream of OTLP requests.

Theory of operation. The content decides, not the name. Compression is peeled off first
(`inflate`); then the first bytes say whether this is text or one of the binary forms
(`framing`); a record is then JSON or protobuf, possibly compressed by itself (`documents`).

Text is JSON lines, unless the first line does not parse by itself and does not look like a
broken line among others: then it is one JSON text that may be pretty-printed.

Nothing is lost silently and nothing bad stops the reading: a line or record that cannot be
used is a `StoredProblem`. Only a file in which nothing at all can be used is an error.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO, Final, NamedTuple

from scorer.errors import PermanentError
from scorer.otlp.documents import (
    StoredRequest,
    request_in_bytes,
    requests_in_json,
)
from scorer.otlp.framing import MAX_RECORD, Frame, binary_framing, lines
from scorer.otlp.inflate import ZSTD_MAGIC, Source, inflate_zstd, open_source
from scorer.otlp.json_values import iter_json, parse_json

__all__ = ["ACCEPTED_FORMS", "StoredProblem", "StoredRequest", "read_requests"]

ACCEPTED_FORMS: Final = (
    "OTLP/JSON (one request a line, one document, or an array), the collector file exporter's "
    "JSON and protobuf forms, protobuf requests (bare or length-delimited), Tempo JSON, "
    "Jaeger JSON; each also as .gz or .zst"
)

_JSON_STARTS = (b"{", b"[")
_BOM = b"\xef\xbb\xbf"
_SNIFFED = 64 * 1024


class StoredProblem(NamedTuple):
    """A line or record (`line`, from 1; 0 = the file as a whole) that could not be used."""

    name: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return `NAME: line N: MESSAGE`."""
        return ": ".join([self.name, *([f"line {self.line}"] if self.line else []), self.message])


Item = StoredRequest | StoredProblem
_Reader = Callable[[bytes], Iterator[StoredRequest | PermanentError]]


def read_requests(stream: BinaryIO, name: str) -> Iterator[Item]:
    """Yield the requests in a stored stream, in its order; `name` is for messages.

    Memory is bounded by a few times MAX_RECORD, whatever the stream inflates to. An empty
    stream yields nothing.

    Raises:
        PermanentError: Nothing in the stream can be used.
    """
    source = open_source(stream)
    found = False
    first_problem: StoredProblem | None = None
    for item in _items(source, name):
        if isinstance(item, StoredRequest):
            found = True
        elif first_problem is None:
            first_problem = item
        yield item
    if first_problem is not None and not found:
        raise PermanentError(
            f"{name}: nothing in it can be read (line or record {first_problem.line}: "
            f"{first_problem.message}); accepted are {ACCEPTED_FORMS}"
        )


def _items(source: Source, name: str) -> Iterator[Item]:
    head = source.peek(_SNIFFED)[:_SNIFFED]
    text = head.removeprefix(_BOM).lstrip(b" \t\r\n")
    framing = None if text.startswith(_JSON_STARTS) else binary_framing(head)
    if framing is not None:
        yield from _each(framing(source), _in_record, name)
    elif not text or _has_json_line(text):
        yield from _text(source, name)
    else:
        yield StoredProblem(name, 0, f"it starts with {head[:8].hex(' ')}, which no form does")
    if source.problem:
        yield StoredProblem(name, 0, f"it breaks off: {source.problem}")


def _has_json_line(text: bytes) -> bool:
    return any(line.lstrip().startswith(_JSON_STARTS) for line in text.splitlines())


def _text(source: Source, name: str) -> Iterator[Item]:
    frames = lines(source)
    first = next((frame for frame in frames if frame.data.strip() or frame.problem), None)
    if first is None:
        return
    if not first.problem and _is_part(first.data, source.peek(1)):
        yield from _each(_one_text(first, source), _in_text, name)
    else:
        yield from _each(chain([first], frames), _in_line, name)


def _is_part(line: bytes, rest: bytes) -> bool:
    """Whether a first line goes on in the `rest`, as in a pretty-printed text.

    In JSON lines the next line starts an object of its own, even where this one is broken.
    """
    text = line.removeprefix(_BOM).strip()
    if not rest or not text.startswith(_JSON_STARTS):
        return False
    if rest.startswith(b"{") and not text.endswith((b",", b":", b"[")):
        return False
    try:
        parse_json(line)
    except PermanentError:
        return True
    return False


def _one_text(first: Frame, source: Source) -> Iterator[Frame]:
    data = first.data + source.read(MAX_RECORD - len(first.data))
    too_long = f"one JSON text of more than {MAX_RECORD} bytes; use one request a line"
    yield Frame(first.number, data, too_long if source.peek(1) else "")


def _in_text(data: bytes) -> Iterator[StoredRequest | PermanentError]:
    for document in iter_json(data):
        yield from requests_in_json(document)


def _in_line(data: bytes) -> Iterator[StoredRequest | PermanentError]:
    if not data.strip():
        return
    try:
        document = parse_json(data)
    except PermanentError as error:
        if data.endswith(b"\n"):
            raise
        raise PermanentError(f"the last line is cut off: {error}") from error
    yield from requests_in_json(document)


def _in_record(data: bytes) -> Iterator[StoredRequest | PermanentError]:
    if data.startswith(ZSTD_MAGIC):
        data = inflate_zstd(data, MAX_RECORD)
    if data.lstrip().startswith(_JSON_STARTS):
        yield from requests_in_json(parse_json(data))
    else:
        yield request_in_bytes(data)


def _each(frames: Iterable[Frame], read: _Reader, name: str) -> Iterator[Item]:
    for frame in frames:
        try:
            for result in _results(frame, read):
                if isinstance(result, PermanentError):
                    yield StoredProblem(name, frame.number, str(result))
                    continue
                yield result
                if result.warning:
                    yield StoredProblem(name, frame.number, result.warning)
        except PermanentError as error:
            yield StoredProblem(name, frame.number, str(error))


def _results(frame: Frame, read: _Reader) -> Iterator[StoredRequest | PermanentError]:
    if frame.problem:
        raise PermanentError(frame.problem)
    yield from read(frame.data)
