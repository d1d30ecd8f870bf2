"""What files say: `--config`, `highwater.toml` and `[tool.highwater]` of `pyproject.toml`, in one schema.

A file of the wrong form is one sentence that names the place. The schema is msgspec's: strict about types, lightweight, and
its errors name the path; this module turns them into the words of the file.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec

from ..model.language.errors import UsageError, hint
from ..traces.text import text_in
from .budget import Bounds

LARGEST_FILE = 1 << 20

Whole = Annotated[int, msgspec.Meta(gt=0, lt=10**18)]
Seconds = Annotated[float, msgspec.Meta(gt=0, lt=1e9)]
Expected = Literal["holds", "violated"]
Engine = Literal["local", "spark", "walk", "hypothesis"]

ENGINES = get_args(Engine)


class BoundsTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[bounds]`: where an exploration ends; memory in MB."""

    depth: Whole | None = None
    states: Whole | None = None
    seconds: Seconds | None = None
    memory: Annotated[int, msgspec.Meta(gt=0, lt=10**12)] | None = None

    def bounds(self) -> Bounds:
        """As engines take them."""
        return Bounds(self.depth, self.states, self.seconds, self.memory << 20 if self.memory else None)


class CountsTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[scenario.expect_counts]`: what is explored, in numbers. `steps`: of a violation, by its property."""

    states: Whole | None = None
    depth: Whole | None = None
    steps: dict[str, Whole] = {}
    enabled: Literal["all"] | list[str] = []


class ConfigFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What `--config` can say in place of flags."""

    model: str | None = None
    revision: str | None = None
    properties: list[str] = []
    settings: dict[str, int | str | bool] = {}
    bounds: BoundsTable = BoundsTable()


class ScenarioTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`[[scenario]]`: what a user's CI checks."""

    name: str = ""
    """the name in the item's id: `highwater.toml::two brokers::strong_isr`"""
    model: str
    """what is checked"""
    revision: str = ""
    """what is checked"""
    release: str = ""
    """in place of `revision`: a release, such as `3.9.1`, with its own repairs"""
    properties: list[str] = []
    """the properties, also of progress; default: those of safety that are checked by default and apply under the settings"""
    engine: Engine = "local"
    """`local` (exhaustive), `spark` (the same, in shards), `walk` (random walks), `hypothesis` (stateful testing)"""
    expect: Expected | dict[str, Expected] = "holds"
    """`holds`, `violated`, or a table from property to one of these; the item fails if an expected violation does not happen"""
    plugins: list[str] = []
    """modules with models, revisions and properties, installed, or beside this file or where pytest runs"""
    settings: dict[str, int | str | bool] = {}
    """sizes, faults and switches: `highwater list settings`"""
    bounds: BoundsTable = BoundsTable()
    """`depth`, `states`, `seconds` (300, compiling included), `memory` (MB); a run that reaches one fails"""
    expect_counts: CountsTable | None = None
    """an item `counts`: `states`, `depth`, `steps` (`{ strong_isr = 3 }`), and what is `enabled` (actions, or `"all"`)"""
    generic: bool | None = None
    """`true`: code for all sizes, compiled once, the default where it has room; `false`: for these settings, compiled sooner"""
    slow: bool = False
    """skipped without `--highwater-run`"""
    seed: Annotated[int, msgspec.Meta(ge=0, lt=10**18)] = 0
    """the seed of walks and of Hypothesis"""
    allow_incomplete: bool = False
    """a run that reaches a bound is a line at the end, and no failure"""
    at_least: Whole | None = None
    """random walks that the engine `walk` has done at least, or its items fail (1,000)"""


class ScenarioFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`highwater.toml`."""

    scenario: list[ScenarioTable] = []


def text_of(path: str | Path) -> str:
    """The text of a file that is small enough to be one of ours."""
    return text_in(path, LARGEST_FILE, "a configuration file")


T = TypeVar("T")


def read(path: str | Path, kind: type[T], *tables: str) -> T:
    """The content of a TOML file, or of a table in it, as a `kind`; UsageError names what is wrong with it, and where."""
    text = text_of(path)
    try:
        found: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not TOML: {str(error)[:120]}") from None
    for table in tables:
        found = found.get(table, {}) if isinstance(found, dict) else {}
    try:
        return msgspec.convert(found, kind, strict=True)
    except (msgspec.ValidationError, RecursionError) as error:
        where = place_of(str(error), found, text)
        raise UsageError(f"{path}: {sentence(str(error), kind, '.'.join(tables), found)}{where}") from None


def place_of(error: str, found: Any, text: str) -> str:
    """` (line 14, scenario 'two brokers')`: where a scenario's error is; nothing of another error."""
    what, _, path = error.partition(" - at `$")
    number = re.match(r"\.scenario\[(\d+)\]", path)
    if number is None:
        return ""
    index, lines = int(number[1]), text.splitlines()
    heads = [at for at, line in enumerate(lines, 1) if re.match(r"^\s*\[\[\s*([\w-]+\s*\.\s*)*scenario\s*\]\]", line)]
    first, end = (heads[index], [*heads, len(lines) + 1][index + 1]) if index < len(heads) else (1, 1)
    unknown = re.match(r"Object contains unknown field `(.*)`$", what, re.S)
    key = unknown[1] if unknown else whole(path.rstrip("`"), found).rpartition(".")[2]
    own = [at for at in range(first, end) if re.match(rf"^\s*['\"]?{re.escape(key)}['\"]?\s*=", lines[at - 1])]
    name = found["scenario"][index].get("name") if isinstance(found["scenario"][index], dict) else None
    return f" (line {own[0] if own else first}{f', scenario {name!r:.60}' if name else ''})"


