"""A score as one line of JSON: exactly the fields of `Score`, in their order, null for absent."""

from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from scorer.model.score import Score

# Deterministic: a set in `detail` has another order in each process.
_ENCODER = msgspec.json.Encoder(order="deterministic")
UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError)


def encode_score(score: Score) -> bytes:
    """Return the JSON object of a score; equal scores give equal bytes.

    Text that is not valid Unicode has its lone surrogates replaced by `?`; a `detail` that is
    not JSON-ready is replaced by what is wrong with it, so that a careless metric cannot lose
    a score.
    """
    try:
        return _ENCODER.encode(score)
    except UNENCODABLE:
        return _ENCODER.encode(encodable(score))


def valid_text(text: str) -> str:
    """Return the text with its lone surrogates, which UTF-8 cannot hold, replaced by `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encodable(score: Score) -> Score:
    """Return a score without what cannot be encoded."""
    changes: dict[str, Any] = {
        name: valid_text(value) for name, value in asdict(score).items() if isinstance(value, str)
    }
    try:
        _ENCODER.encode(score.detail)
    except UNENCODABLE as error:
        changes["detail"] = {"error": f"detail is not JSON: {type(error).__name__}"}
    return replace(score, **changes)
