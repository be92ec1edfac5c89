"""What a CrewAI crew was asked: its tasks stand in attributes of the crew's span.

The answer of a crew is that of its last task, so its request is the description of that task,
with the inputs of the crew filled in.
"""

import re

from scorer.dialects.values import decoded, mapping, text
from scorer.model.span import Attributes

_FIELD = re.compile(r"\{([A-Za-z_]\w{0,60})\}")


def crew_request(attributes: Attributes) -> str | None:
    """Return the description of the crew's last task, None when this is no crew."""
    if "crew_tasks" not in attributes:
        return None
    tasks = decoded(attributes["crew_tasks"])
    if not isinstance(tasks, list) or not tasks:
        return None
    description = text(mapping(tasks[-1]).get("description"))
    if description is None:
        return None
    inputs = mapping(decoded(attributes.get("crew_inputs")))
    return _FIELD.sub(lambda match: str(inputs.get(match.group(1), match.group())), description)
