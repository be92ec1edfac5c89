import time

import pytest

from metrics.quality import grounding as grounds
from scorer.api import AgentTrace, Document, Unscored

WARRANTY = (
    "Acme X200 dishwasher: the limited warranty period is two years and covers parts and labour."
)
CARE = "Acme X200 dishwasher: clean the filter once a month and run a hot cycle with descaler."


def claims(answer, *contexts):
    found = grounds.ground(answer, contexts)
    return found.supported, found.claims


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        # all but "comes": acme x200 two year limited warranty cover parts labour
        (
            "The Acme X200 comes with a two-year limited warranty that covers parts and labour.",
            (1, 1),
        ),
        # ten is not in the context: a number is required
        ("The Acme X200 dishwasher comes with a ten-year warranty.", (0, 1)),
        # the name Bosch is not in the context
        ("The limited warranty period of the Bosch dishwasher is two years.", (0, 1)),
        # 2 = two
        ("The warranty period is 2 years.", (1, 1)),
    ],
)
def test_a_claim_needs_its_numbers_its_names_and_most_of_its_words(answer, expected):
    """Numbers and names are all required, and of the other words so many as half its weight."""
    assert claims(answer, WARRANTY, CARE) == expected


def test_words_of_two_contexts_support_less_than_words_of_one():
    """Filter and month stand in one context, warranty and labour in another."""
    spread = grounds.ground("The warranty covers the filter, labour and month.", (WARRANTY, CARE))
    together = grounds.ground("The warranty covers labour and parts.", (WARRANTY, CARE))
    assert spread.share < together.share


def test_the_more_words_are_found_the_more_support():
    """Each word that is missing takes from the support, down to nothing."""
    context = "we sell apples bananas cherries"
    sold = ("cherries", "dates", "figs")
    values = [
        grounds.ground(f"we sell apples {one} {other}", (context,)).share
        for one, other in (("bananas", "cherries"), ("bananas", "dates"), ("figs", "dates"))
    ]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    assert grounds.ground("zebras chase elephants", (context,)).share == 0.0
    assert len(set(values)) == len(sold)


def test_one_bad_sentence_weighs_more_in_a_long_answer_than_its_part():
    """The value is half the mean and half the least."""
    good = "The warranty covers parts and labour. The limited warranty period is two years."
    bad = "Zebras chase elephants at dawn."
    found = grounds.ground(f"{good} {bad}", (WARRANTY,))
    assert found.weakest == 0.0
    assert found.share < 0.4
    assert found.supported == 2


@pytest.mark.parametrize(
    ("answer", "context", "why"),
    [
        ("The filter is not covered.", "The filter is covered.", "negation"),
        ("The filter is covered.", "The filter is not covered.", "negation"),
        ("Profits rose in the second year.", "Profits fell in the second year.", "opposite"),
        ("It opened before the war in Spain.", "It opened after the war in Spain.", "opposite"),
        (
            "In the spring Acme Corp bought Bolt Ltd.",
            "In the spring Bolt Ltd bought Acme Corp.",
            "order",
        ),
        (
            "Joe joined Albion in June 1950.",
            "Joe joined Albion in April 1950. June is hot.",
            "number",
        ),
        ("The trip took 4 months by sea.", "The trip took 4 years by sea.", "number"),
        ("Anna Smith leads the team.", "Berta Jones leads the team.", "name"),
        ("Zebras chase elephants at dawn.", "Anna leads the team.", "words"),
    ],
)
def test_what_speaks_against_a_claim_is_named(answer, context, why):
    """Each kind of fault has a word in the detail and a phrase in the explanation."""
    found = grounds.ground(answer, (context,))
    assert found.supported == 0
    assert why in grounds.detail(found)["why"][0]


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("The WHO met in Geneva.", "The World Health Organization met in Geneva."),
        ("The World Health Organization met in Geneva.", "The WHO met in Geneva."),
        ("In 1999 Acme Corp bought Bolt Ltd.", "Acme Corp bought Bolt Ltd in 1999."),
        ("Bolt Ltd was bought by Acme Corp.", "Acme Corp bought Bolt Ltd."),
        ("They don't charge a fee.", "They do not charge a fee."),
        ("Profits did not fall.", "Profits did not fall but rose."),
    ],
)
def test_another_wording_is_no_contradiction(answer, context):
    """Acronyms, other orders, the passive and short forms say the same."""
    assert claims(answer, context) == (1, 1)


