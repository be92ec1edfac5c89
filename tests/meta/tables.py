"""The tables of the README that are made from the code; `python tests/meta/tables.py --write`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from scorer import registry
from scorer.cli.metrics import needed, value_range
from scorer.config import Config, to_plain
from scorer.dialects.about import ABOUT
from scorer.dialects.about import ALL as ALL_FACTS
from scorer.telemetry import SERIES

README = Path(__file__).parents[2] / "README.md"
CATALOGUE = README.with_name("metrics") / "README.md"


def table(*rows: tuple[str, ...]) -> str:
    """Return a Markdown table; the first row is its head."""
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def config_table() -> str:
    """All configuration keys."""
    rows = list(_keys(Config, "", to_plain(Config())))
    return table(("key", "default", "what it does"), *rows)


def _keys(section: type[Struct], path: str, defaults: Any) -> Iterator[tuple[str, str, str]]:
    hints = get_type_hints(section, include_extras=True)
    for field in msgspec.structs.fields(section):
        hint = hints[field.name]
        default = defaults.get(field.name)
        key = f"{path}{field.name}"
        if isinstance(hint, type) and issubclass(hint, Struct):
            yield from _keys(hint, f"{key}.", default)
        elif get_origin(hint) is tuple:  # a list of sections; with a description it is a value
            item = get_args(hint)[0]
            yield from _keys(item, f"{key}[].", _item_defaults(item))
        else:
            shown = "required" if field.required else f"`{_plain(default)}`"
            yield f"`{key}`", shown, _description(hint, key)


def _item_defaults(section: type[Struct]) -> dict[str, Any]:
    fields = msgspec.structs.fields(section)
    given = {field.name: _default(field) for field in fields if not field.required}
    return msgspec.to_builtins(given, enc_hook=str)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def _description(hint: Any, key: str) -> str:
    for extra in get_args(hint)[1:] if get_origin(hint) is not None else ():
        if isinstance(extra, msgspec.Meta) and extra.description:
            return extra.description.replace("|", "\\|")
    raise AssertionError(f"{key} has no description in scorer/config/tree.py")


def _plain(value: Any) -> str:
    return msgspec.json.encode(value).decode().strip('"').replace("null", "none")


def series_table() -> str:
    """All series."""
    rows = [(f"`{s.name}`", s.type, ", ".join(f"`{x}`" for x in s.labels), s.help) for s in SERIES]
    return table(("series", "type", "labels", "meaning"), *rows)


def metrics_table() -> str:
    """All metrics."""
    specs = [registry.load("metrics", name).spec for name in registry.names("metrics")]
    rows = [
        (
            f"`{spec.name}`",
            spec.kind,
            f"{spec.outputs[0].unit}, {spec.outputs[0].direction}",
            needed(spec),
            ", ".join(spec.methods),
            "yes" if spec.in_default else "-",
            _threshold(spec.default_threshold),
            spec.description,
        )
        for spec in specs
    ]
    head = ("metric", "kind", "unit, better", "needs", "method", "default", "fails", "what it says")
    return table(head, *rows)


def catalogue_table() -> str:
    """What each metric is, for the page beside them."""
    rows = []
    for name in registry.names("metrics"):
        metric = registry.load("metrics", name)
        spec, output = metric.spec, metric.spec.outputs[0]
        source = Path(*metric.__module__.split(".")[1:]).with_suffix(".py")
        rows.append(
            (
                f"[`{name}`]({source})",
                spec.system or "-",
                spec.kind,
                spec.scope,
                output.direction,
                value_range(output),
                needed(spec),
                spec.cost_class,
            )
        )
    head = ("metric", "system", "kind", "scope", "better", "range", "needs", "cost")
    return table(head, *rows)


def modes_table() -> str:
    """What the original does otherwise."""
    specs = [registry.load("metrics", name).spec for name in registry.names("metrics")]
    rows = [(f"`{s.name}`", s.description, s.documented) for s in specs if s.documented]
    return table(("metric", "`beyond`", "`documented`"), *rows)


def thresholds_table() -> str:
    """Why the default thresholds are what they are."""
    specs = [registry.load("metrics", name).spec for name in registry.names("metrics")]
    rows = [
        (f"`{spec.name}`", _threshold(spec.default_threshold), spec.threshold_reason)
        for spec in specs
        if spec.default_threshold is not None
    ]
    return table(("metric", "fails", "because"), *rows)


def _threshold(threshold: Any) -> str:
    if threshold is None:
        return "-"
    low = f"below {threshold.min:g}" if threshold.min is not None else ""
    high = f"above {threshold.max:g}" if threshold.max is not None else ""
    return " or ".join(filter(None, (low, high)))


def dialects_table() -> str:
    """All built-in dialects."""
    rows = [
        (
            f"`{name}`",
            about.covers,
            ", ".join(map(_library, about.recorded)) or "-",
            "all" if about.facts == ALL_FACTS else ", ".join(about.facts),
            about.content,
        )
        for name, about in sorted(ABOUT.items())
    ]
    return table(("dialect", "covers", "recorded", "facts", "content"), *rows)


def _library(recorded: str) -> str:
    """Shorten the names that are too long for a table."""
    for prefix in ("openinference-instrumentation-", "opentelemetry-instrumentation-"):
        recorded = recorded.removeprefix(prefix)
    return recorded


PAGES = {
    README: {
        "config": config_table,
        "series": series_table,
        "metrics": metrics_table,
        "dialects": dialects_table,
    },
    CATALOGUE: {
        "catalogue": catalogue_table,
        "modes": modes_table,
        "thresholds": thresholds_table,
    },
}


def marks(name: str) -> tuple[str, str]:
    """Return the lines that a generated table stands between."""
    return f"<!-- {name}: made by tests/meta/tables.py -->\n\n", f"\n\n<!-- /{name} -->"


def generated(page: Path) -> str:
    """Return a page with fresh tables."""
    text = page.read_text()
    for name, make in PAGES[page].items():
        begin, end = marks(name)
        before, _, rest = text.partition(begin)
        _, found, after = rest.partition(end)
        assert found, f"{page} has no place for the table {name}"
        text = before + begin + make() + end + after
    return text


if __name__ == "__main__" and "--write" in sys.argv:
    for each in PAGES:
        each.write_text(generated(each))
