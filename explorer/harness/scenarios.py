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

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.releases import release_of, row_of, settings_of_release
from ...model.language.revisions import is_release
from ...properties.catalogue import claims_named, claims_of, default_properties
from ...properties.plugins import look_in, models_with, plugins_with
from ...properties.property import SOMETIMES, Property
from ...traces.trace import Trace
from ...traces.visible import visible
from ...traces.words import plural
from ..budget import Bounds
from ..compiling.compiled import layouts_that_fit
from ..compiling.compiled_for import compile_for
from ..config_files import ScenarioFile, ScenarioTable, read, text_of
from ..extras import needed
from ..local.check import check
from ..request import Request, means_nothing, revision_named, sizes
from ..verdict import HOLDS, INCOMPLETE, NEVER, NOT_APPLICABLE, VIOLATED, WITNESSED
from . import COUNTS
from .counts import differences

SECONDS, LONGEST = 60.0, 300.0
"""The time limit of a scenario that does not set one: of random walks and of Hypothesis, and of an exploration with compiling."""

LEAST = 1_000
"""Random walks that a scenario has done at least, if it does not say another number: fewer are no test."""

LENGTH = 200
"""The maximum length of a random walk."""


@dataclass(frozen=True)
class Scenario:
    """One scenario as its file says it, the line where it begins, and the file's folder; the model is only asked when it runs."""

    said: ScenarioTable
    line: int = 1
    folder: Path = Path()

    @property
    def name(self) -> str:
        """What tells its test items from others."""
        return visible(self.said.name or f"{self.said.model} {self.subject}", kept="")

    @property
    def subject(self) -> str:
        """The revision or the release, as the file names it."""
        return self.said.release or self.said.revision

    def expected(self, name: str) -> str:
        """What is expected of a property: `holds` or `violated`."""
        if name == COUNTS:
            return HOLDS
        return self.said.expect if isinstance(self.said.expect, str) else self.said.expect.get(name, HOLDS)

    def model(self) -> Model:
        """The model that it names; its plugins may lie beside the file."""
        look_in(self.folder, self.said.plugins)
        return models_with(self.plugins)[self.said.model]

    @property
    def plugins(self) -> tuple[str, ...]:
        """The installed plugins, and those that it names."""
        return plugins_with(self.said.plugins)

    def claims(self) -> list[Property]:
        """The properties it is about: those named, or those that are checked by default and mean something here."""
        model, said = self.model(), self.said
        try:
            claims_named(model, self.named())
        except UsageError as error:
            raise UsageError(f"scenario {self.name!r}: {error}") from None
        if said.properties:
            strange = [name for name in self.named() if name not in said.properties]
            if strange:
                raise UsageError(f"scenario {self.name!r} expects something of {strange[0]}, which its properties do not name")
            return claims_named(model, said.properties)
        config = self.configuration()
        default = {p.name for p in default_properties(model) if p.applies(config)}
        claims = [p for p in claims_of(model).values() if p.name in default or p.name in self.named()]
        if not claims:
            raise UsageError(f"scenario {self.name!r}: no property applies under its settings, so nothing would be checked")
        return claims

    def named(self) -> list[str]:
        """The properties that the file names, in `properties` or in `expect`."""
        expected = self.said.expect if isinstance(self.said.expect, Mapping) else ()
        return [*dict.fromkeys([*self.said.properties, *expected])]

    def refusal(self, claim: Property) -> str:
        """Why the property cannot be checked under the settings; empty when it can."""
        return "" if claim.applies(self.configuration()) else means_nothing(claim, self.configuration())

    def configuration(self) -> Any:
        """The configuration that it names."""
        model, revision = self.model(), self.revision()
        own = settings_of_release(model, release_of(model, self.release()), revision) if self.release() else {}
        try:
            return model.configure(revision, **{**own, **self.said.settings})
        except UsageError as error:
            raise UsageError(f"scenario {self.name!r}: {error}") from None

    def revision(self) -> str:
        """The revision that it names, or the one that describes the release that it names."""
        model = self.model()
        if self.release():
            return row_of(model, self.release())[1]
        return revision_named(model, self.said.revision)

    def release(self) -> str:
        """The release that it names, as one or in the place of a revision; else nothing."""
        model, said = self.model(), self.said.revision
        return self.said.release or (said if model.releases and said not in model.revisions and is_release(said) else "")


