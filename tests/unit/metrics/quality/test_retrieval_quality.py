import pytest

from metrics.quality.retrieval_quality import RetrievalQuality, average_precision, share_of_pairs
from scorer.api import AgentTrace, Document, Reference, Unscored

HIT, MISS = "The tower stands in Paris.", "Zebras graze on savannas."


def trace(*texts, answer="The tower is in Paris", **more):
    contexts = tuple(Document(text, span_id="s") for text in texts)
    return AgentTrace(trace_id="t", answer=answer, contexts=contexts, **more)


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [
        ([True, True], 1.0),
        ([False, True], 0.5),  # (1/2) / 1
        ([True, False, True], (1 + 2 / 3) / 2),
        ([False, False], 0.0),
        ([], 0.0),
    ],
)
def test_average_precision_weighs_ranks(relevant, expected):
    """The mean, over the relevant, of the share of relevant ones up to there."""
    assert average_precision(relevant) == pytest.approx(expected)


def test_a_relevant_passage_behind_an_irrelevant_one_halves_the_value():
    """One hit at rank 2: (1/2) / 1 = 0.5; at rank 1: 1."""
    metric = RetrievalQuality()
    assert metric.score(trace(MISS, HIT)).values["value"] == 0.5
    assert metric.score(trace(HIT, MISS)).values["value"] == 1.0
    assert metric.score(trace(MISS)).values["value"] == 0.0


def test_the_rank_of_the_document_decides_the_order():
    """Documents are ordered by rank where it was captured."""
    contexts = (Document(MISS, rank=2), Document(HIT, rank=1))
    view = AgentTrace(trace_id="t", answer="The tower is in Paris", contexts=contexts)
    assert RetrievalQuality().score(view).values["value"] == 1.0


def test_several_retrievals_are_averaged():
    """Spans a (1.0) and b (0.5) give 0.75."""
    contexts = (
        Document(HIT, span_id="a"),
        Document(MISS, span_id="b"),
        Document(HIT, span_id="b"),
    )
    view = AgentTrace(trace_id="t", answer="The tower is in Paris", contexts=contexts)
    assert RetrievalQuality().score(view).values["value"] == 0.75


def test_a_reference_answer_replaces_the_answer():
    """Relevance is judged by what should have been said, where that is known."""
    reference = Reference(answer="Zebras graze")
    result = RetrievalQuality().score(trace(HIT, MISS, reference=reference))
    assert result.values["value"] == 0.5
    assert result.detail["against"] == "reference"


def test_a_passage_is_there_for_one_sentence_of_the_answer():
    """Each of eight passages supports one of eight sentences, and all are relevant."""
    facts = [
        f"The {animal} of the {place} sleeps {hours} hours a day."
        for animal, place, hours in zip(
            ["lion", "owl", "bear", "seal", "wolf", "crab", "hare", "toad"],
            ["savanna", "forest", "mountain", "coast", "tundra", "beach", "meadow", "swamp"],
            range(4, 12),
            strict=True,
        )
    ]
    result = RetrievalQuality().score(trace(*facts, MISS, answer=" ".join(facts)))
    assert result.detail["relevant"] == 8
    assert result.values["value"] == 1.0


def test_one_word_in_common_makes_no_passage_relevant():
    """Of {tower, stands, paris, since, 1889}, "paris" alone makes no pair."""
    answer = "The tower stands in Paris since 1889."
    result = RetrievalQuality().score(trace("Paris fashion week.", HIT, answer=answer))
    assert result.detail["overlaps"][0] == 0.0
    assert result.values["value"] == 0.5


def test_a_passage_is_judged_by_itself():
    """Others before or behind it change nothing, in whatever language they are."""
    others = ["Der Turm steht seit 1889 in Paris und ist nicht aus Holz.", MISS]
    alone = RetrievalQuality().score(trace(HIT)).detail["overlaps"]
    assert RetrievalQuality().score(trace(*others, HIT)).detail["overlaps"][-1:] == alone
    assert RetrievalQuality().score(trace(HIT, *others)).detail["overlaps"][:1] == alone


@pytest.mark.parametrize(
    ("answer", "passage", "overlap"),
    [
        # {tower, visit, paris}: all; the words of the passage stand in other forms
        ("Towers were visited in Paris.", "Paris: a tower to visit", 1.0),
        # {recall, 1500}: both
        ("It recalled 1,500.", "1500 were recalled", 1.0),
        # {write, help@acme.com}: the address is a term, whatever its case
        ("Write to help@acme.com", "They write: Help@Acme.com", 1.0),
        ("Write to help@acme.com", "They write: info@acme.com", 0.0),
        # {kettle, recall, june}: two, 2 * 1 / (3 * 2)
        ("The kettle was recalled in June", "In June a kettle", 1 / 3),
    ],
)
def test_terms_are_found_in_any_form(answer, passage, overlap):
    """Words by stem, numbers by value, addresses as they are."""
    result = RetrievalQuality().score(trace(passage, answer=answer))
    assert result.detail["overlaps"] == [pytest.approx(overlap, abs=1e-4)]


@pytest.mark.parametrize(
    ("found", "total", "expected"),
    [
        (0, 5, 0.0),
        (1, 5, 0.0),
        (2, 5, 0.1),  # 2 * 1 / (5 * 4)
        (5, 5, 1.0),
        (1, 1, 1.0),
        (0, 1, 0.0),
    ],
)
def test_pairs_are_counted_from_what_was_found(found, total, expected):
    """With one term only there are no pairs, and that term decides."""
    assert share_of_pairs(found, total) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (AgentTrace(trace_id="t", contexts=(Document("x"),)), "no_answer"),
        (AgentTrace(trace_id="t", answer="x"), "no_contexts"),
        (trace(None), "context_text_not_captured"),
        (trace("x", answer="of the"), "no_claims"),
        (trace(HIT, answer="I'm sorry, I could not find the tower."), "no_claims"),
        (trace(HIT, answer="Leider kann ich dazu nichts finden."), "no_claims"),
    ],
)
def test_what_cannot_be_measured_has_a_reason(view, reason):
    """No answer, no passage text or no content word: no value."""
    assert RetrievalQuality().score(view) == Unscored(reason)
