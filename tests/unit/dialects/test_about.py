from scorer.dialects.about import ABOUT, ALL


def test_facts_stand_in_one_order_and_once():
    """So that rows of the README can be compared."""
    for about in ABOUT.values():
        assert about.facts == tuple(fact for fact in ALL if fact in about.facts)