@pytest.mark.parametrize(
    ("good", "bad", "context"),
    [
        ("東京は日本の首都です。", "大阪は韓国の首都です。", "日本の首都は東京です。"),
        ("保修期为两年。", "保修期为十年半。", "该产品的保修期为两年。"),
        ("서울은 한국의 수도이다.", "부산은 일본의 항구이다.", "한국의 수도는 서울이다."),
        ("Столица Франции Париж.", "Столица Франции Лион.", "Париж столица Франции."),
        ("العاصمة هي القاهرة.", "العاصمة هي دمشق.", "القاهرة هي العاصمة."),
        ("La garantie dure deux ans.", "La garantie dure dix ans.", "Une garantie de deux ans."),
        ("La capital es Madrid.", "La capital es Lisboa.", "Madrid es la capital."),
        (
            "Garantie deckt Teile ab.",
            "Garantie deckt keine Teile ab.",
            "Die Garantie deckt Teile ab.",
        ),
        (
            "Stolicą Polski jest Warszawa.",
            "Stolicą Polski jest Kraków.",
            "Warszawa jest stolicą Polski.",
        ),
    ],
)
def test_good_and_bad_are_told_apart_in_many_languages(good, bad, context):
    """Also in scripts without spaces, and in languages that have no table of function words."""
    assert grounds.ground(good, (context,)).share > grounds.ground(bad, (context,)).share


def test_contexts_do_not_change_the_language_of_an_answer():
    """A context in another language takes nothing from what the first supports."""
    answer = "The warranty covers parts and labour."
    alone = grounds.ground(answer, (WARRANTY,))
    german = "Die Garantie ist für alle Teile und die Arbeit und sie ist zwei Jahre."
    assert grounds.ground(answer, (german, WARRANTY)).share >= alone.share


@pytest.mark.parametrize(
    "sentence",
    [
        "What is the warranty?",
        "Hello there!",
        "Sure!",
        "Let me know if you need more help with the dishwasher.",
        "Here is what the documents say:",
        "I'm sorry, I could not find the warranty.",
        "The provided documents do not mention a price.",
        "Yes, it is.",
        "## Warranty terms",
        "```\nprint('moon cheese')\n```",
        "Ich weiß es leider nicht.",
    ],
)
def test_questions_greetings_and_admissions_claim_nothing(sentence):
    """A sentence that says nothing about the world is no claim, supported or not."""
    assert claims(sentence, WARRANTY)[1] == 0


@pytest.mark.parametrize(
    "answer",
    [
        "- The warranty period is two years.\n- It covers parts and labour.",
        "1. The warranty period is two years [1].\n2. It covers **parts** and labour [1, 2].",
        "The warranty period is two years. It covers parts and labour.【4†source】",
    ],
)
def test_list_items_are_claims_and_marks_are_not_numbers(answer):
    """List markers, emphasis and citations are no content."""
    assert claims(answer, WARRANTY) == (2, 2)


@pytest.mark.parametrize(
    ("answer", "context", "expected"),
    [
        ("Die Garantie deckt Teile ab.", "Es gibt eine Garantie, die alle Teile abdeckt.", (1, 1)),
        ("La garantía cubre las piezas.", "Las piezas están cubiertas por la garantía.", (1, 1)),
        ("東京は日本の首都です。", "日本の首都は東京です。", (1, 1)),
        ("パリはフランスの町です。", "日本の首都は東京です。", (0, 1)),
        ("The price is 1,000 euros.", "Price: 1000.00 euros", (1, 1)),
        ("The price is 1,000 euros.", "Price: 100 euros", (0, 1)),
    ],
)
def test_claims_are_compared_in_their_language(answer, context, expected):
    """Stems, unspaced scripts and number formats do not get in the way."""
    assert claims(answer, context) == expected


