"""Scenarios: what a user's CI checks, as a file says it; `pytest_plugin` makes test items of them.

    [[scenario]]
    name = "two brokers"
    model = "kafka"
    revision = "kip-320"
    properties = ["strong_isr", "no_committed_data_loss"]
    engine = "local"
    expect = "holds"
    plugins = ["my_package.my_plugin"]

    [scenario.settings]
    brokers = 2

    [scenario.bounds]
    seconds = 60
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.registry import model_named
from ...properties.catalogue import default_properties, properties_of
from ...properties.plugins import load_plugins
from ...properties.property import SOMETIMES, Property
from ...traces.trace import Trace
from ..budget import Bounds
from ..local.check import LAYOUT_FOR_ALL, check
from ..request import Request, means_nothing
from ..verdict import INCOMPLETE, NOT_APPLICABLE, VIOLATED

ENGINES = ("local", "spark", "walk", "hypothesis")
EXPECTATIONS = ("holds", "violated")
SECONDS = 60.0
"""How long a scenario may take that does not say it."""

LENGTH = 200
"""Steps of a random walk at most."""

KEYS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "model": str,
    "revision": str,
    "properties": list,
    "engine": str,
    "expect": (str, dict),
    "plugins": list,
    "settings": dict,
    "bounds": dict,
    "slow": bool,
    "seed": int,
    "allow_incomplete": bool,
}
BOUNDS = ("depth", "states", "seconds", "memory")


@dataclass(frozen=True)
class Scenario:
    """One scenario as its file says it, checked for form; the model is only asked when it runs."""

    name: str
    model: str
    revision: str
    properties: tuple[str, ...] = ()
    engine: str = "local"
    expect: Mapping[str, str] | str = "holds"
    plugins: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)
    slow: bool = False
    seed: int = 0
    allow_incomplete: bool = False

    def expected(self, name: str) -> str:
        """What is expected of a property: `holds` or `violated`."""
        return self.expect if isinstance(self.expect, str) else self.expect.get(name, "holds")

    def claims(self) -> list[Property]:
        """The properties it is about: those named, or those that are checked by default and mean something here."""
        load_plugins(self.plugins)
        known = {p.name: p for p in properties_of(model_named(self.model).name)}
        for name in self._named():
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]}?" if near else "; see highwater list properties"
                raise UsageError(f"scenario {self.name!r}: the model {self.model} has no property {name!r:.60}{hint}")
        if self.properties:
            strange = [name for name in self._named() if name not in self.properties]
            if strange:
                raise UsageError(f"scenario {self.name!r} expects something of {strange[0]}, which its properties do not name")
            return [known[name] for name in self.properties]
        config = self.configuration()
        default = {p.name for p in default_properties(self.model) if p.applies(config)}
        claims = [p for p in known.values() if p.name in default or p.name in self._named()]
        if not claims:
            raise UsageError(f"scenario {self.name!r}: no property means anything under its settings: nothing would be checked")
        return claims

    def _named(self) -> list[str]:
        """The properties that the file names, in `properties` or in `expect`."""
        return [*self.properties, *(self.expect if isinstance(self.expect, Mapping) else ())]

    def refusal(self, one: Property) -> str:
        """Why the property cannot be checked under the settings; empty when it can."""
        return "" if one.applies(self.configuration()) else means_nothing(one)

    def configuration(self) -> Any:
        """The configuration that it names."""
        load_plugins(self.plugins)
        model = model_named(self.model)
        if self.revision not in model.revisions:
            known = ", ".join(model.revisions)
            unknown = f"the model {self.model} has no revision {self.revision!r:.40}; it has {known}"
            raise UsageError(f"scenario {self.name!r}: {unknown}")
        return model.configure(self.revision, **self.settings)


@dataclass
class Result:
    """What was found of one property: a verdict of `verdict`, what ended the run, the trace."""

    verdict: str
    detail: str = ""
    trace: Trace | None = None


def read_scenarios(path: Path) -> list[Scenario]:
    """The scenarios of `highwater.toml`, or of `[tool.highwater]` in `pyproject.toml`."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {str(error)[:120]}") from None
    if path.name == "pyproject.toml":
        found = found.get("tool", {}).get("highwater", {})
    unknown = set(found) - {"scenario"}
    if unknown or not isinstance(found.get("scenario", []), list):
        raise UsageError(f"{path} may only hold [[scenario]] tables, not {min(unknown, default='scenario')!r:.60}")
    scenarios = [_scenario(entry, f"{path}, scenario {n}") for n, entry in enumerate(found.get("scenario", []), 1)]
    names = [s.name for s in scenarios]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{path} has two scenarios called {name!r:.60}; names tell test items apart")
    return scenarios


