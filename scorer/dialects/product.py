"""A dialect of one product: its own keys, a kind that names the role, an input and an output.

Most products write the same few things under keys of their own, so a dialect is a table of them.
What the input and the output are depends on the role: the messages of a model call, the
arguments and the result of a tool, the query and the documents of a retrieval.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scorer.dialects.fields import Fields
from scorer.dialects.messages import Content
from scorer.dialects.observation import observed
from scorer.dialects.repair import looks_cut
from scorer.dialects.values import first_text, text
from scorer.model.span import Attributes, LogRecord, Span
from scorer.model.span_facts import SpanFacts, SpanRole

_TEXT_KEYS = ("page_content", "content", "text", "document", "chunk")
_MESSAGES = ("messages", "replies", "choices", "generations", "contents")

Read = Callable[[Span, SpanRole | None], Mapping[str, Any]]


class Product:
    """A dialect that is a table.

    `keys` are attributes of which every span of the product has one. `kinds` names the role by
    the lower-case value of the first attribute of `kind` that is there; `role` finds it where
    more is needed. `fields` are read as they are; `inputs` and `outputs` are the attributes for
    what went in and came out, best first. `more` adds to the facts, and wins.
    """

    matches_by_keys = True

    def __init__(  # noqa: PLR0913 - the columns of the table
        self,
        name: str,
        *,
        keys: Iterable[str],
        kind: Sequence[str] = (),
        kinds: Mapping[str, SpanRole] | None = None,
        role: Callable[[Span], SpanRole | None] | None = None,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        fields: Fields | None = None,
        more: Read | None = None,
    ) -> None:
        self.name = name
        self.keys = frozenset(keys)
        self.read_keys = frozenset((*kind, *inputs, *outputs)) | (fields or Fields()).keys
        self._kind = tuple(kind)
        self._kinds = kinds or {}
        self._find_role = role or self._named_role
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._fields = fields or Fields()
        self._more = more

    def matches(self, span: Span, logs: Sequence[LogRecord]) -> bool:  # noqa: ARG002 - protocol
        """Tell whether the span has an attribute of the product."""
        return not self.keys.isdisjoint(span.attributes)

    def read(self, span: Span, logs: Sequence[LogRecord]) -> SpanFacts:  # noqa: ARG002 - protocol
        """Return what the product says about the span."""
        role = self._find_role(span)
        facts = payload(
            role,
            present(span.attributes, self._inputs),
            present(span.attributes, self._outputs),
            span.span_id,
        )
        facts.update(self._fields.read(span))
        if self._more is not None:
            facts.update(self._more(span, role))
        facts["role"] = role
        return SpanFacts(**facts)

    def _named_role(self, span: Span) -> SpanRole | None:
        named = first_text(span.attributes, *self._kind) if self._kind else None
        return None if named is None else self._kinds.get(named.strip('"').lower())


def present(attributes: Attributes, keys: Sequence[str]) -> Any:
    """Return the first value that says something, whatever its type."""
    for key in keys:
        value = attributes.get(key)
        if value is None or (isinstance(value, str) and text(value) is None):
            continue
        if value not in ("{}", "[]", "null", '""'):
            return value
    return None


def payload(role: SpanRole | None, given: Any, returned: Any, span_id: str) -> dict[str, Any]:
    """Return the facts that an input and an output are on a span of this role."""
    if given is None and returned is None:
        return {}
    content = Content()
    facts = observed(role, given, returned, content, span_id)
    facts["media"] = tuple(content.media) or None
    facts["truncated"] = content.truncated or _is_cut(given, returned)
    return facts


def _is_cut(*values: Any) -> bool | None:
    return any(isinstance(v, str) and bool(v) and looks_cut(v) for v in values) or None
