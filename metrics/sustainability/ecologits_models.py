"""The energy of a model call as EcoLogits estimates it, from the model and what it wrote.

EcoLogits (the extra `ecologits`) has published figures of some 350 models, with the size that they
are supposed to have. It reads nothing from the net. Of its range the mean is taken.
"""

import logging
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final

from scorer.api import LlmCall

_MAX_NAME: Final = 200
# Names of the semantic conventions and of instrumentations, by what EcoLogits calls the provider.
_PROVIDERS: Final = {
    "anthropic": "anthropic",
    "azure.ai.openai": "openai",
    "az.ai.openai": "openai",
    "azure": "openai",
    "openai": "openai",
    "cohere": "cohere",
    "gcp.gemini": "google_genai",
    "gcp.gen_ai": "google_genai",
    "gcp.vertex_ai": "google_genai",
    "gemini": "google_genai",
    "google": "google_genai",
    "vertex_ai": "google_genai",
    "mistral": "mistralai",
    "mistral_ai": "mistralai",
    "mistralai": "mistralai",
    "huggingface": "huggingface_hub",
}


class EcoLogitsModels:
    """Estimates the energy of calls; takes a third of a millisecond for each.

    Raises:
        ValueError: EcoLogits is not installed.
    """

    def __init__(self) -> None:
        self._impacts, self._is_known = _load()
        self.source = f"ecologits {version('ecologits')}"

    def kwh(self, call: LlmCall) -> float | None:
        """Return the energy of a call; None where its model or its output tokens are unknown."""
        provider = _PROVIDERS.get((call.provider or "").casefold())
        model, tokens = (call.model or "")[:_MAX_NAME], call.usage.output
        if provider is None or tokens is None or not self._is_known(provider, model):
            return None
        seconds = max(0, call.end_ns - call.start_ns) / 1e9
        energy = self._impacts(provider, model, tokens, seconds).energy
        if energy is None:
            return None
        value = energy.value
        return float(getattr(value, "mean", value))


def _load() -> tuple[Callable[..., Any], Callable[[str, str], bool]]:
    loggers = logging.getLoggerClass()
    try:
        from ecologits.model_repository import models  # noqa: PLC0415 - an extra
        from ecologits.tracers.utils import llm_impacts  # noqa: PLC0415
    except ImportError as error:
        raise ValueError("ecologits: install it, pip install 'spanscore[ecologits]'") from error
    finally:
        logging.setLoggerClass(loggers)  # it makes all loggers of the process its own
    # It warns that most models are not published, which is known.
    logging.getLogger("ecologits").setLevel(logging.ERROR)
    return llm_impacts, lambda provider, model: models.find_model(provider, model) is not None
