"""Whose trace it is: service, session, user, and what the root span says for the scorer."""

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.dialects.generated_ids import made_together
from scorer.dialects.tree import Node, Tree
from scorer.dialects.values import decoded, first_id, strings, text
from scorer.model.agent_trace import Reference
from scorer.model.span import Attributes

_PREFIX = "spanscore.reference."
_OWN = "spanscore."
_CASE = "spanscore.case.id"
_RESPONSE = "resp_"  # how the ids of responses of the OpenAI API begin


def find_service(tree: Tree) -> str:
    """Return `service.name` of the root, else of the earliest local root."""
    node = tree.local_root
    return node.span.resource.service if node is not None else ""


def find_session(nodes: Sequence[Node]) -> str | None:
    """Return the session id nearest to the root.

    Two ids tie no session: that of the previous response, which some clients name as the
    conversation, and one that the framework made up for this very run.
    """
    facts = [node.facts for node in nodes]
    single = {fact.response_id for fact in facts}
    running = [fact for fact in facts if fact.run_id]
    single.update(f.session_id for f in running if made_together(f.session_id, f.run_id))
    sessions = (fact.session_id for fact in facts if fact.session_id)
    return next((s for s in sessions if s not in single and not s.startswith(_RESPONSE)), None)


def find_user(nodes: Sequence[Node]) -> str | None:
    """Return the user id nearest to the root."""
    return next((node.facts.user_id for node in nodes if node.facts.user_id), None)


def find_case(root: Node | None) -> str | None:
    """Return the case id on the root span."""
    return first_id(root.span.attributes, _CASE) if root is not None else None


def find_reference(root: Node | None) -> Reference | None:
    """Return the reference that the root span carries, None when it carries none."""
    attributes = root.span.attributes if root is not None else {}
    if _PREFIX not in " ".join(attributes):  # nearly always, so this is quick
        return None
    if not any(key.startswith(_PREFIX) for key in attributes):
        return None
    return Reference(
        answer=text(attributes.get(_PREFIX + "answer")),
        contexts=_texts(attributes, "contexts"),
        tool_calls=_structure(attributes.get(_PREFIX + "tool_calls")),
        topics=_texts(attributes, "topics"),
        caption=text(attributes.get(_PREFIX + "caption")),
        transcript=text(attributes.get(_PREFIX + "transcript")),
    )


def find_map(root: Node | None, name: str) -> Mapping[str, Any] | None:
    """Return a map that the root span carries, None when it carries none.

    It is `spanscore.<name>`, a map or its JSON text, and one key each `spanscore.<name>.<key>`,
    which win. What is no map counts as none.
    """
    attributes = root.span.attributes if root is not None else {}
    whole = _OWN + name
    if whole not in " ".join(attributes):  # nearly always, so this is quick
        return None
    found = decoded(attributes.get(whole))
    entries = dict(found) if isinstance(found, dict) else {}
    start = whole + "."
    for key, value in attributes.items():
        if key.startswith(start):
            entries[key.removeprefix(start)] = value
    return entries if entries or isinstance(found, dict) else None


def _texts(attributes: Attributes, name: str) -> tuple[str, ...] | None:
    value = attributes.get(_PREFIX + name)
    return None if value is None else strings(value)


def _structure(value: Any) -> Any:
    value = decoded(value)
    return value if isinstance(value, (list, dict)) else None
