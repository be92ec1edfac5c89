from metrics.quality.said import FAINT, heard, said, say_plainly, terms_in


def test_names_and_numbers_weigh_most_and_function_words_nothing():
    """Long words weigh more than short ones."""
    claim = said("The tall tower of Paris weighs 10,100 tons", "english")
    weights = claim.weights
    assert weights["pari"] == weights["10100"] > weights["tower"] > weights["tall"] > FAINT
    assert "" not in weights
    assert claim.names == {"pari"}
    assert claim.numbers == {"10100"}


def test_the_first_word_of_a_sentence_is_no_name_unless_its_letters_say_so():
    """Any word may stand there; NASA and X200 may not be any word."""
    assert said("Towers stand", "english").names == frozenset()
    assert said("NASA stands", "english").names == {"nasa"}
    assert said("X200 stands", "english").names == {"x200"}


def test_german_nouns_are_no_names():
    """There every noun has a capital."""
    assert said("Die alte Garantie", "german").names == frozenset()


def test_scripts_without_capitals_have_no_names():
    """A pair of characters is no name."""
    assert said("日本の首都は東京です", "english").names == frozenset()


def test_what_the_question_says_weighs_little():
    """The answer repeats it, which is no invention."""
    free = said("The warranty is long", "english")
    told = said("The warranty is long", "english", frozenset({"warranti"}))
    assert told.weights["warranti"] < free.weights["warranti"]
    assert told.given == {"warranti"}


def test_a_negation_reaches_the_next_words():
    """Function words do not count on the way, and it ends somewhere."""
    claim = said("It does not cover the labour of other old machines here", "english")
    assert {"cover", "labour"} <= claim.negated
    assert "machin" not in claim.negated


def test_a_sentence_says_something_plainly_if_it_is_long_enough():
    """Function words alone say nothing; a month needs a second look."""
    plainly = {
        "The tall tower of Paris is old": True,
        "The tower stands": False,
        "It is what it is and was": False,
        "The tall tower of Paris opened in June": False,
    }
    assert say_plainly(heard(list(plainly), "english"), "english") == list(plainly.values())


def test_terms_are_what_is_no_function_word():
    """Neither negations, signs, nor words that are function words but for their opposite."""
    stems = heard(["No more than 5 % of the kettles, $3"], "english")[0].stems
    assert terms_in(stems, "english") == {"5", "percent", "kettl", "3"}
