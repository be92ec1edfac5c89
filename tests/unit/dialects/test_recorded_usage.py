import json

import pytest

from scorer.dialects.recorded_usage import usage_in
from scorer.model.agent_trace import Usage


@pytest.mark.parametrize(
    ("recorded", "usage"),
    [
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 2,
                "total_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(5, 2, 7, 1, None, 3),
        ),
        ({"input": 5, "output": 2, "total": 8, "input_cache_read": 1}, Usage(5, 2, 8, 1)),
        (
            {"input_tokens": 5, "output_tokens": 2, "cache_creation_input_tokens": 4},
            Usage(5, 2, cache_write=4),
        ),
        (
            {"prompt_token_count": 5, "candidates_token_count": 2, "thoughts_token_count": 1},
            Usage(5, 2, reasoning=1),
        ),
    ],
)
def test_the_names_of_every_provider_are_known(recorded, usage):
    """OpenAI, Langfuse, Anthropic and Gemini; as a map or as its text."""
    assert usage_in(recorded) == usage_in(json.dumps(recorded)) == usage


@pytest.mark.parametrize("recorded", [None, "", "{}", "no", {"cached_tokens": 1}, {"input": "x"}])
def test_without_a_count_there_is_no_usage(recorded):
    """Details alone, or what is no number, count nothing."""
    assert usage_in(recorded) is None
