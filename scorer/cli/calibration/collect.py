"""Scoring labelled samples: each sample with its label, its slice, and what the metric said."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from scorer.api import Score
from scorer.cli.calibration.labels import field_of
from scorer.cli.options import read_metric
from scorer.cli.samples import BadSample, read_documents
from scorer.config import Config
from scorer.errors import ConfigError
from scorer.registry import LoadedMetric
from scorer.scoring.accounts import accounts_in_memory
from scorer.scoring.engine import Engine, build_engine

_MAX_SLICES = 100
_NO_SLICE = "(none)"


class Judge:
    """One metric, alone in an engine of its own (with all others, if it combines them)."""

    def __init__(self, config: Config, written: str) -> None:
        """Build it from `NAME` or `NAME:option=value,..`; raises ConfigError."""
        metric = read_metric(config, written)
        alone = _with_metrics(config, (metric,))
        engine = build_engine(alone)
        if engine.metrics[0].combines:
            others = [m for m in config.scoring.metrics if getattr(m, "name", m) != metric.name]
            engine = build_engine(_with_metrics(config, (*others, metric)))
        self.name = written
        self.loaded: LoadedMetric = next(m for m in engine.metrics if m.spec.name == metric.name)
        self._engine: Engine = engine
        self._accounts = accounts_in_memory(engine.metrics, config.scoring.accounts)

    @property
    def lower_is_better(self) -> bool:
        """Whether high values are bad; raises ConfigError when neither is."""
        output = self.loaded.spec.outputs[0]
        if output.direction == "none":
            raise ConfigError(
                f"metric {self.name!r} says neither that higher nor that lower is better, "
                "so there is nothing to calibrate"
            )
        return output.direction == "lower"

    def score(self, view: Any) -> Score:
        """Return the score of the primary output."""
        scored = self._engine.score_view(view, view.trace_id)
        if scored.postings:
            (scored,) = asyncio.run(self._accounts.settle([scored]))
        name = self.loaded.spec.name
        return next(s for s in scored.scores if s.metric == name and s.output == "value")


def _with_metrics(config: Config, metrics: Iterable[Any]) -> Config:
    scoring = msgspec.structs.replace(config.scoring, metrics=tuple(metrics))
    return msgspec.structs.replace(config, scoring=scoring)


class Labelled(Struct, frozen=True):
    """A sample with its label and what each metric said about it."""

    line: int
    label: Any
    slice: str
    text: str
    scores: tuple[Score, ...]


class Collected(Struct):
    """The labelled samples of a file, and what is left out."""

    samples: list[Labelled] = []
    unlabelled: int = 0
    bad: list[BadSample] = []


def collect(
    lines: Iterable[bytes],
    judges: Collection[Judge],
    label: str,
    slice_by: str | None,
    tell: Callable[[str], None],
) -> Collected:
    """Score the samples that have a label."""
    result = Collected()
    also = {name.partition(".")[0] for name in (label, slice_by) if name}
    fields: Counter[str] = Counter()
    for item in read_documents(lines, tell, also):
        if isinstance(item, BadSample):
            result.bad.append(item)
            continue
        fields.update(item.document.keys())
        value = field_of(item.document, label)
        if value is None:
            result.unlabelled += 1
            continue
        name = "" if slice_by is None else _slice_name(field_of(item.document, slice_by))
        scores = tuple(judge.score(item.view) for judge in judges)
        result.samples.append(Labelled(item.line, value, name, item.view.answer or "", scores))
    known = ", ".join(repr(name) for name, _ in fields.most_common(12))
    if not result.samples and result.unlabelled:
        raise ConfigError(f"no sample has a field {label!r} (--label); there are: {known}")
    found = {sample.slice for sample in result.samples}
    if found == {_NO_SLICE} and slice_by is not None:
        raise ConfigError(f"no sample has a field {slice_by!r} (--slice); there are: {known}")
    if len(found) > _MAX_SLICES:
        raise ConfigError(
            f"--slice {slice_by}: it has {len(found)} values, which is more than {_MAX_SLICES}"
        )
    return result


def _slice_name(value: Any) -> str:
    if value is None:
        return _NO_SLICE
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def unscored(samples: Iterable[Labelled], index: int = 0) -> Mapping[str, int]:
    """Return how many samples a metric gave no value for, by `status/reason`."""
    reasons = Counter(
        f"{score.status}/{score.reason or '-'}"
        for score in (sample.scores[index] for sample in samples)
        if score.value is None
    )
    return dict(sorted(reasons.items()))


def slices(samples: Iterable[Labelled]) -> Iterator[tuple[str, list[Labelled]]]:
    """Yield the samples of each slice, by its name."""
    groups: dict[str, list[Labelled]] = {}
    for sample in samples:
        groups.setdefault(sample.slice, []).append(sample)
    yield from sorted(groups.items())
