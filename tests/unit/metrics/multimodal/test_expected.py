from metrics.multimodal.expected import caption_of, expecting, transcript_of
from scorer.api import AgentTrace, Reference

BARE = AgentTrace(trace_id="t")
GIVEN = AgentTrace(
    trace_id="t", reference=Reference(answer="An answer.", caption="A cat.", transcript="Hello.")
)


def test_each_reference_is_its_own():
    """An answer is neither a caption nor a transcript."""
    assert (caption_of(GIVEN), transcript_of(GIVEN)) == ("A cat.", "Hello.")
    assert (caption_of(BARE), transcript_of(BARE)) == (None, None)


def test_a_blank_reference_is_none():
    """Nothing can be compared with it."""
    blank = AgentTrace(trace_id="t", reference=Reference(caption=" ", transcript=""))
    assert (caption_of(blank), transcript_of(blank)) == (None, None)


def test_the_original_knows_one_expected_output():
    """It is the special reference if there is one, else the answer."""
    assert expecting(GIVEN, "A cat.").reference == Reference(answer="A cat.")
    assert expecting(GIVEN, None) is GIVEN