def _scenario(entry: Any, where: str) -> Scenario:
    """One table, checked for form."""
    if not isinstance(entry, dict):
        raise UsageError(f"{where} is not a table")
    for key, value in entry.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            raise UsageError(f"{where}: unknown key {key!r:.60}; {f'did you mean {near[0]}?' if near else ', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]) or (KEYS[key] is int and isinstance(value, bool)):
            raise UsageError(f"{where}: {key} must not be {value!r:.40}")
    for key in ("model", "revision"):
        if key not in entry:
            raise UsageError(f"{where} has no {key}")
    if entry.get("engine", "local") not in ENGINES:
        raise UsageError(f"{where}: engine must be one of {', '.join(ENGINES)}, not {entry['engine']!r:.40}")
    expect = entry.get("expect", "holds")
    for word in [expect] if isinstance(expect, str) else expect.values():
        if word not in EXPECTATIONS:
            raise UsageError(f"{where}: expect must be one of {', '.join(EXPECTATIONS)}, not {word!r:.40}")
    for bound in entry.get("bounds", {}):
        if bound not in BOUNDS:
            raise UsageError(f"{where}: unknown bound {bound!r:.60}; known are {', '.join(BOUNDS)}")
    given = {**entry, "name": entry.get("name", f"{entry['model']} {entry['revision']}")}
    for key in ("properties", "plugins"):
        given[key] = tuple(map(str, entry.get(key, ())))
    return Scenario(**given)


def run(scenario: Scenario, engine: str | None = None, seconds: float | None = None) -> dict[str, Result]:
    """Run a scenario once, for all its properties; `engine` and `seconds` overrule what it says."""
    claims, config = scenario.claims(), scenario.configuration()
    model = model_named(scenario.model)
    engine = engine or scenario.engine
    limit = seconds or scenario.bounds.get("seconds", SECONDS)
    if engine == "walk":
        return _walk(scenario, model, config, claims, limit)
    if engine == "hypothesis":
        return _play(scenario, model, config, claims, limit)
    memory = scenario.bounds.get("memory")
    bounds = Bounds(scenario.bounds.get("depth"), scenario.bounds.get("states"), limit, memory << 20 if memory else None)
    request = Request(model, scenario.revision, config, claims, keep_going=True, generic=True, bounds=bounds)
    return _explore(request, engine)


def _explore(request: Request, engine: str) -> dict[str, Result]:
    """Exhaustively, here or on Spark."""
    if engine == "spark":
        try:
            from ..spark.explore import OnSpark, explore
            from ..spark.session import session
        except ImportError as error:
            raise UsageError(f"the engine spark needs pyspark, which cannot be imported: {error}") from None
        with session(None) as spark:
            outcome = explore(request, spark, OnSpark())
    else:
        outcome = check(request)
    return {f.property.name: Result(f.verdict, outcome.stopped, f.trace) for f in outcome.findings}


def _walk(scenario: Scenario, model: Model, config: Any, claims: list[Property], seconds: float) -> dict[str, Result]:
    """By random walks: nothing is proved, so what did not fall is incomplete."""
    from ..compiling.compiled import Compiled
    from ..local.random_walk import walk_randomly

    applicable = [p for p in claims if p.applies(config)]
    compiled = Compiled(model, config, properties_of(model.name), False, LAYOUT_FOR_ALL)
    walks = walk_randomly(
        compiled, applicable, scenario.revision, LENGTH, None, seconds, scenario.seed, keep_going=True
    )
    out = {}
    for one in claims:
        trace = walks.broken.get(one.name)
        witnessed = one.kind == SOMETIMES and one.name in walks.witnessed
        verdict = VIOLATED if trace else "witnessed" if witnessed else INCOMPLETE if one in applicable else NOT_APPLICABLE
        out[one.name] = Result(verdict, f"{walks.walks:,} random walks", trace)
    return out


def _play(scenario: Scenario, model: Model, config: Any, claims: list[Property], seconds: float) -> dict[str, Result]:
    """By Hypothesis, each property by itself, with its share of the time: the engine stops at the first that falls."""
    try:
        from ..stateful.session import play
    except ImportError:
        raise UsageError("the engine hypothesis needs Hypothesis; pip install 'highwater[play]'") from None
    out = {}
    for one in claims:
        if one.kind == SOMETIMES or not one.applies(config):
            out[one.name] = Result(NOT_APPLICABLE, "a property that must sometimes hold is for the engines local and walk")
            continue
        played = play(model, scenario.revision, [config], [one], scenario.seed, seconds=seconds / len(claims))
        verdict = VIOLATED if played.fallen else INCOMPLETE
        out[one.name] = Result(verdict, f"{played.runs:,} behaviours of Hypothesis, {played.blob}".rstrip(", "), played.trace)
    return out
