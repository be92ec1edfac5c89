import pytest

from metrics.multimodal.modalities import _UNSPACED, _WORDS, spoken_of

KINDS = ["image", "audio", "video", "document"]


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("The photos and the recording are from May.", ["image", "audio"]),
        ("Das Bild zeigt, was in der Aufnahme nicht zu hören ist.", ["image", "audio"]),
        ("La vidéo montre la scène que le document décrit.", ["image", "video", "document"]),
        ("En la imagen se ve lo que dice la grabación.", ["image", "audio"]),
        ("Il filmato non corrisponde alla fotografia che è nel documento.", KINDS[:1] + KINDS[2:]),
        ("A gravação de voz não está no arquivo que você enviou.", ["audio", "document"]),
        ("Op de foto is niet te zien wat er in het bestand staat.", ["image", "document"]),
        ("この画像には猫が写っています。", ["image"]),
        ("视频里有一只猫", ["video"]),
        ("사진에는 고양이가 있습니다", ["image"]),
        ("", []),
    ],
)
def test_media_are_mentioned_in_the_language_of_the_answer(answer, kinds):
    """In any form of the word."""
    assert spoken_of(answer, "", KINDS) == kinds


def test_a_word_of_another_language_mentions_nothing():
    """A German lake is not the English `see`."""
    assert spoken_of("Der See ist nicht tief und die Insel ist klein.", "", KINDS) == []


def test_the_language_of_the_question_helps_a_short_answer():
    """One word has none of its own."""
    assert spoken_of("Bild", "Was ist das für eine Datei und wo ist sie?", KINDS) == ["image"]


def test_only_kinds_that_are_asked_for_are_told():
    """What the trace does not hold is no mention."""
    assert spoken_of("A photo and a recording.", "", ["audio"]) == ["audio"]


@pytest.mark.parametrize("unit", ["photo ", "x", "東", "1,", "a'"])
def test_hostile_texts_take_no_time(unit):
    """100 KB of any repetition is read in well under five seconds."""
    assert spoken_of(unit * (100_000 // len(unit)), "", KINDS) in ([], ["image"])


def test_each_language_has_words_for_each_kind():
    """None is a hole through which a kind could never be mentioned."""
    for words in (*_WORDS.values(), _UNSPACED):
        assert list(words) == KINDS
        assert all(words.values())
