import pytest

from metrics.quality.refusals import clauses, is_hedge, may_exempt, turns, without_apology

HEDGES = [
    "I don't know the price.",
    "I could not find it.",
    "I'm not sure.",
    "The provided documents do not mention a price.",
    "There is no information about this.",
    "It isn't mentioned in the context.",
    "The answer is not in the documents.",
    "This cannot be determined.",
    "Let me know if you have any questions.",
    "Ich weiß es leider nicht.",
    "Dazu kann ich nichts sagen.",
    "In den Dokumenten steht dazu nichts.",
    "Je ne sais pas.",
    "Je n'ai trouvé aucune information.",
    "Les documents ne précisent pas le prix.",
    "No lo sé.",
    "No tengo esa información.",
    "El documento no especifica el precio.",
    "Non lo so.",
    "Non ho trovato nulla.",
    "Não sei.",
    "Não encontrei essa informação.",
    "Dat weet ik niet.",
    "Ik heb daar geen informatie over.",
]


@pytest.mark.parametrize("text", HEDGES)
def test_admissions_and_courtesies_are_hedges(text):
    """In each language that the metrics know."""
    assert is_hedge(text)


@pytest.mark.parametrize(
    "text",
    [
        "Penguins are not found in the Arctic.",
        "This helps the motor to cool down.",
        "The plan offers additional assistance of $500.",
        "The kettle does not contain lead.",
        "Die Garantie gilt nicht für Glas.",
        "La garantie ne couvre pas le verre.",
        "La garantía no cubre el vidrio.",
    ],
)
def test_a_negative_fact_is_no_hedge(text):
    """Saying what is not so is a claim."""
    assert not is_hedge(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("I'm sorry, the warranty ended.", "the warranty ended."),
        ("Unfortunately, it is broken.", "it is broken."),
        ("Leider ist es kaputt.", "ist es kaputt."),
        ("Sorry, but it is broken.", "it is broken."),
        ("I'm sorry to hear that it broke.", ""),
        ("It is a sorry sight.", "It is a sorry sight."),
    ],
)
def test_an_apology_is_taken_off(text, rest):
    """What follows it may be a claim, unless it is what one is sorry for."""
    assert without_apology(text) == rest


def test_a_sentence_is_parted_where_it_turns():
    """At "but" and the like; at commas only where a clause can begin."""
    assert turns("I do not know, but it is red; it is big") == [
        "I do not know",
        "it is red",
        "it is big",
    ]
    assert clauses("I found no price, colour or size, the weight is 5 kg") == [
        "I found no price, colour or size",
        "the weight is 5 kg",
    ]


APOLOGIES = [
    "I'm sorry, it broke.",
    "Unfortunately, it is broken.",
    "«Es tut mir leid.»",
    "Je suis désolée.",
    "INFELIZMENTE não.",
]


@pytest.mark.parametrize("text", [*HEDGES, *APOLOGIES])
def test_a_sentence_that_exempts_is_found_among_others(text):
    """One search in all of them finds each that has a hedge or an apology."""
    assert is_hedge(text) or without_apology(text) != text
    assert may_exempt(["It is red.", text, "It is big.", "", text]) == {1, 4}
    assert may_exempt([text]) == {0}
    assert may_exempt(["It is red.", "It is big."]) == may_exempt([]) == set()


def test_a_hedge_that_spans_sentences_may_exempt_each():
    """What is found across their border may hide one that begins in the second."""
    assert may_exempt(["Das kann ich auch", "Ich weiß nichts", "Rot"]) == {0, 1}
