"""The readings that are kept, and the bounds."""

from collections import Counter

import pytest

from scorer.otlp.metric_points import MetricPoints, Point
from scorer.scoring.readings.store import SERIES_COST, Limits, ReadingStore

S = 10**9
HOST = (("host.name", "h"),)
PROCESS = (("service.name", "s"), ("process.pid", "7"), ("host.name", "h"))


class Kept:
    """A store that counts."""

    def __init__(self, max_resources=10, max_readings=1000, kept_s=60.0):
        self.counts = Counter()
        limits = Limits(max_resources, max_readings, kept_s)
        self.store = ReadingStore(limits, self._count)

    def _count(self, outcome, number):
        self.counts[outcome] += number

    def add(self, name, *readings, tenant="", identity=PROCESS, unit="", now=0.0, **attributes):
        items = tuple(sorted(attributes.items()))
        points = [Point(items, False, 0, seconds * S, value) for seconds, value in readings]
        self.store.add(tenant, identity, MetricPoints(name, unit, points, 0), now)

    def times(self, name, identity=PROCESS, tenant=""):
        """Return the readings of a metric in seconds, by series; those of the nearest resource."""
        for kept in self.store.find(tenant, identity):
            found = [[t // S for t in series.times] for _, series in kept.series(name)]
            if found:
                return found
        return []


def test_a_point_is_kept_once():
    """A sender that tries again sends duplicates."""
    kept = Kept()
    kept.add("hw.power", (1, 5.0), (2, 5.0))
    kept.add("hw.power", (2, 5.0), (3, 5.0))
    assert kept.times("hw.power") == [[1, 2, 3]]
    assert kept.counts["kept"] == 3
    assert kept.counts["duplicate"] == 1


def test_series_are_told_apart_by_attributes():
    """Those of a part have its mark: here they are of two GPUs."""
    kept = Kept()
    for gpu in ("0", "1"):
        kept.add("hw.gpu.utilization", (1, 0.5), **{"hw.id": gpu})
        kept.add("hw.gpu.utilization", (1, 0.5), **{"hw.id": gpu, "hw.gpu.task": "general"})
        kept.add("hw.gpu.utilization", (1, 0.5), **{"hw.id": gpu, "hw.gpu.task": "encoder"})
    (found,) = kept.store.find("", PROCESS)
    parts = Counter(part for part, _ in found.series("hw.gpu.utilization"))
    assert sorted(parts.values()) == [2, 2]
    assert kept.counts["skipped"] == 2


def test_values_come_in_the_usual_unit():
    """Megabytes become bytes."""
    kept = Kept()
    kept.add("process.memory.usage", (1, 2.0), unit="MBy")
    (found,) = kept.store.find("", PROCESS)
    ((_, series),) = found.series("process.memory.usage")
    assert series._values[0] == 2e6


def test_what_cannot_be_used_is_counted():
    """Another unit, no identity, a difference of a level, and what the sender could not tell."""
    kept = Kept()
    kept.add("hw.power", (1, 5.0), unit="J")
    kept.store.add("", PROCESS, MetricPoints("hw.power", "", [], 3), 0.0)
    kept.store.add("", PROCESS, MetricPoints("", "", [], 1), 0.0)
    kept.store.add("", PROCESS, MetricPoints("hw.power", "", [Point((), True, 0, 1, 1)], 0), 0.0)
    kept.add("hw.power", (1, 5.0), identity=())
    assert kept.counts == {"unusable": 6, "no_identity": 1, "dropped_old": 0}
    assert kept.times("hw.power") == []


def test_the_nearest_readings_are_asked_first():
    """Those that name more of the process."""
    kept = Kept()
    kept.add("hw.power", (1, 1.0), identity=HOST)
    assert kept.times("hw.power") == [[1]]
    kept.add("hw.power", (2, 1.0))
    assert kept.times("hw.power") == [[2]]
    assert kept.times("hw.power", HOST) == [[1]]
    assert kept.times("hw.power", (("host.name", "other"),)) == []


def test_tenants_are_apart():
    """Nobody sees the readings of another."""
    kept = Kept()
    kept.add("hw.power", (1, 1.0), tenant="a")
    assert kept.times("hw.power", tenant="b") == []
    assert kept.times("hw.power", tenant="a") == [[1]]


def test_a_full_resource_gives_up_its_oldest_readings():
    """An eighth at once, of all of its series; the counter says how many."""
    kept = Kept(max_readings=64)
    kept.add("hw.power", *((n, 1.0) for n in range(100)))
    (times,) = kept.times("hw.power")
    assert times[-1] == 99
    assert len(times) + SERIES_COST <= 64
    assert kept.counts["dropped_old"] == 100 - len(times)


def test_a_series_that_lost_all_its_readings_is_gone():
    """Its room is free again."""
    kept = Kept(max_readings=96)
    kept.add("hw.energy", (1, 1.0), old="1")
    kept.add("hw.power", *((n, 1.0) for n in range(2, 99)))
    assert kept.times("hw.energy") == []
    kept.add("hw.energy", (200, 1.0), new="1")
    assert kept.times("hw.energy") == [[200]]


def test_a_metric_with_too_many_series_is_not_used():
    """Half of them would tell half of the truth."""
    kept = Kept(max_readings=64)
    for number in range(3):
        kept.add("hw.energy", (1, 1.0), id=str(number))
    assert kept.times("hw.energy") == []
    assert kept.counts["no_room"] == 1


def test_beyond_the_resources_the_longest_silent_one_goes():
    """It is counted."""
    kept = Kept(max_resources=2)
    for name in ("a", "b", "a", "c"):
        kept.add("hw.power", (1, 1.0), identity=(("host.name", name),))
    assert len(kept.store) == 2
    assert kept.times("hw.power", (("host.name", "b"),)) == []
    assert kept.counts["dropped_resource"] == 1


def test_a_tenant_with_many_resources_drives_out_its_own():
    """Not those of the others."""
    kept = Kept(max_resources=3)
    kept.add("hw.power", (1, 1.0), tenant="small")
    for number in range(9):
        kept.add("hw.power", (1, 1.0), tenant="big", identity=(("host.name", str(number)),))
    assert kept.times("hw.power", tenant="small") == [[1]]


def test_a_silent_resource_is_forgotten_in_time():
    """Its process has ended."""
    kept = Kept(kept_s=60)
    kept.add("hw.power", (1, 1.0), identity=HOST, now=0)
    kept.add("hw.power", (1, 1.0), now=50)
    kept.store.forget(60)
    assert len(kept.store) == 2
    kept.store.forget(61)
    assert [len(kept.store), kept.times("hw.power", HOST)] == [1, []]


@pytest.mark.parametrize("text", ["x" * 10**6, "\0", "ä"])
def test_attributes_of_any_size_take_the_same_room(text):
    """Only a digest of them is kept."""
    kept = Kept()
    kept.add("hw.power", (1, 1.0), a=text)
    (found,) = kept.store.find("", PROCESS)
    assert {len(key) for group in found._metrics.values() for key in group} == {16}
