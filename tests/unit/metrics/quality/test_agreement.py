import pytest

from metrics.quality.agreement import agreement


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("The capital of France is Lyon.", "The capital of France is Paris."),
        ("Lyon is the capital of France", "Paris is the capital of France"),
        ("Die Hauptstadt ist Lyon.", "Die Hauptstadt ist Paris."),
        ("Isaac Newton wrote the theory", "The theory was by Albert Einstein"),
        ("It weighs 10 lbs", "It weighs 10 kg"),
        ("It costs 1.5 billion", "It costs 1.5 million"),
        ("It is 5 degrees", "It is -5 degrees"),
        ("In May it rained", "In June it rained"),
        ("Write to a@acme.com", "Write to b@acme.com"),
        ("The warranty covers water.", "The warranty does not cover water."),
        ("El perro no ladra.", "El perro ladra."),
        ("The capital is not Paris.", "Paris"),
        ("No evidence was found", "Yes, evidence was found"),
    ],
)
def test_other_numbers_and_names_and_negations_contradict(answer, reference):
    """However many words are common, the value is low."""
    verdict = agreement(answer, reference)
    assert verdict.rule == "contradiction"
    assert verdict.value <= 0.2


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("The capital of France is Paris.", "Paris"),
        ("It is covered for twenty-five days.", "25 days"),
        ("Founded in 1998 by Larry Page.", "1998"),
        ("Yes, it is covered.", "yes"),
        ("Between 2 and 3 years", "3 years"),
    ],
)
def test_a_reference_that_the_answer_holds_is_credited(answer, reference):
    """More words around it take nothing away."""
    verdict = agreement(answer, reference)
    assert (verdict.value, verdict.rule) == (1.0, "contained")


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [
        ("No, it is not.", "Yes", 0.0),
        ("yes", "No, never.", 0.0),
        ("True", "Yes", 1.0),
        ("Nein.", "Ja, das stimmt.", 0.0),
    ],
)
def test_yes_against_no_is_wrong(answer, reference, value):
    """In any language, as a word of its own."""
    verdict = agreement(answer, reference)
    assert (verdict.value, verdict.rule) == (value, "polarity")


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("It is Paris or Lyon", "Paris"),
        ("True love is rare", "love was found"),
        ("Obama", "Barack Obama"),
        ("President Obama", "Barack Obama"),
        ("the big cat", "the cat sat down"),
        ("Cats are liked", "People like cats"),
        ("it was of the", "of the"),
    ],
)
def test_otherwise_words_are_counted(answer, reference):
    """An alternative, half a name, or a paraphrase is neither contained nor contradicted."""
    verdict = agreement(answer, reference)
    assert verdict.rule == "tokens"
    assert verdict.value < 1


def test_what_the_question_says_is_known():
    """Neither its words nor its numbers are asked of the answer, or held against it."""
    question = "What has Anna won in 1999?"
    reference = "In 1999 Anna won the Prix Goncourt."
    assert agreement("Prix Goncourt", reference, question).rule == "contained"
    assert agreement("Anna", reference, question).rule == "tokens"