@pytest.mark.parametrize(
    ("answer", "context", "supported"),
    [
        ("It earned 1.5 billion dollars.", "It earned 1.5 million dollars.", False),
        ("It earned $1.5M.", "It earned 1,500,000 dollars.", True),
        ("It drew 42,500 people.", "It drew 42.5 people.", False),
        ("It weighs 5 lbs.", "It weighs 5 kg.", False),
        ("It weighs 5 kilograms.", "It weighs 5 kg.", True),
        ("It costs $42.", "It costs €42.", False),
        ("It costs 42 USD.", "It costs 42 EUR.", False),
        ("It was -5 degrees.", "It was 5 degrees.", False),
        ("It was 5 degrees.", "It was -5 degrees.", False),
        ("It has a 3-year warranty.", f"{WARRANTY} It has 3 racks.", False),
        ("It has a two-year warranty.", f"{WARRANTY} It has 3 racks.", True),
        ("The event is in May.", "The event may be in June.", False),
        ("The event is on 12 May 2024.", "Event date: 2024-05-12", True),
        ("Write to help@acme.com.", "Write to support@acme.com for help.", False),
        ("See acme.com/refund for details.", "See acme.com/returns for refund details.", False),
        ("See https://www.acme.com/a for it.", "See acme.com/a.", True),
        ("She finished third.", "She finished 3rd.", True),
        ("She finished third.", "She finished 2nd.", False),
        ("It costs ٤٢ euros.", "It costs 42 euros.", True),
        ("It costs ٤٣ euros.", "It costs 42 euros.", False),
        ("Es dauert fünfundzwanzig Jahre.", "Es dauert fünf Jahre.", False),
        ("Es dauert fünfundzwanzig Jahre.", "Es dauert 25 Jahre.", True),
        ("Es kostet 42.500 Euro.", "Es kostet 42500 Euro.", True),
        ("Es kostet 42.500 Euro.", "Es kostet 42,5 Euro.", False),
    ],
)
def test_an_invented_amount_date_or_address_is_found(answer, context, supported):
    """Every number counts with its size, sign and unit; months and addresses count too."""
    assert claims(answer, context) == (int(supported), 1)


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("5,900,000 people visited it.", "5.9 million people visited it."),
        ("5.9 million people visited it.", "5,900,000 people visited it."),
        ("It is three hundred and thirty metres tall.", "It is 330 metres tall."),
        ("It is 300 metres tall.", "It is three hundred metres tall."),
        ("Height: 330 m", "It is 330 metres tall."),
        ("- Weight: 10,100 t", "It weighs 10,100 tonnes."),
    ],
)
def test_the_same_amount_written_otherwise_is_no_contradiction(answer, context):
    """Other digits stand in its place, but they are those of the same number."""
    assert claims(answer, context) == (1, 1)


def test_what_the_user_said_is_no_invention_unless_it_is_denied():
    """The number of an order may be repeated, a wrong warranty may not."""
    order = "Your order 4711 falls under the limited warranty."
    assert grounds.ground(order, (WARRANTY,)).supported == 0
    assert grounds.ground(order, (WARRANTY,), "My order is 4711.").supported == 1
    wrong = "The warranty period is 3 years."
    assert grounds.ground(wrong, (WARRANTY,), "Is it 3 years?").supported == 0


def test_the_address_of_a_document_may_be_cited():
    """Its id is known, though it does not stand in its text."""
    document = Document(WARRANTY, id="https://acme.com/warranty")
    answer = "The warranty period is two years, see https://acme.com/warranty."
    view = AgentTrace(trace_id="t", answer=answer, contexts=(document,))
    assert grounds.grounding_of(view).supported == 1
    other = AgentTrace(trace_id="t", answer=answer, contexts=(Document(WARRANTY),))
    assert grounds.grounding_of(other).supported == 0


def test_the_id_of_a_document_says_nothing_of_the_language():
    """A file name in German does not make the answer German."""
    right = Document("Paris Paris Paris.", id="1")
    other = Document(".", id="der-die-das nicht und ist")

    def share(*contexts):
        answer = "The tower stands in Paris."
        view = AgentTrace(trace_id="t", answer=answer, contexts=contexts)
        return grounds.grounding_of(view).share

    assert share(other, right) == share(right)


