import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.quality import text as texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One ends. Two begins! Three?", ["One ends.", "Two begins!", "Three?"]),
        (
            "Dr. Roe met Mr. J. Poe at 3.5 km. He ran.",
            ["Dr. Roe met Mr. J. Poe at 3.5 km.", "He ran."],
        ),
        ("It costs approx. ten euros. Fine.", ["It costs approx. ten euros.", "Fine."]),
        ("Am 3. Mai kam er, z.B. zu Fuß. Gut.", ["Am 3. Mai kam er, z.B. zu Fuß.", "Gut."]),
        ("He was born in 1950. She was not.", ["He was born in 1950.", "She was not."]),
        ("¿Qué? Es así. «Sí.» Bien.", ["¿Qué?", "Es así.", "«Sí.»", "Bien."]),
        ("東京は首都です。大きいです。", ["東京は首都です。", "大きいです。"]),
        ("First line\nSecond line", ["First line", "Second line"]),
        ("a wrapped\nline goes on", ["a wrapped\nline goes on"]),
        ("a wrapped\n line etc.\ngoes on. Good.", ["a wrapped\n line etc.\ngoes on.", "Good."]),
        ("a paragraph\n\nis none", ["a paragraph", "is none"]),
        ("Is it? It is! One… ends.\nSo?", ["Is it?", "It is!", "One…", "ends.", "So?"]),
        ("What?! Yes... (Or not.) So.", ["What?!", "Yes...", "(Or not.)", "So."]),
        ("See v1.2. beta", ["See v1.2. beta"]),
        ("Version v1.2. Next", ["Version v1.2. Next"]),
        (". alone", [".", "alone"]),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_text_is_split_at_sentence_ends_only(text, expected):
    """Abbreviations, initials, decimals, ordinals and wrapped lines end no sentence."""
    assert texts.sentences(text) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("1000", ("1000",)),
        ("1,000", ("1000", "1")),
        ("1.000", ("1000", "1")),
        ("1,000,000", ("1000000",)),
        ("1.234,56", ("1234.56",)),
        ("1,234.50", ("1234.5",)),
        ("3.5", ("3.5",)),
        ("007", ("7",)),
        ("50.0", ("50",)),
        ("24.12.2025", ("24.12.2025",)),
    ],
)
def test_a_number_is_read_in_every_locale(number, expected):
    """Separators of thousands and trailing zeros do not matter; ambiguity gives two readings."""
    assert texts.readings(number) == expected


def test_the_parts_of_a_date_are_numbers_too():
    """A context that holds a date supports its year."""
    assert texts.parts_of("24.12.2025") == ["24", "12", "2025"]
    assert texts.parts_of("1,000") == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The warranty of the dishwasher is two years.", "english"),
        ("Die Garantie für das Gerät ist nicht sehr lang.", "german"),
        ("La garantie de cet appareil est de deux ans pour les pièces.", "french"),
        ("La garantía de este aparato es de dos años para las piezas.", "spanish"),
        ("La garanzia di questo apparecchio è di due anni per le parti.", "italian"),
        ("A garantia deste aparelho não é de dois anos para as peças.", "portuguese"),
        ("De garantie van het apparaat is niet erg lang voor een jaar.", "dutch"),
        ("X200", "english"),
    ],
)
def test_the_language_shows_in_function_words(text, language):
    """The language with the most function words wins; English where there is none."""
    assert texts.language_of(text) == language


def test_tokens_are_words_numbers_and_pairs_of_unspaced_characters():
    """Scripts without spaces become overlapping pairs, so that parts can match."""
    assert texts.words("GPT-4o costs 1,000 €, 東京都。") == [
        "GPT",
        "4",
        "o",
        "costs",
        "1,000",
        "東京",
        "京都",
    ]
    assert texts.words("plain X200 don't") == ["plain", "X200", "don", "t"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\uff14\uff12 \u0664\u0662 \u096a\u0968", "42 42 42"),
        ("10\u202f000 km", "10'000 km"),
        ("1\u066b5 \u066a", "1.5 %"),
        ("\ud800 x", "? x"),
    ],
)
def test_digits_of_any_script_are_read(text, expected):
    """Numbers are written in ASCII digits, and a thin space does not part them."""
    assert texts.normalise(text) == expected