@dataclass
class Result:
    """What was found of one property: a verdict of `verdict`, what ended the run, the trace; `few`: that too little was tried.

    `ended`: how far an exploration came that a bound ended.
    """

    verdict: str
    detail: str = ""
    trace: Trace | None = None
    few: str = ""
    ended: str = ""


def read_scenarios(path: Path) -> list[Scenario]:
    """The scenarios of `highwater.toml`, or of `[tool.highwater]` in `pyproject.toml`."""
    tables = ("tool", "highwater") if path.name == "pyproject.toml" else ()
    found = read(path, ScenarioFile, *tables)
    heading = r"^\s*\[\[\s*" + r"\s*\.\s*".join((*tables, "scenario")) + r"\s*\]\]"
    lines = [number for number, line in enumerate(text_of(path).splitlines(), 1) if re.match(heading, line)]
    lines += [1] * (len(found.scenario) - len(lines))
    scenarios = [Scenario(said, line, path.parent) for said, line in zip(found.scenario, lines, strict=False)]
    names = [scenario.name for scenario in scenarios]
    for number, repair in enumerate(found.scenario, 1):
        if bool(repair.revision) == bool(repair.release):
            wrong = "revision and release exclude each other" if repair.release else "revision is missing, or release"
            raise UsageError(f"{path}: scenario {number}, {wrong}")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{path} has two scenarios called {name!r:.60}; names tell test items apart")
    return scenarios


def run(scenario: Scenario, engine: str | None = None, seconds: float | None = None, report: Any = None) -> dict[str, Result]:
    """Run a scenario once, for all its properties; `engine` and `seconds` overrule what it says. `report` is called meanwhile."""
    model, config = scenario.model(), scenario.configuration()
    engine, bounds = engine or scenario.said.engine, scenario.said.bounds.bounds()
    tries = engine in ("walk", "hypothesis")
    bounds = replace(bounds, seconds=seconds or bounds.seconds or (SECONDS if tries else LONGEST))
    bounds.count_from_now()
    # Code for all configurations, where it has room for this one.
    room = bool(layouts_that_fit(model, config))
    if scenario.said.generic and not room:
        raise UsageError(f"scenario {scenario.name!r}: generic code has no room for these sizes; leave out generic = true")
    generic = scenario.said.generic is not False and room
    claims = scenario.claims()
    progress, safety = ([claim for claim in claims if claim.of_progress == wanted] for wanted in (True, False))
    how: dict[str, Any] = {"keep_going": True, "generic": generic, "bounds": bounds, "progress": progress}
    request = Request(model, scenario.revision(), config, safety, **how)
    if tries:
        unseen = INCOMPLETE if scenario.said.allow_incomplete else NEVER
        found = {}
        if safety:
            seed, least = scenario.said.seed, scenario.said.at_least or LEAST
            found = _walk(request, seed, unseen, least) if engine == "walk" else _play(request, seed)
        if scenario.said.expect_counts is not None:
            found[COUNTS] = Result(NOT_APPLICABLE, "only the engines local and spark count states")
        why = "only the engines local and spark decide properties of progress"
        return {**found, **{claim.name: Result(NOT_APPLICABLE, why) for claim in progress}}
    return _explore(scenario, request, engine, report)


def _explore(scenario: Scenario, request: Request, engine: str, report: Any) -> dict[str, Result]:
    """Exhaustively, here or on Spark."""
    if engine == "spark":
        with needed("spark", "the engine spark"):
            from ..spark.explore import OnSpark, explore
            from ..spark.session import session
        with session(None) as spark:
            outcome = explore(request, spark, OnSpark())
    else:
        outcome = check(request, report)
    reached = f" at depth {outcome.depth}, after {plural(outcome.distinct_states, 'distinct state')}" if outcome.levels else ""
    reached += ", those of the level that it broke off left out" if outcome.stopped.endswith("states") else ""
    ended = f"{outcome.ended_by} ended the exploration{reached}" if outcome.stopped else ""
    found = {f.property.name: Result(f.verdict, outcome.stopped, f.trace, ended=ended) for f in outcome.findings}
    if scenario.said.expect_counts is not None:
        wrong = "; ".join(differences(scenario.said.expect_counts, outcome))
        found[COUNTS] = Result(INCOMPLETE if ended else VIOLATED if wrong else HOLDS, wrong, ended=ended)
    return found


