import pytest

from scorer.cli.calibration.agreement import cohens_kappa, spearman


def test_kappa_by_hand():
    """3 of 4 agree, chance .5 * .25 + .5 * .75 = .5: kappa = .25 / .5."""
    first, second = [True, True, False, False], [True, False, False, False]
    assert cohens_kappa(first, second) == pytest.approx(0.5)
    assert cohens_kappa([True], [True]) is None
    assert cohens_kappa([], []) is None


def test_rank_correlation_by_hand():
    """Only the order counts; ties share a rank; a constant has no order."""
    assert spearman([1, 2, 3], [10, 100, 1000]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    # ranks 1.5 1.5 3 against 1 2 3: 1.5 / sqrt(1.5 * 2)
    assert spearman([5, 5, 6], [1, 2, 3]) == pytest.approx(1.5 / 3**0.5)
    assert spearman([1, 1], [1, 2]) is None
    assert spearman([], []) is None