@pytest.mark.parametrize(
    ("number", "mark", "expected"),
    [
        ("42,500", None, ("42500", "42.5")),
        ("42,500", ".", ("42500",)),
        ("42,500", ",", ("42.5",)),
        ("42.500", ",", ("42500",)),
        ("1'000", ".", ("1000",)),
        ("1,23,456", None, ("123456",)),
    ],
)
def test_a_known_decimal_mark_leaves_one_reading(number, mark, expected):
    """Three digits behind a mark are thousands or a fraction, by the habit of the text."""
    assert texts.readings(number, mark) == expected


def test_a_text_without_function_words_has_the_default_language():
    """Nothing to tell by."""
    assert texts.language_of("42", default="german") == "german"
    assert texts.language_of("42") == "english"


def test_forms_of_a_word_share_a_stem():
    """Inflected forms compare equal."""
    assert texts.stem("english", "covers") == texts.stem("english", "covered")
    assert texts.stem("german", "häuser") == texts.stem("german", "häusern")


@given(st.text(alphabet="aB1.,'_ \u2019\u201c\u2014\u2026\u00e9\u00df\u0130\u6771\u00ae"))
def test_quick_ways_to_cut_a_text_change_nothing(text):
    """Typography, and letters that fold into two, are cut as by the full pattern."""
    expected = [token for token in texts._TOKEN.findall(text) if not texts.is_unspaced(token)]
    found = [token for token in texts.words(text) if not texts.is_unspaced(token)]
    assert found == expected
    assert texts.folded_words(text) == [word.casefold() for word in texts.words(text)]


_SIGNS = (
    "a1 5\u00a0\u2009\u202fé\u0301\u0345ªº½²ﬁ™\u00b4…“’–\uff0c（"
    "\u1100\u1161\uac00\u11a8か\u3099\uff9e٣\u066a\u066b१\ud800"
)


@given(st.text(alphabet=_SIGNS))
def test_a_text_is_made_normal_sign_by_sign_as_it_is_in_full(text):
    """Where the neighbours of a sign matter, all of the text is."""
    full = re.sub("[\ud800-\udfff]", "?", text)
    full = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))", "'", full)
    full = unicodedata.normalize("NFKC", full)
    full = full.replace("\u066a", "%").replace("\u066b", ".")
    full = re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit.group())), full)
    assert texts.normalise(text) == full


_WORDS = ("the", "The", "ist", "für", "FÜR", "“la", "l’été", "d'un", "1st", "_the", "a1", "\ud800")


@given(st.lists(st.sampled_from((*_WORDS, "e\u0301", "1.000", "東京", "naïve", "İ"))))
def test_function_words_are_found_as_the_tokens_are(words):
    """Cut at ASCII signs a text has the same ones."""
    text = " ".join(words)
    tokens = texts.folded_words(texts.normalise(text))
    assert texts._named(text) == "".join(texts._LANGUAGES.get(token, "") for token in tokens)


@given(st.text(alphabet="aB1 .!?…\"')»。！？」\t"))
def test_the_marks_that_end_a_sentence_are_found_one_by_one(text):
    """As by one pattern for all of them, which is slower."""
    end = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|(?<![。！？])[。！？]++[」』”’）]*+")
    spans = [found.span() for pattern in texts._ENDS.values() for found in pattern.finditer(text)]
    assert sorted(spans) == [found.span() for found in end.finditer(text)]


@given(st.lists(st.text(alphabet="aB1., \x04\u00e9\u6771"), min_size=1))
def test_texts_that_are_cut_at_once_are_cut_as_one_by_one(written):
    """Whatever stands in them, a text with unspaced words among them."""
    assert texts.words_of(written) == [texts.words(text) for text in written]
