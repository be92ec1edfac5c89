"""Privacy budgets over kills, restarts, repetitions and late spans: the totals stay right."""

import pytest

from scorer.testing import TraceBuilder

from .crash.scores import Scores
from .crash.service import wait_for

BUDGET = {"scoring.metrics": "[privacy_budget]"}
# Nothing but the accounts remembers a trace then.
FORGETFUL = BUDGET | {"assembly.max_tombstones": "1", "assembly.kept": "0B"}
AGENT = {"gen_ai.operation.name": "invoke_agent"}


def spending(number, *spent):
    """A trace whose spans spend (principal, epsilon)s, as one request."""
    builder = TraceBuilder(number)
    root = builder.span("agent", **AGENT)
    for principal, epsilon in spent:
        told = {"spanscore.privacy.principal": principal, "spanscore.privacy.epsilon": epsilon}
        builder.span("query", parent=root, **told)
    return builder.request()


def score(service, *bodies):
    """Send traces one after the other, each scored before the next is sent."""
    for body in bodies:
        before = service.series("spanscore_closed_traces_total")
        service.send(body)
        wait_for(lambda b=before: service.series("spanscore_closed_traces_total") > b, 30)


class Told:
    """What the scores file says of the budgets."""

    def __init__(self, folder):
        self.scores = Scores(folder)
        self.scores.assert_one_value_each()
        rows = [row for row in self.scores.rows if row["output"] == "value"]
        self.spent = {
            (int(row["trace_id"], 16), row["revision"]): (
                row["detail"]["principal"],
                row["detail"]["total_spent"],
                row["value"],
            )
            for row in rows
        }


@pytest.mark.parametrize("workers", ["0", "2"])
def test_totals_go_on_after_a_kill(start, tmp_path, workers):
    """Two principals have an account each; what is sent again is not spent again."""
    settings = BUDGET | {"scoring.workers": workers}
    service = start(settings)
    first, second = spending(1, ("ann", 2.0), ("ann", 0.5)), spending(2, ("bob", 1.0))
    score(service, first, second)
    service.kill()
    service = start(settings)
    assert service.series("spanscore_accounts") == 2
    for again in (first, second):
        service.send(again)
    score(service, spending(3, ("ann", 1.0)), spending(4, ("bob", 4.0)))
    service.kill()
    told = Told(tmp_path)
    assert told.spent == {
        (1, 1): ("ann", 2.5, 0.75),
        (2, 1): ("bob", 1.0, 0.9),
        (3, 1): ("ann", 3.5, 0.65),
        (4, 1): ("bob", 5.0, 0.5),
    }


def test_a_trace_that_nobody_else_remembers_is_not_spent_again(start, tmp_path):
    """Neither in the same life nor in the next, though it is scored once more."""
    service = start(FORGETFUL)
    first = spending(1, ("ann", 2.0))
    score(service, first, spending(2, ("ann", 1.0)), spending(3, ("cat", 1.0)), first)
    service.kill()
    service = start(FORGETFUL)
    score(service, spending(4, ("bob", 1.0)), first, spending(5, ("ann", 0.5)))
    service.stop()
    told = Told(tmp_path)
    assert told.scores.repeated > 0
    assert told.spent[1, 1] == ("ann", 2.0, 0.8)
    assert told.spent[5, 1] == ("ann", 3.5, 0.65)


@pytest.mark.parametrize("place", ["after_booking", "after_sink", "after_forward", "before_ledger"])
def test_a_kill_on_the_way_books_once(start, tmp_path, place):
    """What is scored again gets the score that it had, whatever has been spent since."""
    service = start(BUDGET, failpoint=f"{place}:3")
    bodies = [spending(number, ("ann", 1.0)) for number in range(1, 6)]
    score(service, *bodies[:2])
    service.send(bodies[2])
    assert service.ended() == -9
    service = start(BUDGET)
    service.wait_until_listening()
    service.wait_until_scored()
    score(service, *bodies[3:])
    service.stop()
    told = Told(tmp_path)
    spent = {number: total for (number, _), (_, total, _) in told.spent.items()}
    assert spent == {1: 1.0, 2: 2.0, 3: 3.0, 4: 4.0, 5: 5.0}


def test_a_revision_spends_what_is_new_in_it(start, tmp_path):
    """The late span alone; and after a kill the next trace goes on from there."""
    service = start(BUDGET)
    builder = TraceBuilder(1)
    told = {"spanscore.privacy.principal": "ann", "spanscore.privacy.epsilon": 2.0}
    root = builder.span("agent", **AGENT)
    builder.span("query", parent=root, **told)
    early = builder.request()
    late = builder.request(builder.span("late", parent=root, **told))
    score(service, early, late)
    service.kill()
    service = start(BUDGET)
    score(service, spending(2, ("ann", 1.0)))
    service.stop()
    assert Told(tmp_path).spent == {
        (1, 1): ("ann", 2.0, 0.8),
        (1, 2): ("ann", 4.0, 0.6),
        (2, 1): ("ann", 5.0, 0.5),
    }


def test_bounds_are_told(start, tmp_path):
    """One principal too many has no score; the oldest spans are forgotten and counted."""
    limits = {"scoring.accounts.max_accounts": "2", "scoring.accounts.max_spans": "2"}
    service = start(BUDGET | limits)
    score(service, *(spending(n, (name, 1.0)) for n, name in enumerate(["ann", "bob", "cat"], 1)))
    score(service, spending(4, ("ann", 1.0)))
    refused = service.series("spanscore_account_refusals_total", 'metric="privacy_budget"')
    assert refused == 1
    assert service.series("spanscore_accounts") == 2
    assert service.series("spanscore_account_forgotten_spans_total") == 1
    reason = 'reason="too_many_accounts"'
    assert service.series("spanscore_scores_total", reason) == 1
    service.stop()
    reasons = {row["trace_id"][-1]: row["reason"] for row in Scores(tmp_path).rows}
    assert reasons == {"1": None, "2": None, "3": "too_many_accounts", "4": None}
