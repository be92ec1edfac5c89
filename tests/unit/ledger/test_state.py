import pytest

from scorer.errors import RetryableError


@pytest.fixture
async def state(open_ledger):
    return (await open_ledger()).state


async def test_a_value_is_what_was_put_last(state, open_ledger):
    """Any bytes, also after a restart."""
    await state.put("windows", {b"k": b"first", b"": b"", b"\0\xff": bytes(300_000)})
    await state.put("windows", {b"k": b"second"})
    expected = [b"second", b"", bytes(300_000)]
    keys = [b"k", b"", b"\0\xff"]
    assert [await state.get("windows", key) for key in keys] == expected
    again = (await open_ledger()).state
    assert [await again.get("windows", key) for key in keys] == expected


async def test_what_was_never_put_is_none(state):
    """An empty value is one."""
    assert await state.get("windows", b"k") is None
    await state.put("windows", {b"k": b""})
    assert await state.get("windows", b"k") == b""


async def test_namespaces_are_apart(state):
    """The same key in two of them is two."""
    await state.put("a", {b"k": b"1"})
    await state.put("b", {b"k": b"2"})
    await state.delete("a", [b"k"])
    assert await state.get("a", b"k") is None
    assert list(state.items("b")) == [(b"k", b"2")]


async def test_what_is_deleted_is_gone(state, open_ledger):
    """What was not there is no error."""
    await state.put("a", {b"1": b"one", b"2": b"two", b"3": b"three"})
    await state.delete("a", [b"1", b"3", b"9"])
    await state.delete("a", [])
    await state.put("a", {})
    assert list((await open_ledger()).state.items("a")) == [(b"2", b"two")]


async def test_items_come_in_order_of_key(state):
    """Over several pages, the empty key first."""
    values = {number.to_bytes(2, "big"): b"%d" % number for number in range(999, -1, -1)}
    await state.put("a", values | {b"": b"empty"})
    await state.put("b", {b"other": b""})
    assert list(state.items("a")) == [(b"", b"empty"), *sorted(values.items())]
    assert list(state.items("none")) == []


async def test_all_keys_are_put_or_none(state, failing_disk):
    """The values before stay, though there was room for some; and the next put works."""
    await state.put("a", {b"1": b"old"})
    with failing_disk(), pytest.raises(RetryableError, match="the ledger cannot be written"):
        await state.delete("a", [b"1"])
    with failing_disk(more=20_000):
        with pytest.raises(RetryableError, match="the ledger cannot be written"):
            await state.put("a", {b"1": b"new", b"2": bytes(100_000)})
        assert list(state.items("a")) == [(b"1", b"old")]
    assert list(state.items("a")) == [(b"1", b"old")]
    await state.put("a", {b"1": b"new", b"2": b"two"})
    assert list(state.items("a")) == [(b"1", b"new"), (b"2", b"two")]


async def test_many_keys_are_read_at_once(state):
    """Those that are not there are left out."""
    await state.put("a", {b"1": b"one", b"2": b""})
    assert await state.get_many("a", [b"1", b"2", b"3"]) == {b"1": b"one", b"2": b""}
    assert await state.get_many("a", []) == {}


async def test_a_change_sets_and_deletes_all_or_nothing(state, failing_disk):
    """Counts and what they count stay together."""
    await state.change("a", {b"1": b"one", b"2": b"two"}, [])
    await state.change("a", {b"1": b"new"}, [b"2"])
    assert list(state.items("a")) == [(b"1", b"new")]
    with failing_disk(), pytest.raises(RetryableError):
        await state.change("a", {b"3": bytes(100_000)}, [b"1"])
    assert list(state.items("a")) == [(b"1", b"new")]


async def test_a_range_of_keys_is_in_order_and_bounded(state):
    """The first belongs to it, the last does not."""
    await state.put("a", {bytes([number]): b"" for number in (5, 1, 3, 2, 4)})
    await state.put("b", {b"\x03": b""})
    assert await state.keys("a", b"\x02", b"\x05", 10) == [b"\x02", b"\x03", b"\x04"]
    assert await state.keys("a", b"\x02", b"\x05", 2) == [b"\x02", b"\x03"]
    assert await state.keys("a", b"\x06", b"\x07", 2) == []
