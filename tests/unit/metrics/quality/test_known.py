from metrics.quality import known
from metrics.quality.known import Known


def test_a_form_is_worked_out_once():
    """The second time it is looked up."""
    asked = []
    found = Known(lambda form: asked.append(form) or len(form))
    assert [found["rain"], found["rain"]] == [4, 4]
    assert asked == ["rain"]


def test_what_is_known_is_bounded(monkeypatch):
    """Too many forms are forgotten, and one too long is not kept at all."""
    monkeypatch.setattr(known, "_MAX_KNOWN", 2)
    found = Known(len)
    for form in ("a", "b", "c"):
        assert found[form] == 1
    assert list(found) == ["c"]
    assert found["x" * 100] == 100
    assert list(found) == ["c"]
