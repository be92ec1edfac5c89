"""Arguments and results of tools, which arrive as objects, JSON text or Python reprs."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scorer.dialects import repair
from scorer.dialects.python_repr import NotARepr, fields_in, parse_repr
from scorer.dialects.values import JSON_START, mapping, parse_json

_WRAPPERS = ("result", "output", "response", "raw_output")
_ASIDE = frozenset({"blocks", "tool_name", "raw_input", "is_error", "tool_call_id", "type"})
_TOOL_MESSAGE = frozenset(
    {
        "content",
        "name",
        "id",
        "tool_call_id",
        "artifact",
        "status",
        "type",
        "additional_kwargs",
        "response_metadata",
    }
)
_OUTCOME = frozenset({"result", "error", "status", "success", "is_error"})
_STATUSES = {"error": True, "failure": True, "success": False}
_LEVELS = 4
# Without any of these keys a dict is no envelope, or says nothing of success.
_ENVELOPES = frozenset({"kwargs", "data", "content", "error", "value", *_WRAPPERS})
_MARKING = frozenset({"kwargs", "data", "isError", "is_error", "error", "status", "value"})
_FAILED_TYPES = ("error-text", "error-json")
_TELLING = _ENVELOPES | _MARKING
_ERROR_STARTS = (
    "error:",
    "error executing",
    "error running",
    "error invoking",
    "error calling",
    "an error occurred",
    "tool execution failed",
    "tool error",
    "failed to invoke",
    "failed to execute",
    "failed to call",
    "exception:",
    "traceback (most recent call last)",
)


class Arguments(Struct, frozen=True, gc=False):
    """Parsed arguments; `error` says why a text stayed a text."""

    value: Any
    error: str | None = None


def parse_arguments(raw: Any) -> Arguments:
    """Parse arguments given as JSON (up to two levels) or as the repr of a Python literal."""
    value = raw
    for _ in range(2):
        if not isinstance(value, str):
            return Arguments(value)
        if not value or value.isspace():
            return Arguments(None)
        try:
            value = parse_json(value)
        except ValueError:
            return _from_repr(value)
    return Arguments(value)


def _from_repr(value: str) -> Arguments:
    if value.lstrip().startswith(("{", "[", "(")):
        try:
            return Arguments(parse_repr(value))
        except NotARepr:
            pass
    return Arguments(value, "neither JSON nor a Python literal")


class Result(Struct, frozen=True, gc=False):
    """What a tool returned; `failed` is what the envelope says of it, None = nothing."""

    value: Any
    failed: bool | None = None


def unwrap_result(raw: Any) -> Result:
    """Return what a tool returned, out of the envelopes that frameworks put around it."""
    value, failed = raw, None
    for _ in range(_LEVELS):
        if isinstance(value, str):
            inner = _structure(value)
            if inner is None:
                break
            value = inner
            if isinstance(value, str):  # encoded twice
                continue
        if isinstance(value, dict) and _TELLING.isdisjoint(value):  # as most are
            break
        mark = _mark(value)
        failed = mark if failed is None else failed
        opened = _open(value)
        if opened is value:
            break
        value = opened
    return Result(value, failed)


def _structure(value: str) -> Any:
    if value.lstrip()[:1] not in JSON_START:
        fields = fields_in(value)
        return fields if _open(fields) is not fields else None  # else the text says it better
    try:
        inner = parse_json(value)
    except ValueError:
        inner = repair.salvage(value)
        return inner if _open(inner) is not inner else None  # else the cut text says more
    return inner if isinstance(inner, (str, dict, list)) else None


def _mark(value: Any) -> bool | None:
    if not isinstance(value, dict) or _MARKING.isdisjoint(value):
        return None
    body = _message(value) or value
    if body.get("isError") is True or body.get("is_error") is True:
        return True
    if _is_error_only(value) or body.get("type") in _FAILED_TYPES:
        return True
    return _STATUSES.get(str(body["status"])) if "status" in body else None


def _message(value: dict[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a serialised LangChain message."""
    if "kwargs" not in value and "data" not in value:
        return {}
    return mapping(value.get("kwargs")) or mapping(value.get("data"))


def _is_error_only(value: dict[str, Any]) -> bool:
    return len(value) == 1 and isinstance(value.get("error"), str)


def _open(value: Any) -> Any:
    if isinstance(value, list):
        return _blocks(value)
    if isinstance(value, dict) and not _ENVELOPES.isdisjoint(value):
        return _open_dict(value)
    return value


def _open_dict(value: dict[str, Any]) -> Any:
    body = _message(value)
    if "content" in body and ("tool_call_id" in body or body.get("type") == "tool"):
        return body["content"]
    if value.keys() >= {"tool_call_id", "content"} and (
        value.get("type") == "tool" or value.keys() <= _TOOL_MESSAGE
    ):
        return value["content"]  # a LangChain message, flat
    if len(value) == 1 and isinstance(value.get("content"), str | list):
        return value["content"]
    return _unwrapped(value)


def _unwrapped(value: dict[str, Any]) -> Any:
    if _is_tagged(value):
        return value["value"]
    if _is_error_only(value):
        return value["error"]
    if "result" in value and "error" in value:
        return _outcome(value)
    for key in _WRAPPERS:
        if key in value and set(value) <= {key, "id", "name", "kwargs", *_ASIDE}:
            return value[key]
    return value


def _is_tagged(value: dict[str, Any]) -> bool:
    """Tell whether this is an output of the Vercel AI SDK, `{type, value}`."""
    return value.keys() == {"type", "value"} and value["type"] in ("text", "json", *_FAILED_TYPES)


def _outcome(value: dict[str, Any]) -> Any:
    """Return the result or the error of an outcome that names both, and nothing else."""
    said = {key: item for key, item in value.items() if item not in (None, [], {})}
    if len(said.keys() & {"result", "error"}) != 1 or not said.keys() <= _OUTCOME:
        return value
    return said.get("result", said.get("error"))


def _blocks(value: list[Any]) -> Any:
    texts = [mapping(item).get("text") for item in value]
    if texts and all(isinstance(item, str) for item in texts):
        keys = {key for item in value for key in item}
        if keys <= {"type", "text", "annotations", "content_type"}:
            return "\n".join(str(item) for item in texts)
    return value


def says_error(value: Any) -> bool:
    """Tell whether an unwrapped result is an error envelope or begins like an error message."""
    if isinstance(value, dict):
        return bool(value.get("error")) or value.get("success") is False
    return isinstance(value, str) and value[:64].lstrip().lower().startswith(_ERROR_STARTS)
