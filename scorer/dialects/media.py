"""References to images, sound, film and documents; inline content is never kept.

Inline content becomes `data:<mime type>;sha256=<hex>` over its base64 text, so that the same
picture has the same reference in every dialect.
"""

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from scorer.dialects.values import mapping, text
from scorer.model.agent_trace import Media, MediaKind

_KINDS: dict[str, MediaKind] = {
    "image": "image",
    "audio": "audio",
    "video": "video",
    "document": "document",
    "file": "document",
    "application": "document",
    "text": "document",
}
_TYPES: dict[str, MediaKind] = {
    "image": "image",
    "image_url": "image",
    "image-url": "image",
    "input_image": "image",
    "audio": "audio",
    "audio-url": "audio",
    "input_audio": "audio",
    "video": "video",
    "video-url": "video",
    "document": "document",
    "document-url": "document",
    "input_file": "document",
    "file": "document",
    "blob": "document",
    "uri": "document",
    "binary": "document",
    "inline_data": "document",
}
# A part of these keys needs no type.
_UNTYPED = ("inline_data", "inlineData", "file_data", "fileData", "media")
_HOLDERS = ("image_url", "input_audio", "source", "image", "file", "audio", *_UNTYPED)
_LANGFUSE = "@@@langfuseMedia:"
_LIMIT = 2_048  # characters of a URL


def media_of(part: Mapping[str, Any]) -> Media | None:
    """Return the reference that a message part of a media type holds."""
    kind = _TYPES.get(str(part.get("type") or part.get("kind")))
    if kind is None and "type" not in part and any(key in part for key in _UNTYPED):
        kind = "document"  # Gemini and Genkit name a part by its key; the MIME type says more
    if kind is None:
        return None
    holder = _holder(part)
    mime = text(
        holder.get("mime_type")
        or holder.get("media_type")
        or holder.get("mimeType")
        or holder.get("contentType")
        or part.get("mime_type")
        or part.get("mediaType")
    ) or _format_mime(kind, holder)
    kind = _kind(part, mime, kind)
    for key in ("url", "uri", "fileUri", "file_uri", "image_url", "audio_url"):
        if (url := text(holder.get(key))) is not None:
            return url_reference(url, kind, mime)
    if (file_id := text(holder.get("file_id"))) is not None:
        return Media(kind, f"file:{file_id}", mime)
    for key in ("content", "data", "b64_json", "binary_content"):
        if (content := text(_encoded(holder.get(key)))) is not None:
            return inline_reference(content, kind, mime)
    return None


def _encoded(value: Any) -> Any:
    """Return base64 text for a list of bytes (a Buffer of Node.js); others as they are."""
    if not isinstance(value, list):
        return value
    try:
        return base64.b64encode(bytes(value)).decode()
    except (TypeError, ValueError):
        return None


def url_reference(url: str, kind: MediaKind, mime: str | None = None) -> Media | None:
    """Return a reference to a URL; a data URI is replaced by its digest."""
    if not text(url):
        return None
    if url.startswith("data:"):
        head, _, content = url[5:].partition(",")
        return inline_reference(content, kind, head.partition(";")[0] or mime)
    if url.startswith(_LANGFUSE):  # the content was uploaded; the token says what it is
        named = url.removeprefix(_LANGFUSE).partition("|")[0]
        mime = text(named.removeprefix("type=")) or mime
    return Media(kind, url[:_LIMIT], mime)


def inline_reference(content: str, kind: MediaKind, mime: str | None) -> Media | None:
    """Return a reference by digest to base64 content."""
    if not text(content):
        return None
    digest = hashlib.sha256(content.encode(errors="replace")).hexdigest()
    reference = f"data:{mime or 'application/octet-stream'};sha256={digest}"
    return Media(kind, reference, mime, size=_size(content))


def _size(content: str) -> int:
    """Return the bytes that base64 text stands for."""
    return len(content.rstrip("=")) * 3 // 4


def _holder(part: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in _HOLDERS:
        if isinstance(part.get(key), dict):
            return mapping(part[key])
    return part


def _kind(part: Mapping[str, Any], mime: str | None, otherwise: MediaKind) -> MediaKind:
    for hint in (part.get("modality"), (mime or "").partition("/")[0]):
        if isinstance(hint, str) and hint in _KINDS:
            return _KINDS[hint]
    return otherwise


def _format_mime(kind: MediaKind, holder: Mapping[str, Any]) -> str | None:
    sound = text(holder.get("format"))
    return f"{kind}/{sound}" if sound else None
