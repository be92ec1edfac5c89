from io import StringIO

from rich.console import Console

from scorer.cli.story import tell

ID = "ab" * 16


def story(**document):
    out = StringIO()
    console = Console(file=out, width=160, markup=False)
    for part in tell({"trace_id": ID, **document}):
        console.print(part)
    return out.getvalue()


def test_a_scored_trace_tells_when_why_and_each_score():
    """The reason of the close is said in words, then the scores with their reasons."""
    text = story(
        state="scored",
        service="shop",
        closed="2026-01-01T00:00:00.000Z",
        close_reason="idle",
        revision=2,
        span_count=3,
        completeness={"root_present": False, "orphan_parents": 1, "truncated_content": True},
        breaches=["cost"],
        scores=[
            {"metric": "cost", "output": "value", "value": 2.5, "label": "fail"},
            {"metric": "faithfulness", "status": "not_applicable", "reason": "no_contexts"},
        ],
    )
    for part in (
        f"trace {ID} was scored",
        "service shop",
        "(idle): nothing came for `idle_timeout`",
        "this is revision 2",
        "3 spans",
        "the root span never came",
        "1 parents are missing",
        "some content was cut",
        "outside their threshold: cost",
        "no_contexts",
        "2.5",
    ):
        assert part in text


def test_an_open_trace_tells_that_it_will_be_scored():
    """Nothing is claimed about what is not known yet."""
    text = story(state="open", opened="2026-01-01T00:00:00.000Z", close_reason=None, scores=None)
    assert "is open: it will be scored" in text
    assert "first span arrived 2026-01-01" in text
    assert "finished 2" not in text


def test_a_trace_that_is_no_agents_says_what_it_lacks():
    """The reader learns why there are no scores."""
    assert "no agent, model, tool or retrieval span" in story(state="not_agent")


def test_late_spans_are_told():
    """Late spans that no longer joined are why scores lack them."""
    assert "4 spans came late and did not join" in story(state="scored", late_spans=4)
    assert "1 span came late and did not join" in story(state="late", late_spans=1)
    assert "came late" not in story(state="scored", late_spans=0)


def test_the_headline_of_a_revised_trace_is_its_newest_state():
    """How it came to that stands between headline and scores."""
    first = {"revision": 1, "close_reason": "idle", "span_count": 1, "state": "not_agent"}
    text = story(
        state="scored", revision=2, close_reason="root", span_count=3, history=[first], scores=[]
    )
    headline, *lines = text.splitlines()
    assert headline == f"trace {ID} was scored"
    assert "first finished with 1 span (idle)" in lines[0]
    assert "scored for the first time as revision 2" in lines[1]


def test_a_revision_is_not_told_to_have_begun_before_the_first_finish():
    """A trace that late spans open again is opened then: its first span came long before."""
    lines = story(state="scored", revision=2, opened="2026-01-02", scores=[])
    assert "what came late arrived 2026-01-02" in lines
    assert "first span" not in lines


def test_the_reason_of_a_quarantine_is_told():
    """A trace that could not be scored says why."""
    assert "could not be scored: normalise_failed" in story(
        state="quarantined", reason="normalise_failed"
    )