NOUNS = {
    "str": "text", "int": "a whole number", "float": "a number with a point", "bool": "true or false", "array": "a list",
    "object": "a table",
}  # fmt: skip


def sentence(error: str, kind: Any, prefix: str, found: Any) -> str:
    """An error of msgspec in the words of the file."""
    what, _, path = error.partition(" - at `$")
    path = whole(path.rstrip("`"), found)
    place = ", ".join(filter(None, (prefix, shown(path))))
    where = f"{place}: " if place else ""
    if unknown := re.match(r"Object contains unknown field `(.*)`$", what, re.S):
        fields = fields_at(kind, path)
        head, dot, table = path.rpartition(".")
        if dot and head.startswith(".scenario[") and unknown[1] in ScenarioTable.__struct_fields__:
            return f"{where}{unknown[1]} is a key of the scenario: write it above [{prefix and prefix + '.'}scenario.{table}]"
        return f"{where}unknown key {unknown[1]!r:.60}; {hint(unknown[1], fields)}"
    if missing := re.match(r"Object missing required field `(\w+)`", what):
        return f"{where}{missing[1]} is missing"
    if wrong := re.match(r"Expected `([\w |]+)`, got `(\w+)`", what):
        wanted = [NOUNS.get(word, word) for word in wrong[1].split(" | ") if word != "null"]
        *first, last = wanted
        return f"{place or 'it'} must be {', '.join(first)}{' or ' if first else ''}{last}, not {NOUNS.get(wrong[2], wrong[2])}"
    if limit := re.match(r"Expected `\w+` (>=|>|<=|<) (\S+)", what):
        words = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}
        return f"{place} must be a number {words[limit[1]]} {limit[2].removesuffix('.0')}"
    if value := re.match(r"Invalid enum value (.*)$", what, re.S):
        known = ENGINES if path.endswith("engine") else get_args(Expected)
        return f"{place} must be one of {', '.join(known)}, not {value[1]:.40}"
    return f"{where}{what[:120]}"


def whole(path: str, found: Any) -> str:
    """The path with the key that msgspec leaves out: its `[...]` is any key of a table."""
    before, anything, _ = path.partition("[...]")
    if not anything:
        return path
    for index, name in re.findall(r"\[(\d+)\]|\.(\w+)", before):
        found = found[int(index)] if index else found[name]
    known = get_args(Expected) if before.endswith(".expect") else None
    wrong = (key for key, value in found.items() if type(value) not in (int, str, bool) or (known and value not in known))
    return f"{before}.{next(wrong, '...'):.60}"


def shown(path: str) -> str:
    """`scenario 1, bounds.depth` for `.scenario[0].bounds.depth`."""
    words = re.sub(r"\.scenario\[(\d+)\]", lambda m: f"scenario {int(m[1]) + 1},", path)
    return words.strip(".,").replace(",.", ", ")


def fields_at(kind: Any, path: str) -> list[str]:
    """The keys that the table at a path can have."""
    for name in re.findall(r"\.(\w+)", path):
        kind = next(f.type for f in msgspec.structs.fields(kind) if f.name == name)
        kind = next((part for part in get_args(kind) if isinstance(part, type)), kind)
    return [f.name for f in msgspec.structs.fields(kind)]
