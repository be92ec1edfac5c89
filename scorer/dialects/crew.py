"""What a CrewAI crew was asked: its tasks stand in attributes of the crew's span.

The answer of a crew is that of its last task, so its request is the description of that task,
with the inputs of the crew filled in. OpenInference and OpenLLMetry record the tasks before they
are filled in; OpenLLMetry has no inputs, but a span for each task. The token counts of a crew are
left alone: they are those of its model objects, over all crews and agents that share them.
"""

import re

from scorer.dialects.values import decoded, mapping, text
from scorer.model.span import Attributes

_FIELD = re.compile(r"\{([A-Za-z_]\w{0,60})\}")
CREW_TASKS = "crewai.crew.tasks"
CREW_RESULT = "crewai.crew.result"
TASK = "crewai.task.description"


def crew_request(attributes: Attributes) -> str | None:
    """Return the description of the crew's last task, None when this is no crew."""
    recorded = attributes.get("crew_tasks", attributes.get(CREW_TASKS))
    if recorded is None:
        return text(attributes.get(TASK))
    tasks = decoded(recorded)
    if not isinstance(tasks, list) or not tasks:
        return None
    description = text(mapping(tasks[-1]).get("description"))
    if description is None:
        return None
    inputs = mapping(decoded(attributes.get("crew_inputs")))
    filled = _FIELD.sub(lambda match: str(inputs.get(match.group(1), match.group())), description)
    return None if CREW_TASKS in attributes and _FIELD.search(filled) else filled