def _walk(request: Request, seed: int, unseen: str, least: int) -> dict[str, Result]:
    """By random walks: nothing is proved, so what is not violated is incomplete; `unseen`: the verdict on a witness not met."""
    from ..local.random_walk import walk_randomly

    applicable = request.applicable
    compiled, seconds = compile_for(request, applicable), request.bounds.seconds
    walks = walk_randomly(compiled, applicable, request.revision, LENGTH, None, seconds, seed, keep_going=True)
    done = f"{plural(walks.walks, 'random walk')}"
    few = "" if walks.walks >= least else f"{done} were done in {seconds:.3g} s, and not {least:,}; allow more, or say at_least"
    out = {}
    for claim in request.properties:
        trace = walks.broken.get(claim.name)
        witnessed = claim.kind == SOMETIMES and claim.name in walks.witnessed
        undecided = unseen if claim.kind == SOMETIMES else INCOMPLETE
        verdict = VIOLATED if trace else WITNESSED if witnessed else undecided if claim in applicable else NOT_APPLICABLE
        out[claim.name] = Result(verdict, done, trace, "" if trace or verdict == NOT_APPLICABLE else few)
    return out


def _play(request: Request, seed: int) -> dict[str, Result]:
    """By Hypothesis, each property by itself, with its share of the time: the engine stops at the first violation."""
    from ..stateful.session import fuzz

    share = Bounds(seconds=(request.bounds.seconds or SECONDS) / len(request.properties))
    out = {}
    for claim in request.properties:
        if claim.kind == SOMETIMES or not claim.applies(request.config):
            out[claim.name] = Result(NOT_APPLICABLE, "only the engines local and walk check reachability properties")
            continue
        fuzzed = fuzz(replace(request, properties=[claim], bounds=share), seed)
        if not fuzzed.steps and not fuzzed.violated:
            raise UsageError(f"{share.seconds:.1g} s for {claim.name} ran out before Hypothesis tried a step; allow more")
        verdict = VIOLATED if fuzzed.violated else INCOMPLETE
        out[claim.name] = Result(verdict, f"{fuzzed.runs:,} behaviours of Hypothesis", fuzzed.trace)
    return out


def problem_of(scenario: Scenario, name: str, result: Result, engine: str) -> str:
    """Why the result is not what is expected; empty when it is."""
    subject, expected = f"{scenario.said.model} {scenario.subject}: {name}", scenario.expected(name)
    if name == COUNTS and result.verdict == VIOLATED:
        return f"{subject}: {result.detail}; if this is meant, say the new numbers in expect_counts"
    if result.few:
        return f"{subject} was hardly tried: {result.few}"
    if result.verdict == VIOLATED:
        return "" if expected == VIOLATED else f"{subject} was expected to hold, and is violated"
    if expected == VIOLATED:
        model, config = scenario.model(), scenario.configuration()
        at = f"at {sizes(model, scenario.revision(), config)}" + (f" before {result.ended}" if result.ended else "")
        smaller = "if sizes or budgets are smaller now, restore them"
        return f'{subject} was expected to be violated, and is not, {at}; {smaller}; if it is repaired, say expect = "holds"'
    if result.verdict == NEVER:
        return f"{subject} was never witnessed: the configuration may be too small to be meaningful"
    if result.verdict == INCOMPLETE and engine in ("local", "spark") and not scenario.said.allow_incomplete:
        once = ", generic = true (compiled once for all sizes)" if scenario.said.generic is False else ""
        kept = f" (what is compiled is kept){once}" if "compil" in result.ended else ""
        return f"{subject} is not decided: {result.ended}; allow more{kept}, or say allow_incomplete = true"
    return ""
