"""Grounding against labelled data: it ranks good answers above bad ones, and how well.

The floors are the acceptance of the metric; what it reaches is printed by
`python tests/bench/grounding.py`. The weights and limits of the metric were chosen by hand while
looking at its results on these very rows, so what it reaches here may flatter it: rows that nobody
has looked at would be the fair test.
"""

import labelled
import perturbations
import pytest

from metrics.quality.grounding import ground

WICE = labelled.rows("wice_claims_dev.jsonl")
HALUEVAL = labelled.rows("halueval_qa.jsonl")

pytestmark = pytest.mark.skipif(not WICE, reason="no labelled data: set SPANSCORE_LABELLED")


def faithfulness(row):
    return ground(row.answer, row.contexts, row.question).share


def ranked(rows):
    bad = [row.bad for row in rows]
    ours = labelled.ranking([faithfulness(row) for row in rows], bad, times=100)
    plain = [labelled.token_precision(row.answer, row.contexts) for row in rows]
    return ours, labelled.ranking(plain, bad, times=2)


def test_supported_claims_rank_above_others():
    """WiCE: at least 0.80, and above plain token precision."""
    ours, plain = ranked(WICE)
    assert ours.auroc >= 0.80, ours
    assert ours.low > plain.auroc


@pytest.mark.skipif(not HALUEVAL, reason="no halueval_qa.jsonl")
def test_right_answers_rank_above_hallucinated_ones_of_equal_length():
    """HaluEval, both answers as sentences of equal length: at least 0.85."""
    ours, plain = ranked(labelled.of_equal_length(HALUEVAL))
    assert ours.auroc >= 0.85, ours
    assert ours.low > plain.auroc


@pytest.fixture(scope="module")
def changed():
    """Each sample with its faithfulness."""
    passages = [" ".join(row.contexts) for row in WICE]
    made = perturbations.samples(passages, seed=1, most=1500)
    return [(sample, ground(sample.answer, (sample.passage,)).share) for sample in made]


def auroc(changed, kinds):
    chosen = [
        (sample, value) for sample, value in changed if not sample.kind or sample.kind in kinds
    ]
    values = [value for _, value in chosen]
    return labelled.ranking(values, [bool(sample.kind) for sample, _ in chosen], times=2).auroc


def test_paraphrases_rank_above_themselves_with_a_fact_changed(changed):
    """Over all kinds of change at least 0.90."""
    assert auroc(changed, perturbations.KINDS) >= 0.90


@pytest.mark.parametrize("kind", perturbations.KINDS)
def test_each_kind_of_change_is_found(changed, kind):
    """A number, date, unit, name, negation or relation: at least 0.80 each."""
    assert auroc(changed, {kind}) >= 0.80
