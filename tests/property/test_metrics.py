"""Invariants of the metrics, over generated inputs."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.operational.tool_success import ToolSuccess
from metrics.privacy import documented
from metrics.privacy.consent_compliance import ConsentCompliance
from metrics.privacy.data_minimization import DataMinimization
from metrics.privacy.disclosure import Disclosed
from metrics.privacy.folding import fold
from metrics.privacy.masking import masked
from metrics.privacy.patterns import DEFAULT_KINDS, KINDS, Finder
from metrics.privacy.pii_leakage import PiiLeakage
from metrics.quality import text as texts
from metrics.quality.answer_correctness import AnswerCorrectness
from metrics.quality.composite import Composite
from metrics.quality.grounding import ground, grounding_of
from metrics.quality.retrieval_quality import average_precision
from metrics.sustainability.carbon_emissions import CarbonEmissions
from metrics.sustainability.energy_consumption import EnergyConsumption
from metrics.sustainability.resource_utilization import ResourceUtilization
from scorer.api import AgentTrace, Document, Reference, Resources, Score, ToolCall

LEAKS = [
    "mail ann@example.com.",
    "tel (555) 010-4477.",
    "ssn 078-05-1120.",
    "card 4111 1111 1111 1111.",
    "at 12 Main Street.",
    "iban DE89 3704 0044 0532 0130 00.",
    "from 8.8.8.8.",
    "key AKIA2E0A8F3B244C9986.",
]
FACTS = ["The tower stands in Paris.", "It weighs 10,100 tons.", "Gustave Eiffel built it."]
FICTIONS = ["Rockets land on Mars weekly.", "It weighs 99 grams.", "Zebras can play chess."]
TWISTED = [
    "Paris stands in the tower.",
    "It does not weigh 10,100 tons.",
    "It weighs 12,400 tons in May 1999.",
    "It weighed -5 tons.",
    "Maurice Koechlin built it after 1899.",
    "Der Turm steht in Paris.",
]
# The same in several forms, and what has a form of it without saying anything.
FORMS = [
    "NASA moved to Houston.",
    "The National Aeronautics and Space Administration moved to Houston.",
    "NASA is an acronym.",
    "They sold 5,900,000 copies.",
    "They sold 5.9 million copies.",
    "5900000 is a number.",
    "5,900,000 copies are in Rome.",
    "The tower is 330 metres tall.",
    "The tower is three hundred and thirty metres tall.",
    "There are 330 metres.",
    "It opened on 2020-05-03.",
    "It opened on May 3, 2020.",
    "May 3 is a Sunday, and so was 3/5/2020.",
    "It costs twenty-five dollars and 10 cents.",
    "It costs $25.10.",
    "The bus is 25 minutes late.",
]
IDS = ["der-die-das-nicht-und", "1", "https://example.com/the/tower", "Zebras can play", "99 grams"]
TEXT = st.text(max_size=300)
SOURCE = " ".join(FACTS)
FINDER = Finder(KINDS)


@given(st.lists(st.sampled_from(LEAKS), max_size=6), st.sampled_from(LEAKS))
def test_another_leak_never_raises_the_pii_score(leaks, another):
    """More personal data is never safer."""

    def value(parts):
        return PiiLeakage().score(AgentTrace(trace_id="t", answer=" ".join(parts))).values["value"]

    assert value([*leaks, another]) <= value(leaks)


@given(TEXT, st.lists(st.sampled_from(LEAKS), max_size=4), st.sampled_from(LEAKS), st.booleans())
def test_another_leak_after_any_text_never_raises_the_pii_score(text, leaks, another, in_tool):
    """Whatever else was said, and whether it is said or handed to a tool."""
    said = "\n\n".join([text, *leaks])
    before = AgentTrace(trace_id="t", answer=said)
    after = AgentTrace(
        trace_id="t",
        answer=said if in_tool else f"{said}\n\n{another}",
        tool_calls=(ToolCall(name="mail", arguments={"text": another}),) if in_tool else None,
    )
    metric = PiiLeakage()
    assert metric.score(after).values["value"] <= metric.score(before).values["value"]


@given(st.lists(st.sampled_from(FACTS + FICTIONS), min_size=1), st.sampled_from(FACTS))
def test_a_supported_sentence_never_lowers_faithfulness(sentences, fact):
    """Another claim with a source makes an answer at least as faithful."""
    before = ground(" ".join(sentences), (SOURCE,))
    after = ground(" ".join([*sentences, fact]), (SOURCE,))
    assert after.share >= before.share


@given(st.lists(st.sampled_from(FACTS + FICTIONS), min_size=1), st.lists(TEXT, max_size=3))
def test_another_context_never_lowers_faithfulness(sentences, others):
    """More sources support at least as much, whatever they say and in any language."""
    answer = " ".join(sentences)
    alone = ground(answer, (SOURCE,))
    more = ground(answer, (*others, SOURCE))
    assert more.share >= alone.share
    assert more.supported >= alone.supported


@given(
    st.lists(st.sampled_from(FACTS + FICTIONS + TWISTED), min_size=1, max_size=5),
    st.lists(st.sampled_from(FACTS + FICTIONS + TWISTED), min_size=2, max_size=6),
    st.data(),
)
def test_removing_a_context_never_raises_faithfulness(sentences, contexts, data):
    """Neither one that supports, nor one that contradicts: the best context counts."""
    gone = data.draw(st.integers(0, len(contexts) - 1))
    _removes_without_gain(sentences, contexts, gone)


@given(
    st.lists(st.sampled_from(FORMS), min_size=1, max_size=2),
    st.lists(st.lists(st.sampled_from(FORMS), max_size=3).map(" ".join), min_size=2, max_size=5),
)
def test_a_form_of_a_term_elsewhere_never_lowers_faithfulness(sentences, contexts):
    """A context that has an amount or a name in another form is asked alone."""
    _removes_without_gain(sentences, contexts, 0)


def _removes_without_gain(sentences, contexts, gone):
    answer = " ".join(sentences)
    fewer = [*contexts[:gone], *contexts[gone + 1 :]]
    assert ground(answer, tuple(fewer)).share <= ground(answer, tuple(contexts)).share + 1e-12


@given(
    st.lists(st.sampled_from(FACTS + FICTIONS + TWISTED), min_size=1, max_size=4),
    st.lists(st.tuples(st.sampled_from(FACTS + TWISTED), st.sampled_from(IDS)), min_size=2),
)
def test_a_document_that_goes_with_its_id_never_raises_faithfulness(sentences, documents):
    """An id says neither what language an answer is in, nor what the user asked."""
    found = [Document(text=text, id=id_) for text, id_ in documents]
    answer = " ".join(sentences)

    def share(contexts):
        return grounding_of(AgentTrace(trace_id="t", answer=answer, contexts=contexts)).share

    assert share(tuple(found[1:])) <= share(tuple(found)) + 1e-12


@given(st.permutations(FACTS + FICTIONS + TWISTED))
def test_the_order_of_contexts_does_not_matter(contexts):
    """Grounding is a function of what the contexts say."""
    answer = " ".join(FACTS[:2] + TWISTED[:2])
    first = ground(answer, tuple(FACTS + FICTIONS + TWISTED))
    assert ground(answer, tuple(contexts)).share == pytest.approx(first.share, abs=1e-12)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
def test_grounding_takes_any_text(answer, contexts):
    """No text makes it raise, and supported claims are claims."""
    found = ground(answer, tuple(contexts))
    assert 0 <= found.supported <= found.claims
    assert len(found.unsupported) <= 10


@given(TEXT)
def test_an_answer_is_grounded_in_itself(answer):
    """Every claim is supported by the text that makes it."""
    found = ground(answer, (answer,))
    assert found.supported == found.claims
    assert 0.0 <= found.weakest <= found.share <= 1.0


@given(TEXT)
def test_splitting_loses_no_words(text):
    """The sentences hold all characters of the text but white space, in order."""
    assert "".join("".join(texts.sentences(text)).split()) == "".join(text.split())


@given(TEXT)
def test_any_text_can_be_scanned(text):
    """Findings lie within the text and do not overlap."""
    found = sorted(FINDER.find(text), key=lambda finding: finding.start)
    assert all(0 <= f.start < f.end <= len(text) for f in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    documented.detections(text)


@given(TEXT, TEXT)
def test_correctness_is_a_share_and_full_for_equal_texts(answer, expected):
    """From 0 to 1, symmetric where words are counted, and 1 when both are the same."""

    def score(mine, theirs):
        view = AgentTrace(trace_id="t", answer=mine, reference=Reference(answer=theirs))
        return AnswerCorrectness().score(view)

    if not (answer.strip() and expected.strip()):
        return
    there, back = score(answer, expected), score(expected, answer)
    assert 0 <= there.values["value"] <= 1
    if there.detail["rule"] == back.detail["rule"] == "tokens":
        assert there.values["value"] == pytest.approx(back.values["value"])
    assert score(answer, answer).values["value"] == 1


@given(TEXT)
def test_a_masked_text_holds_no_finding_and_stays_masked(text):
    """Masking leaves nothing to mask."""
    leaky = f"{text} {' '.join(LEAKS)} {text}"
    once = masked(leaky)
    assert not [item for item in Finder(DEFAULT_KINDS).find(once) if item.kind != "address"]
    assert masked(once) == once


@given(TEXT)
def test_folding_keeps_every_place(text):
    """Each character of the folded text stands for one of the original, in order."""
    folded = fold(text)
    for place in range(len(folded.text)):
        start, end = folded.span(place, place + 1)
        assert end == start + 1


@given(st.lists(st.sampled_from(["success", "error", None]), min_size=1, max_size=20))
def test_another_success_never_lowers_tool_success(statuses):
    """A call that works makes the share at least as high."""

    def value(items):
        calls = tuple(ToolCall(name="a", status=status) for status in items)
        result = ToolSuccess().score(AgentTrace(trace_id="t", tool_calls=calls))
        return getattr(result, "values", {"value": 0.0})["value"]

    assert value([*statuses, "success"]) >= value(statuses)


@given(st.lists(st.booleans(), max_size=20))
def test_average_precision_is_a_share(relevant):
    """From 0 to 1, and 1 when all that is relevant comes first."""
    assert 0 <= average_precision(relevant) <= 1
    if any(relevant):
        assert average_precision(sorted(relevant, reverse=True)) == pytest.approx(1)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.lists(st.floats(0.1, 10), min_size=6, max_size=6),
)
def test_a_composite_lies_between_its_children(values, weights):
    """A weighted mean is never outside the values it is made of."""
    scores = [
        Score(id=str(i), metric=str(i), value=v, status="scored", subject="t", range=(0.0, 1.0))
        for i, v in enumerate(values)
    ]
    weighted = {str(i): weight for i, weight in enumerate(weights)}
    result = Composite(weights=weighted).combine(AgentTrace(trace_id="t"), scores)
    assert min(values) - 1e-9 <= result.values["value"] <= max(values) + 1e-9


USER = {"email": "ann@example.com", "phone": "+1 555 010 4477", "card": "4111111111111111"}
TOLD = ["Mail ann@example.com.", "Tel 1-555-010-4477.", "Card 4111 1111 1111 1111."]
AMOUNT = st.floats(0, 1e6)
PERCENT = st.floats(0, 1e6)


@given(TEXT, st.lists(st.sampled_from(TOLD), max_size=3), st.sampled_from(TOLD))
def test_another_disclosed_value_never_raises_data_minimization(text, told, another):
    """And the value is a share."""

    def value(parts):
        view = AgentTrace(trace_id="t", answer="\n\n".join(parts), sensitive=USER)
        return DataMinimization().score(view).values["value"]

    before, after = value([text, *told]), value([text, *told, another])
    assert 0 <= after <= before <= 1
    assert after < 1


@given(
    st.dictionaries(st.sampled_from(sorted(USER)), st.booleans(), min_size=1),
    st.lists(st.sampled_from(TOLD), max_size=3),
    st.sampled_from(TOLD),
    st.sampled_from(sorted(USER)),
)
def test_more_use_or_less_consent_never_raises_consent_compliance(consent, told, another, denied):
    """And a use of what is denied is always a violation."""

    def value(consent, parts):
        view = AgentTrace(trace_id="t", answer=" ".join(parts), consent=consent, sensitive=USER)
        return ConsentCompliance().score(view).values["value"]

    before = value(consent, told)
    assert value(consent, [*told, another]) <= before
    assert value({**consent, denied: False}, told) <= before
    assert value({**consent, denied: False}, TOLD) == 0


@given(TEXT, TEXT)
def test_any_text_can_be_searched_for_any_value(text, value):
    """And every text of words holds itself."""
    Disclosed(text).holds(value)
    if value.strip():
        assert Disclosed(value).holds(value)


@given(AMOUNT, AMOUNT)
def test_more_energy_never_raises_the_scores_of_energy_and_carbon(one, two):
    """And both are shares."""
    for metric in (EnergyConsumption(), CarbonEmissions()):
        less, more = (
            metric.score(AgentTrace(trace_id="t", resources=Resources(energy_kwh=kwh)))
            for kwh in sorted((one, two))
        )
        assert 0 <= more.values["value"] <= less.values["value"] <= 1


@given(st.floats(0, 10), st.floats(0, 10), AMOUNT)
def test_a_dirtier_grid_never_raises_the_score_of_carbon(one, two, energy):
    """From the same energy more is emitted."""
    clean, dirty = (
        CarbonEmissions(grid_intensity=intensity).score(
            AgentTrace(trace_id="t", resources=Resources(energy_kwh=energy))
        )
        for intensity in sorted((one, two))
    )
    assert dirty.values["value"] <= clean.values["value"]


@given(PERCENT, PERCENT)
def test_nearer_to_the_target_never_lowers_resource_utilization(one, two):
    """It rises up to the target and falls beyond it; it is a share."""

    def value(percent):
        view = AgentTrace(trace_id="t", resources=Resources(cpu_percent=percent))
        return ResourceUtilization().score(view).values["value"]

    low, high = sorted((one, two))
    assert 0 <= value(low) <= 1
    if high <= 80:
        assert value(low) <= value(high)
    if low >= 80:
        assert value(low) >= value(high)
