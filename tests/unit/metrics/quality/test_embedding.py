import pytest

from metrics.quality import embedding, grounding
from metrics.quality.faithfulness import Faithfulness
from scorer.api import AgentTrace, Document, Unscored

TRACE = AgentTrace(
    trace_id="t", answer="Cats purr softly.", contexts=(Document("Kittens make a quiet sound."),)
)


class Alike:
    """An embedder to which every claim is as like as it is told."""

    def __init__(self, cosine):
        self.cosine = cosine
        self.asked = []

    def nearest(self, claims, sentences):
        self.asked.append((list(claims), list(sentences)))
        return [self.cosine] * len(claims)


def measured(monkeypatch, embedder, trace=TRACE):
    monkeypatch.setattr(grounding, "installed_embedder", lambda: embedder)
    return Faithfulness(method="embedding").score(trace)


def test_likeness_is_a_part_of_the_support(monkeypatch):
    """Other words for the same count, but not for all."""
    embedder = Alike(0.8)
    result = measured(monkeypatch, embedder)
    lexical = Faithfulness().score(TRACE)
    assert result.method == "embedding"
    assert lexical.method == "lexical"
    assert lexical.values["value"] == 0.0
    assert result.values["value"] == pytest.approx(grounding.LIKENESS * 0.8)
    assert embedder.asked == [(["Cats purr softly."], ["Kittens make a quiet sound."])]


@pytest.mark.parametrize(("cosine", "expected"), [(-0.5, 0.0), (1.5, grounding.LIKENESS)])
def test_likeness_stays_between_0_and_1(monkeypatch, cosine, expected):
    """A cosine may be negative."""
    assert measured(monkeypatch, Alike(cosine)).values["value"] == pytest.approx(expected)


def test_likeness_does_not_make_up_for_a_contradiction(monkeypatch):
    """A sentence and its negation are very alike."""
    trace = AgentTrace(
        trace_id="t",
        answer="The filter is not covered.",
        contexts=(Document("The filter is covered."),),
    )
    assert measured(monkeypatch, Alike(1.0), trace).values["value"] < 0.6


def test_without_the_extra_it_is_skipped_with_a_reason(monkeypatch):
    """Never a score of another method in its place."""
    result = measured(monkeypatch, None)
    assert result == Unscored("embedder_not_installed", "skipped")


def test_what_is_too_long_is_skipped_with_a_reason(monkeypatch):
    """An embedder takes some 15 ms a sentence."""
    contexts = (Document("It rains. " * (grounding.MAX_EMBEDDED + 1)),)
    trace = AgentTrace(trace_id="t", answer="It rains.", contexts=contexts)
    assert measured(monkeypatch, Alike(1.0), trace) == Unscored("too_long_to_embed", "skipped")


def test_an_unknown_method_is_refused():
    """At the start, not at the first trace."""
    with pytest.raises(ValueError, match="lexical or embedding"):
        Faithfulness(method="magic")


def test_the_real_embedder_finds_likeness():
    """A kitten is nearer to a cat than the tax law, whatever stands beside it."""
    embedder = embedding.installed_embedder()
    if embedder is None:
        pytest.skip("the extra `embed` is not installed")
    near, far = embedder.nearest(["The cat sat down.", "The tax law is new."], ["A kitten sat."])
    assert near > 0.5 > far
    assert embedder.nearest(["The cat sat down."], ["A kitten sat.", "x"]) == [near]
