import gc

AGENT = {"gen_ai.operation.name": "invoke_agent"}
KIND = "openinference.span.kind"


def ids(tree):
    return [node.span.span_id for node in tree.nodes]


def test_nodes_stand_in_preorder_by_start(span, tree):
    """Parents come first, then their children by start time."""
    spans = (
        span("1"),
        span("2", parent="1", start=9),
        span("3", parent="1"),
        span("4", parent="3"),
    )
    assert ids(tree(*reversed(spans))) == ["1", "3", "4", "2"]


def test_a_missing_parent_makes_a_local_root(span, tree):
    """The parent may live in another service, or be late."""
    built = tree(span("1", parent="ff"), span("2", parent="1"))
    assert built.root is None
    assert built.local_root.span.span_id == "1"


def test_a_parent_loop_is_cut(span, tree):
    """Broken parents neither hang nor lose spans."""
    built = tree(span("1", parent="2"), span("2", parent="1"), span("3", parent="3"))
    assert sorted(ids(built)) == ["1", "2", "3"]


def test_evaluator_telemetry_is_left_out_with_all_below(span, tree):
    """A judge's model call is not the agent's."""
    built = tree(
        span("1", AGENT),
        span("2", {KIND: "EVALUATOR"}, parent="1"),
        span("3", {KIND: "LLM"}, parent="2"),
        span("4", parent="1", scope="spanscore"),
        span("5", {KIND: "EVALUATOR"}),
    )
    assert ids(built) == ["1"]


def test_what_a_tool_runs_is_marked(span, tree):
    """A model call inside a tool does not speak for the run."""
    built = tree(
        span("1", {KIND: "TOOL"}),
        span("2", AGENT, parent="1"),
        span("3", {KIND: "LLM"}, parent="2"),
    )
    assert [node.in_tool for node in built.nodes] == [False, True, True]


def test_a_deep_chain_is_no_problem(span, tree):
    """Depth is a property of the data, not of our stack."""
    spans = [span(f"{n:x}", parent=f"{n - 1:x}" if n > 1 else "") for n in range(1, 3_000)]
    assert len(tree(*spans).nodes) == 2_999


def test_a_tree_is_freed_without_the_collector(span, tree):
    """Nodes know their parent only, so a busy service need not look for cycles."""
    spans = [span("1"), span("2", parent="1"), span("3", {KIND: "LLM"}, parent="2")]
    gc.collect()
    tree(*spans)
    assert gc.collect() == 0


def test_a_model_span_is_seen_from_below_through_chains_only(span, tree):
    """What an agent or a tool runs is not part of the call around it."""
    built = tree(
        span("1", {KIND: "LLM"}),
        span("2", {KIND: "CHAIN"}, parent="1"),
        span("3", {KIND: "LLM"}, parent="2"),
        span("4", {KIND: "TOOL"}, parent="3"),
        span("5", {KIND: "LLM"}, parent="4"),
    )
    around = [node.model.span.span_id if node.model else None for node in built.nodes]
    assert around == [None, "1", "1", "3", None]