def test_quotes_hold_no_personal_data_and_no_secrets():
    """Neither in the detail nor in the explanation, wherever a sentence is cut."""
    answer = (
        "Her SSN is 078\u201105\u20111120 and her card is 4111 1111 1111 1111. "
        "Write to ann@example.com or call (555) 010-4477.\n"
        "The key is sk-proj-abcDEF123456789 and the password is swordfish.\n"
        f"{'Unicorns eat moonlight ' * 8} 4111 1111 1111 1111."
    )
    found = grounds.ground(answer, (WARRANTY,))
    shown = repr([grounds.detail(found), grounds.explain(found)])
    for secret in ("1120", "4111", "ann@", "4477", "abcDEF", "swordfish"):
        assert secret not in shown
    assert "[ssn]" in shown


def test_sentences_beyond_the_first_500_are_counted():
    """A long answer says so in its detail; a short one says nothing."""
    long = grounds.ground("It covers parts and labour.\n" * 510, (WARRANTY,))
    assert grounds.detail(long)["unread"] == 10
    assert "unread" not in grounds.detail(grounds.ground("It covers parts.", (WARRANTY,)))


def test_the_unsupported_sentences_are_named_and_bounded():
    """At most ten sentences of at most 200 characters are kept."""
    answer = "\n".join(f"Unicorn number {i} eats {'moonlight ' * 60}." for i in range(20))
    found = grounds.ground(answer, (WARRANTY,))
    assert (found.supported, found.claims) == (0, 20)
    assert len(found.unsupported) == 10
    assert max(len(item.text) for item in found.unsupported) == 200
    assert "Unicorn number 0" in grounds.explain(found)


@pytest.mark.parametrize(
    "beside",
    [
        "It was -5 degrees in the old town of Acme.",
        "Sure, it was 5 degrees in the old town of Acme.",
        "In May it was 5 degrees in the old town of Acme.",
        "See acme.com for the old town and the river of Acme.",
        "Yes, it is.",
    ],
)
def test_what_stands_in_a_context_is_read_as_it_is_alone(beside):
    """A sign, a courtesy or a month in one sentence changes nothing for the others."""
    sentences = [WARRANTY, beside, CARE]
    contexts = (" ".join(sentences), "It was 5 degrees in the old town of Acme.")
    alone = [grounds.ground(sentence, contexts) for sentence in sentences]
    together = grounds.ground(" ".join(sentences), contexts)
    assert together.claims == sum(found.claims for found in alone)
    assert together.supported == sum(found.supported for found in alone)
    assert together.weakest == min(found.weakest for found in alone)
    assert together.unclaimed == sum(found.unclaimed for found in alone)


@pytest.mark.parametrize("space", ["  ", "\t", "\n", "\u00a0", "\u2028", "\x1f", " \u200b "])
def test_a_sentence_is_shown_on_one_line(space):
    """Whatever spaces a value of JSON holds, one parts its words."""
    text = f" unicorns{space}eat moonlight "
    assert grounds._on_one_line(text) == " ".join(text.split())
    assert grounds._on_one_line(text.strip()) == " ".join(text.split())
    assert grounds._on_one_line("unicorns eat moonlight") == "unicorns eat moonlight"


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (AgentTrace(trace_id="t", contexts=(Document("c"),)), "no_answer"),
        (AgentTrace(trace_id="t", answer="A fact."), "no_contexts"),
        (AgentTrace(trace_id="t", answer="A fact.", contexts=()), "no_contexts"),
        (
            AgentTrace(trace_id="t", answer="A fact.", contexts=(Document(None, id="d"),)),
            "context_text_not_captured",
        ),
        (AgentTrace(trace_id="t", answer="", contexts=(Document("c"),)), "no_claims"),
    ],
)
def test_what_cannot_be_measured_has_a_reason(trace, reason):
    """Without an answer, a context text or a claim there is no value."""
    assert grounds.grounding_of(trace) == Unscored(reason)


@pytest.mark.parametrize(
    "unit", ["a", ". ", "...", "1,000.", "[1", "`", "A b. ", "東京", "twenty-"]
)
def test_hostile_text_takes_linear_time(unit):
    """100 KB of any repetition is worked through in well under five seconds."""
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    grounds.ground(text, (text,))
    assert time.process_time() - start < 5
