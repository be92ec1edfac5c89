import pytest

from metrics.multimodal import image_caption_accuracy
from metrics.multimodal.image_caption_accuracy import ImageCaptionAccuracy
from metrics.quality.embedding import installed_embedder
from scorer.api import AgentTrace, EmbedText, Reference, Unscored
from scorer.testing import FakeInference


def trace(said, caption="a cat on a mat", **reference):
    return AgentTrace(trace_id="t", answer=said, reference=Reference(caption=caption, **reference))


def lexical(answer, caption="a cat on a mat"):
    return ImageCaptionAccuracy(use_semantic=False).score(trace(answer, caption))


class SureEmbedder:
    """For which all sentences are alike."""

    def nearest(self, claims, sentences):
        return [0.9] * len(claims)


@pytest.mark.parametrize(
    ("answer", "caption", "value"),
    [
        ("a cat on a mat", "a cat on a mat", 1.0),
        # 4 of 5 words on both sides: 2 * 0.8 * 0.8 / 1.6
        ("a dog on a mat", "a cat on a mat", 0.8),
        # case, punctuation and typographic shape are no difference
        ("A Cat: on a mat!", "“a cat on a mat.”", 1.0),
        ("The ﬁrst café", "the first cafe\u0301", 1.0),
        ("two cats", "2 cats", 1.0),
        # multisets: P 1/1, R 1/3
        ("cat", "cat cat cat", 0.5),
        ("zebra", "a cat", 0.0),
        ("", "a cat", 0.0),
        # pairs of characters: 東京, タワ, ワー; P 1/1, R 1/3
        ("東京", "東京 タワー", 0.5),
    ],
)
def test_words_are_counted(answer, caption, value):
    """The F1 of the two multisets of words."""
    result = lexical(answer, caption)
    assert result.values == {"value": pytest.approx(value)}
    assert result.method == "lexical"


def test_meaning_counts_for_more_than_words():
    """0.7 * 0.8 + 0.3 * 0.8 = 0.8; below 0 is 0."""
    inference = FakeInference(cosines={"a dog on a mat": 0.8, "zebra": -0.5})
    metric = ImageCaptionAccuracy(inference=inference)
    result = metric.score(trace("a dog on a mat"))
    assert result.values == {"value": pytest.approx(0.8)}
    assert result.method == "embedding"
    assert result.detail["cosine"] == pytest.approx(0.8)
    assert metric.score(trace("zebra")).values == {"value": 0.0}
    assert metric.score(trace("...")).values == {"value": 0.0}
    assert inference.requests[0] == EmbedText("all-MiniLM-L6-v2", "a dog on a mat")


def test_the_model_of_the_extra_serves_without_a_sidecar(monkeypatch):
    """0.7 * 0.9 + 0.3 * 0.8 = 0.87; another model is not what was asked for."""
    monkeypatch.setattr(image_caption_accuracy, "installed_embedder", SureEmbedder)
    result = ImageCaptionAccuracy().score(trace("a dog on a mat"))
    assert result.values == {"value": pytest.approx(0.87)}
    assert result.method == "embedding"
    other = ImageCaptionAccuracy(model_name="all-mpnet-base-v2")
    assert other.score(trace("a dog on a mat")).method == "lexical"


def test_a_paraphrase_is_nearer_than_another_picture():
    """The real model, where the extra `embed` is installed."""
    if installed_embedder() is None:
        pytest.skip("the extra `embed` is not installed")
    metric = ImageCaptionAccuracy()
    near = metric.score(trace("a kitten lies on a rug"))
    far = metric.score(trace("stock prices fell sharply"))
    assert near.values["value"] > far.values["value"]


def test_without_vectors_the_words_count(monkeypatch):
    """Neither a sidecar nor the extra: the F1, and the method says so."""
    monkeypatch.setattr(image_caption_accuracy, "installed_embedder", lambda: None)
    metric = ImageCaptionAccuracy()
    assert metric.score(trace("a dog on a mat")) == lexical("a dog on a mat")
    away = FakeInference()
    away.down = True
    assert ImageCaptionAccuracy(inference=away).score(trace("x")).method == "lexical"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (AgentTrace(trace_id="t", answer="x"), "no_reference"),
        (trace("x", None, answer="an answer is no caption"), "no_reference"),
        (trace("x", "  "), "no_reference"),
        (trace("x", "..."), "no_reference"),
        (trace(None), "no_answer"),
    ],
)
def test_what_is_absent_gives_a_reason(given, reason):
    """Never a 0."""
    assert ImageCaptionAccuracy().score(given) == Unscored(reason)


@pytest.mark.parametrize("unit", ["1 ", "twenty ", "a'", "1,", "x", "東", "A cat. "])
def test_hostile_texts_take_no_time(unit):
    """100 KB of any repetition is compared in well under five seconds."""
    assert lexical(unit * (100_000 // len(unit))).values["value"] <= 1


def test_the_documented_mode_counts_sets_with_their_punctuation():
    """`mat.` is no `mat`: {a, cat, on} of 4 on both sides; the caption, or else the answer."""
    documented = ImageCaptionAccuracy(mode="documented", use_semantic=False)
    assert documented.score(trace("a cat on a mat.")).values == {"value": pytest.approx(0.75)}
    answer = trace("a cat on a mat.", None, answer="a cat on a mat.")
    assert documented.score(answer).values == {"value": 1.0}


def test_the_documented_mode_does_not_do_without_vectors(monkeypatch):
    """The original cannot even be made then; with words only it would be another metric."""
    monkeypatch.setattr(image_caption_accuracy, "installed_embedder", lambda: None)
    documented = ImageCaptionAccuracy(mode="documented")
    wanted = Unscored("embedder_not_installed", "skipped")
    assert documented.score(trace("a cat")) == wanted
    away = FakeInference()
    away.down = True
    refused = ImageCaptionAccuracy(mode="documented", inference=away).score(trace("a cat"))
    assert refused.detail == {"error": "embedder_not_installed"}
