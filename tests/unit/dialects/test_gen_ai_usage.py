from scorer.dialects.gen_ai_usage import read_aggregated_usage, read_usage
from scorer.model.agent_trace import Usage


def test_old_and_new_keys_give_the_same_counts():
    """`prompt_tokens` became `input_tokens`."""
    old = {"gen_ai.usage.prompt_tokens": 3, "gen_ai.usage.completion_tokens": 2}
    new = {"gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 2}
    assert read_usage(old) == read_usage(new) == Usage(3, 2)


def test_every_spelling_of_cached_tokens_is_read():
    """Dotted, underscored, and creation or write."""
    for read, write in (
        ("cache_read.input_tokens", "cache_creation.input_tokens"),
        ("cache_read_input_tokens", "cache_write_input_tokens"),
        ("details.cache_read_tokens", "cache_write.input_tokens"),
    ):
        attributes = {
            "gen_ai.usage.input_tokens": 9,
            f"gen_ai.usage.{read}": 4,
            f"gen_ai.usage.{write}": 0,
        }
        assert read_usage(attributes) == Usage(9, None, None, 4, 0)


def test_a_measured_zero_is_not_absence():
    """0 tokens were counted; no key means nobody counted."""
    assert read_usage({"gen_ai.usage.output_tokens": 0}) == Usage(None, 0)
    assert read_usage({}) is None
    assert read_usage({"gen_ai.usage.output_tokens": "many"}) is None


def test_sums_over_children_have_a_key_of_their_own():
    """Aggregated usage is never mixed with a call's own."""
    attributes = {"gen_ai.aggregated_usage.input_tokens": 5}
    assert read_usage(attributes) is None
    assert read_aggregated_usage(attributes) == Usage(5)
