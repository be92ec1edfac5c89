"""What is kept of earlier revisions."""

from scorer.testing import score, scored_trace
from scorer.web.history import Finished, succeed


def scored_times(*scores_of_each):
    """Return what is kept after a scoring of a trace for each tuple of scores."""
    finished = None
    for revision, scores in enumerate(scores_of_each, 1):
        finished = succeed(finished, scored_trace(revision=revision, scores=scores))
    return finished


def test_the_first_and_the_newest_revisions_are_kept():
    """A trace that late spans never leave alone has a bounded history."""
    finished = scored_times(*((score("m", n / 100),) for n in range(50)))
    assert finished.trace.revision == 50
    assert [entry.revision for entry in finished.history] == [1, *range(31, 50)]
    assert [change.revision for change in finished.changed] == list(range(31, 51))


def test_only_changed_outcomes_of_primary_outputs_are_told():
    """Value, status and label count; an explanation does not."""
    before = (
        score("same", 0.5, explanation="old"),
        score("value", 0.5),
        score("label", 0.5, label="pass"),
        score("status", None, status="not_applicable"),
        score("other", 0.5, output="p95"),
        score("gone", 0.5),
    )
    after = (
        score("same", 0.5, explanation="new"),
        score("value", 0.6),
        score("label", 0.5, label="fail"),
        score("status", None, status="failed"),
        score("other", 0.6, output="p95"),
        score("new", 0.5),
    )
    changed = scored_times(before, after).changed
    assert [change.metric for change in changed] == ["value", "label", "status"]
    assert (changed[0].before.value, changed[0].after.value) == (0.5, 0.6)


def test_changes_of_one_revision_are_bounded():
    """However many metrics there are, and however long their labels."""
    before, after = (
        tuple(score(f"m{n}", value, label="x" * 10_000) for n in range(100)) for value in (0, 1)
    )
    changed = scored_times(before, after).changed
    assert len(changed) == 20
    assert {len(change.after.label) for change in changed} == {100}


def test_the_same_revision_again_has_no_history():
    """So has a first one: the trace id stands for another trace."""
    first = Finished(scored_trace(revision=2))
    assert succeed(first, scored_trace(revision=2)).history == ()
    assert succeed(first, scored_trace(revision=1)).history == ()
