import re

from metrics.quality import sources
from metrics.quality.sources import MAX_POSTINGS, Source, is_signed
from metrics.quality.stems import END


def source(*contexts):
    return Source(contexts, "english")


def test_sentences_are_numbered_through_and_contexts_kept_apart():
    """Neighbours are always of one context."""
    found = source("Rain fell. Snow fell.", "Wind blew.")
    rain, snow, wind = (found.places[stem][0] for stem in ("rain", "snow", "wind"))
    assert snow == rain + 1
    assert wind > snow + 1
    assert found.owners[rain] == found.owners[snow] == 0
    assert found.owners[wind] == 1
    assert found.sentence(snow) == ["snow", "fell"]
    assert found.sentence(-1) == []
    assert found.sentence(10_000) == []


def test_pairs_and_quotes_ignore_contexts_with_negative_numbers():
    """In "-5 degrees" 5 stands beside degrees, and yet it is not 5 degrees."""
    assert source("It was 5 degrees.").has_pair("5", "degree")
    assert not source("It was -5 degrees.").has_pair("5", "degree")
    assert source("It was 5 degrees.").quotes(["5", "degree"])
    assert not source("It was -5 degrees.").quotes(["5", "degree"])
    assert is_signed("a loss of -5")
    assert not is_signed("a two-year loss")


def test_acronyms_are_spelt_by_names():
    """Links such as "of" do not count, and parts of a name count too."""
    found = source("The World Health Organization and the Federal Bureau of Investigation.")
    assert [found.spelling(name) for name in ("who", "fbi", "bi", "wf")] == [[0], [0], [0], []]
    both = Source(["The Bureau.", "The World Health Organization."], "english")
    assert both.spelling("who") == [1]
    assert both.spelt == {"wh", "ho", "who"}
    assert not source("The iPhone Store").spelt


def test_words_are_known_as_they_are_written():
    """WHO is another word than who."""
    assert source("The WHO met.").has_word("WHO")
    assert not source("Those who met.").has_word("WHO")


def test_a_word_is_once_per_sentence_in_the_index():
    """However often it occurs there."""
    assert source("rain rain rain. rain").places["rain"] == [0, 1]
    assert MAX_POSTINGS > 2


def test_only_wanted_stems_are_indexed():
    """The others still stand in the sentences."""
    found = Source(["Rain fell. Snow fell."], "english", frozenset({"snow"}))
    assert found.places == {"snow": [1]}
    assert found.words(1) == {"snow"}
    assert found.sentence(0) == ["rain", "fell"]


def test_names_are_known_by_the_acronyms_of_the_contexts():
    """An acronym has two letters at least, and is a word of its own."""
    name = "the World Health Organization"
    assert list(source("The WHO met.").acronyms_spelt(name)) == [
        (["World", "Health", "Organization"], {0})
    ]
    assert not list(source("Those who met, the WHOM.").acronyms_spelt(name))
    assert not list(source("Plan W failed.").acronyms_spelt("The Wall"))
    assert not list(source("The Whole Hog and Os, McWHO.").acronyms_spelt(name))


def test_a_name_is_found_at_once_that_going_back_would_find():
    """The plain pattern gives back letters and words to look for another end."""
    plain = re.compile(
        r"(?<![A-Za-z])(?:[A-Z][A-Za-z]+[ -](?:(?:of|the) ){0,2}){1,8}[A-Z][A-Za-z]+"
    )
    for text in (
        "Bank of the West of rain, A Big-Bank of Of Ohio and x Bank-of the West",
        "One " * 12 + "Two-the Three of the",
        "BIG Bank of the of West. Bank  West, Bank of, The Bank's West",
    ):
        assert plain.findall(text) == sources._NAME_RUN.findall(text)


def test_a_quote_may_reach_over_the_end_of_a_sentence():
    """As a claim may hold two; which stems are indexed changes nothing."""
    stems = ["rain", "fell", END, "snow", "fell"]
    for wanted in (frozenset(stems), None):
        found = Source(["Rain fell. Snow fell.", "Wind blew."], "english", wanted)
        assert found.quotes(stems)
        assert not found.quotes([*stems, END, "wind"])
        assert not found.quotes(["snow", "fell", END, END, END, "wind"])
