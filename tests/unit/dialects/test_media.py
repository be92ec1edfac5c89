import base64
import hashlib

from scorer.dialects.media import media_of, url_reference
from scorer.model.agent_trace import Media

CONTENT = "iVBORw0KGgo="
DIGEST = hashlib.sha256(CONTENT.encode()).hexdigest()
REFERENCE = Media("image", f"data:image/png;sha256={DIGEST}", "image/png", size=8)


def test_inline_content_is_replaced_by_its_digest():
    """No view holds the content of a picture."""
    part = {"type": "blob", "modality": "image", "mime_type": "image/png", "content": CONTENT}
    assert media_of(part) == REFERENCE


def test_a_data_uri_has_the_same_reference_as_a_blob():
    """The same picture is one picture in every dialect."""
    url = f"data:image/png;base64,{CONTENT}"
    assert media_of({"type": "image_url", "image_url": {"url": url}}) == REFERENCE
    assert url_reference(url, "image") == REFERENCE


def test_sound_in_the_openai_form_has_its_format():
    """`input_audio` holds data and a format."""
    part = {"type": "input_audio", "input_audio": {"data": CONTENT, "format": "wav"}}
    assert media_of(part) == Media("audio", f"data:audio/wav;sha256={DIGEST}", "audio/wav", size=8)


def test_urls_and_file_ids_stay_references():
    """What is already a reference is kept."""
    uri = {"type": "uri", "modality": "video", "uri": "https://h/v.mp4"}
    assert media_of(uri) == Media("video", "https://h/v.mp4", None)
    file = {"type": "file", "modality": "image", "file_id": "f1"}
    assert media_of(file) == Media("image", "file:f1", None)


def test_redacted_or_other_parts_are_no_media():
    """A sentinel refers to nothing."""
    assert url_reference("__REDACTED__", "image") is None
    assert media_of({"type": "text", "content": "x"}) is None


def test_a_part_may_be_named_by_its_key():
    """Gemini and Genkit write no type."""
    for part in (
        {"inlineData": {"mimeType": "image/png", "data": CONTENT}},
        {"inline_data": {"mime_type": "image/png", "data": CONTENT}},
        {"media": {"contentType": "image/png", "url": f"data:image/png;base64,{CONTENT}"}},
    ):
        assert media_of(part) == REFERENCE
    file = {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/v"}}
    assert media_of(file) == Media("video", "gs://b/v", "video/mp4")
    assert media_of({"media": 5}) is None


def test_the_size_is_that_of_the_content():
    """Not of its base64 text."""
    for content in (b"", b"a", b"ab", b"abc", b"abcd" * 100):
        text = base64.b64encode(content).decode()
        found = url_reference(f"data:image/png;base64,{text}", "image")
        assert found is None if not content else found.size == len(content)
