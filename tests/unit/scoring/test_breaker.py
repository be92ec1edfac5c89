"""When a metric is out of service."""

from scorer.scoring.breaker import Breaker


def test_it_opens_after_three_strikes_in_a_row():
    """Two are forgiven."""
    breaker = Breaker(limit=3, cool_down=60)
    for now in (1, 2):
        breaker.strike("m", now)
        assert not breaker.is_open("m", now)
    breaker.strike("m", 3)
    assert breaker.is_open("m", 3)
    assert breaker.open_names(4) == ("m",)


def test_a_success_in_between_clears_the_strikes():
    """Only consecutive failures count."""
    breaker = Breaker(limit=2, cool_down=60)
    breaker.strike("m", 1)
    breaker.clear("m")
    breaker.strike("m", 2)
    assert not breaker.is_open("m", 2)


def test_after_the_cool_down_it_gets_one_more_try():
    """One more failure opens it again at once."""
    breaker = Breaker(limit=3, cool_down=60)
    for _ in range(3):
        breaker.strike("m", 0)
    assert breaker.is_open("m", 59)
    assert not breaker.is_open("m", 60)
    breaker.strike("m", 61)
    assert breaker.is_open("m", 62)


def test_other_metrics_are_not_touched():
    """Each name has its own state."""
    breaker = Breaker(limit=1, cool_down=60)
    breaker.strike("bad", 0)
    assert not breaker.is_open("good", 0)


def test_strikes_of_long_ago_do_not_count():
    """Three odd traces in a month are no reason to suspend a metric."""
    breaker = Breaker(limit=3, cool_down=60, window=600)
    for now in (0, 300, 601):
        breaker.strike("m", now)
    assert not breaker.is_open("m", 601)
    breaker.strike("m", 602)
    assert breaker.is_open("m", 602)
