from scorer.model.agent_trace import Reference

CHAT = {"gen_ai.operation.name": "chat"}


def test_the_service_is_that_of_the_root(span, view):
    """Else that of the earliest local root."""
    assert view(span("2", CHAT, parent="1", service="b"), span("1", service="a")).service == "a"
    assert (
        view(span("2", parent="9", service="b"), span("3", parent="8", service="c")).service == "b"
    )


def test_the_session_nearest_to_the_root_is_taken(span, view):
    """Sub-agents may have conversations of their own."""
    outer, inner = {**CHAT, "session.id": "s1"}, {**CHAT, "session.id": "s2"}
    assert view(span("2", inner, parent="1"), span("1", outer)).session_id == "s1"


def test_a_response_id_is_no_session(span, view):
    """Chained responses name the previous one as their conversation."""
    first = {**CHAT, "gen_ai.response.id": "resp_1"}
    second = {**CHAT, "gen_ai.conversation.id": "resp_1"}
    assert view(span("1", first), span("2", second)).session_id is None


def test_the_id_of_an_earlier_response_is_no_session(span, view):
    """A chained response may belong to another trace."""
    attributes = {**CHAT, "gen_ai.conversation.id": "resp_1"}
    assert view(span("1", attributes)).session_id is None
    assert view(span("1", {**attributes, "session.id": "s"})).session_id is None


def test_the_references_of_a_canary_stand_on_the_root(span, view):
    """They are ours: `spanscore.reference.*` and `spanscore.case.id`."""
    attributes = {
        "spanscore.reference.answer": "a",
        "spanscore.reference.contexts": ["c1", "c2"],
        "spanscore.reference.tool_calls": '[{"name": "f"}]',
        "spanscore.reference.topics": '["t"]',
        "spanscore.reference.caption": "p",
        "spanscore.reference.transcript": "w",
        "spanscore.case.id": "case-1",
    }
    result = view(span("1", attributes), span("2", CHAT, parent="1"))
    assert result.case_id == "case-1"
    assert result.reference == Reference(
        answer="a",
        contexts=("c1", "c2"),
        tool_calls=[{"name": "f"}],
        topics=("t",),
        caption="p",
        transcript="w",
    )
    assert view(span("1", CHAT)).reference is None


def test_consent_and_sensitive_values_stand_on_the_root(span, view):
    """As JSON, as a map, or one key each, which win; those of other spans are not read."""
    attributes = {
        **CHAT,
        "spanscore.consent": '{"email": true, "location": true}',
        "spanscore.consent.location": False,
        "spanscore.sensitive": {"email": "a@b.com"},
    }
    result = view(
        span("1", attributes), span("2", {**CHAT, "spanscore.consent.x": True}, parent="1")
    )
    assert result.consent == {"email": True, "location": False}
    assert result.sensitive == {"email": "a@b.com"}


def test_what_is_no_map_is_no_consent(span, view):
    """An empty map is one that says nothing."""
    assert view(span("1", {**CHAT, "spanscore.consent": '["email"]'})).consent is None
    assert view(span("1", {**CHAT, "spanscore.consents": "{}"})).consent is None
    assert view(span("1", {**CHAT, "spanscore.consent": "{}"})).consent == {}
    assert view(span("1", CHAT)).consent is None
