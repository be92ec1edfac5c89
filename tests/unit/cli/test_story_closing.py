"""How the closes of a trace are told."""

from scorer.cli.story_closing import closing


def step(revision, spans, reason="root", state="scored", **fields):
    base = {"revision": revision, "span_count": spans, "close_reason": reason, "state": state}
    return {**base, "closed": f"day {revision}", **fields}


def change(metric, before, after, revision=2):
    return {"revision": revision, "metric": metric, "before": before, "after": after}


def valued(value, label=None):
    return {"status": "scored", "value": value, "label": label}


def told(document):
    return list(closing(document))


def test_each_revision_is_told_with_what_came_and_what_it_changed():
    """First the first close, then each scoring after it, in order."""
    changed = [
        change("latency", valued(0.5, "pass"), valued(40, "fail")),
        change("faithfulness", {"status": "not_applicable", "value": None}, valued(0.9)),
        change("cost", valued(1), valued(2), revision=3),
    ]
    history = [step(1, 3, "max_age"), step(2, 4)]
    document = step(3, 6, "end_marker", history=history, changed=changed)
    assert told(document) == [
        "first finished day 1 with 3 spans (max_age): it was open for `max_age`",
        "1 span came late and joined it: scored again as revision 2, finished day 2 (root)",
        "  changed: latency 0.5 (pass) -> 40 (fail), faithfulness not_applicable -> 0.9",
        "2 spans came late and joined it: scored again as revision 3, finished day 3 (end_marker)",
        "  changed: cost 1 -> 2",
    ]


def test_no_more_than_five_changes_are_told():
    """The others are counted."""
    changed = [change(f"m{n}", valued(0), valued(1)) for n in range(8)]
    line = told(step(2, 4, history=[step(1, 3)], changed=changed))[-1]
    assert line.count("->") == 5
    assert line.endswith("m4 0 -> 1, and 3 more")
    line = told(step(2, 4, history=[step(1, 3)], changed=changed[:5]))[-1]
    assert line.endswith("m4 0 -> 1")


def test_a_revision_that_changes_nothing_says_so():
    """The late spans were of no weight."""
    assert told(step(2, 4, history=[step(1, 3)], changed=[]))[-1] == "  changed: no score"


def test_a_trace_may_be_scored_for_the_first_time_as_a_revision():
    """What it was before is said, and no change is claimed."""
    history = [step(1, 3, state="not_agent"), step(2, 4)]
    first, second, third, _ = told(step(3, 5, history=history, changed=[]))
    assert first.endswith("; it was not scored then (not_agent)")
    assert "scored for the first time as revision 2" in second
    assert "scored again as revision 3" in third


def test_a_revision_that_could_not_be_scored_says_so():
    """The one after it is again a scoring."""
    history = [step(1, 3), step(2, 4, state="quarantined")]
    document = step(3, 5, history=history, changed=[])
    lines = told(document)
    assert "not scored as revision 2 (quarantined)" in lines[1]
    assert "scored again as revision 3" in lines[2]
    assert len(lines) == 3


def test_what_joined_and_is_not_scored_yet_is_told():
    """Spans, or log records alone."""
    assert told(step(1, 3, joining=2))[-1] == (
        "2 spans came late and joined it: it will be scored again when nothing more comes"
    )
    assert told(step(1, 3, joining=0))[-1].startswith("log records came late and joined it")
    assert len(told(step(1, 3, joining=None))) == 1


def test_an_older_service_tells_of_the_last_close_only():
    """Its document has no history, or it has lost it."""
    for history in ({}, {"history": None}, {"history": []}):
        first, second = told(step(2, 4, **history))
        assert first.startswith("finished day 2 (root): the root span ended")
        assert second == "late spans joined it: this is revision 2"
    assert told({"state": "open", "close_reason": None, "history": None}) == []


def test_a_text_cannot_drive_the_terminal():
    """What a service answers is printed on one line, without control characters."""
    changed = [change("m\x1b[2J", {"status": "a\nb"}, valued(1, "x\x1b"))]
    document = step(2, 4, "x\x1b", history=[step(1, 3, state="y\n\x1b")], changed=changed)
    assert all(line.isprintable() for line in told(document))
    document["history"][0]["state"] = "scored"
    assert all(line.isprintable() for line in told(document))
