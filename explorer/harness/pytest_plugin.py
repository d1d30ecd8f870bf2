"""The pytest plugin: scenarios of `highwater.toml` or `[tool.highwater]` become test items, one per property.

It is installed with Highwater (entry point `pytest11`) and does nothing where there is no such file. A run of
an engine is shared by the items of its scenario; under pytest-xdist, `--dist loadgroup` keeps them together.
"""

from __future__ import annotations

import atexit
import gc
import re
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import COUNTS
from .collected import HEAD, speaks_of_highwater, text_of

if TYPE_CHECKING:
    from .entries import Entry
    from .fixture import Checks
    from .scenarios import Result, Scenario

FILE = "highwater.toml"
ENGINES = ("local", "spark", "walk", "hypothesis")
TRACES = "highwater-traces"

AND_MORE = "; other scenarios leave out other things"
"""What a run adds where the verdicts of several scenarios say nothing of different things."""

EVERY = "every property"
"""The one item of a scenario that names plugins and no properties: which there are, its plugins say when it runs."""

def pytest_addoption(parser: pytest.Parser) -> None:
    """The flags."""
    group = parser.getgroup("highwater", "model checking with Highwater")
    group.addoption("--highwater-run", action="store_true", help="run the scenarios that are marked slow, too")
    group.addoption("--highwater-engine", choices=ENGINES, help="check every scenario with this engine")
    group.addoption("--highwater-time", type=seconds, metavar="S", help="seconds that one scenario may take, whatever it says")
    group.addoption("--highwater-plugins", action="store_true", help="import plugins that files outside the rootdir name, too")
    group.addoption("--highwater-sarif", metavar="PATH", help="write what failed, and what could not run, as SARIF")
    group.addoption("--highwater-traces", metavar="DIR", default=TRACES, help=f"where counterexamples are written ({TRACES})")


def seconds(text: str) -> float:
    """A number of seconds above zero: without time an engine tries nothing, and finds nothing."""
    if 0 < float(text) < 1e9:
        return float(text)
    raise ValueError


TOLD = pytest.StashKey[list[Any]]()
"""What an item leaves for reviewers (`entries`)."""


COMPILING = pytest.StashKey[bool]()
"""That it was said that code is compiled."""


def pytest_configure(config: pytest.Config) -> None:
    """The marker that every item has; a file that cannot be written is refused now."""
    config.addinivalue_line("markers", "highwater: a scenario of Highwater, for one property")
    if config.getoption("highwater_sarif"):
        from ...model.language.errors import UsageError
        from ..files import probe

        try:
            probe(config.getoption("highwater_sarif"), makes_folders=False)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.fixture
def highwater(request: pytest.FixtureRequest) -> Checks:
    """`check`, `walk`, `fuzz` and `prove`, which fail the test where a property is not as expected."""
    from .fixture import Checks

    told = request.node.stash.setdefault(TOLD, [])
    return Checks(request.config.rootpath / request.config.getoption("highwater_traces"), request.node, told)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, None]:
    """What an item of ours, or a test with the fixture, leaves travels with its report; that it could not run, too."""
    report = (yield).get_result()
    told = item.stash.get(TOLD, None)
    if told is None or report.when == "teardown" or not (report.failed or report.when == "call"):
        return
    if report.failed and not any(result["what"] == "failed" for result in told):
        from .entries import not_run

        file, line, title = item.reportinfo()
        plugins = item.parent.scenario.plugins if isinstance(item, ScenarioItem) else ()
        said = str(report.longrepr) if isinstance(report.longrepr, str) else str(call.excinfo.value) if call.excinfo else ""
        told.append(not_run(title, Path(file), (line or 0) + 1, said, plugins))
    report.highwater = told


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, None]:
    """That a file of scenarios, or a scenario, could not be collected."""
    report = (yield).get_result()
    if report.failed and isinstance(collector, (ScenarioItems, ScenarioCollector)):
        from .entries import not_run

        text = str(report.longrepr)
        found = re.search(r"\bline (\d+)", text)
        scenario = collector.scenario if isinstance(collector, ScenarioCollector) else None
        line = scenario.line if scenario else int(found[1]) if found else 1
        report.highwater = [not_run(collector.name, collector.path, line, text, scenario.said.plugins if scenario else ())]


def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    """What was allowed to stay undecided is counted apart; it is no failure."""
    undecided = any(result["what"] == "not decided" for result in getattr(report, "highwater", ()))
    return ("not decided", "n", "NOT DECIDED") if undecided and report.when == "call" and report.passed else None


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """What was allowed to stay undecided; annotations and the step summary, where GitHub reads them; SARIF."""
    reports = [result for some in terminalreporter.stats.values() for result in some if hasattr(result, "highwater")]
    told, path = [result for report in reports for result in report.highwater], config.getoption("highwater_sarif")
    if not told and not path:
        return
    from .annotations import lines_of, summarise
    from .entries import OPEN, PASSED, write_sarif

    undecided = [f"{result['title']}: {result['text']}" for result in told if result["what"] == OPEN]
    if undecided:
        terminalreporter.section("Highwater: not decided, as allowed")
    silent = {r["text"]: r["title"].rpartition(": ")[0] for r in told if r["what"] == PASSED and r["text"]}
    if silent and not exitstatus:
        text, scenario = next(iter(silent.items()))
        terminalreporter.write_line(f"highwater: {scenario} holds; {text}{AND_MORE if len(silent) > 1 else ''}")
    wrong = [summarise(told), write_sarif(path, told, int(exitstatus)) if path else ""]
    for line in (*undecided, *(f"highwater: {result}" for result in wrong if result), *lines_of(told)):
        terminalreporter.write_line(line)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """`highwater.toml`, another file of scenarios that is named, and `pyproject.toml` when it has a table for Highwater."""
    other = file_path.suffix == ".toml" and is_named(file_path, parent.config) and HEAD.search(text_of(file_path))
    if file_path.name == FILE or other:
        return ScenarioItems.from_parent(parent, path=file_path)
    if file_path.name == "pyproject.toml" and speaks_of_highwater(file_path):
        return ScenarioItems.from_parent(parent, path=file_path)
    return None


def is_named(path: Path, config: pytest.Config) -> bool:
    """Whether the command names a file."""
    return path.resolve() in {Path(config.invocation_params.dir, a.partition("::")[0]).resolve() for a in config.args}


class ScenarioItems(pytest.File):
    """A file of scenarios."""

    def collect(self) -> Iterator[pytest.Collector]:
        """One collector per scenario."""
        atexit.register(gc.freeze)  # as the command does: collecting garbage at the end takes half a second

        from ...model.language.errors import UsageError
        from .scenarios import read_scenarios

        try:
            scenarios = read_scenarios(self.path)
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        for scenario in scenarios:
            yield ScenarioCollector.from_parent(self, name=scenario.name, scenario=scenario)


class ScenarioCollector(pytest.Collector):
    """One scenario; it runs once, when its first item runs."""

    def __init__(self, *, scenario: Scenario, **rest: Any) -> None:
        super().__init__(**rest)
        self.scenario = scenario
        self.results: dict[str, Result] | None = None
        self._refusals: dict[str, str] | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """One item per property. The plugins that a file names are not imported to collect: its items are as it names them."""
        from ...model.language.errors import UsageError

        if self.scenario.said.expect_counts is not None:
            yield self._item(COUNTS)
        if self.scenario.said.plugins:
            for name in self.scenario.named() or [EVERY]:
                yield self._item(name)
            return
        try:
            refusals = self.refusals()
        except (UsageError, Unexpected) as error:
            raise self.CollectError(str(error)) from None
        for name in refusals:
            yield self._item(name)

    def _item(self, name: str) -> pytest.Item:
        item = ScenarioItem.from_parent(self, name=name)
        item.stash[TOLD] = []
        item.add_marker("highwater")
        if self.config.pluginmanager.hasplugin("xdist"):
            item.add_marker(pytest.mark.xdist_group(f"highwater {self.scenario.name}"))
        if self.scenario.said.slow and not self.config.getoption("highwater_run"):
            item.add_marker(pytest.mark.skip(reason="slow; run it with --highwater-run"))
        return item

    def refusals(self) -> dict[str, str]:
        """The scenario's properties, and why each cannot be checked; its plugins are imported now.

        Unexpected when the file names plugins and is not trusted."""
        named = self.config.option.highwater_plugins or is_named(self.path, self.config)
        trusted = self.path.parent == self.config.rootpath or named
        if self.scenario.said.plugins and not trusted:
            where = f"{self.path} names plugins, and is not in pytest's rootdir, {self.config.rootpath}"
            raise Unexpected(f"{where}: they are programs, and were not imported; if you trust them, add --highwater-plugins")
        if self._refusals is None:
            try:
                self._refusals = {claim.name: self.scenario.refusal(claim) for claim in self.scenario.claims()}
            except SystemExit:
                said = f"a plugin of scenario {self.scenario.name!r} ended the process; it must not call exit"
                raise Unexpected(said) from None
        return self._refusals

    def result_of(self, name: str) -> Result:
        """What the scenario's run found of a property."""
        from .scenarios import run

        if self.results is None:
            options = self.config.option
            self.results = run(self.scenario, options.highwater_engine, options.highwater_time, self._tell)
        return self.results[name]

    def _tell(self, now: Any) -> None:
        """Say that code is compiled, once in a run of pytest: the first scenario of a model may take a minute."""
        reporter, capture = map(self.config.pluginmanager.get_plugin, ("terminalreporter", "capturemanager"))
        compiling = getattr(now, "background", "").startswith("compiling")
        if reporter is None or not compiling or self.config.stash.get(COMPILING, False):
            return
        self.config.stash[COMPILING] = True
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            reporter.ensure_newline()
            reporter.write_line(f"highwater: compiling for {self.name}, up to a minute; what is compiled is kept for later runs")


class Unexpected(Exception):
    """The scenario's run did not find what is expected of the property."""


class ScenarioItem(pytest.Item):
    """One property of a scenario."""

    parent: ScenarioCollector

    def runtest(self) -> None:
        """Run the scenario if that is still to be done, and compare."""
        refusals = self.parent.refusals()
        if self.name != EVERY:
            self._compare(self.name, refusals.get(self.name, ""))
            return
        wrong, skipped = [], []
        for name, refusal in refusals.items():
            try:
                self._compare(name, refusal)
            except Unexpected as error:
                wrong.append(str(error))
            except pytest.skip.Exception as error:
                skipped.append(str(error))
        if wrong:
            raise Unexpected("\n\n".join(wrong))
        if len(skipped) == len(refusals):
            pytest.skip(skipped[0])

    def _compare(self, name: str, refusal: str) -> None:
        """Unexpected when the result of a property is not what is expected of it."""
        from ..verdict import INCOMPLETE, NOT_APPLICABLE, VIOLATED

        scenario, engine = self.parent.scenario, self.config.option.highwater_engine
        if refusal:
            raise Unexpected(f"{refusal}; give it what it needs in the scenario's settings, or leave it out")
        result = self.parent.result_of(name)
        if result.verdict == NOT_APPLICABLE:
            reason = f"{name} is not checked by the engine {engine or scenario.said.engine}: {result.detail}"
            if engine is None or scenario.expected(name) == VIOLATED:
                raise Unexpected(reason)
            pytest.skip(reason)
        from .entries import FAILED, OPEN, PASSED
        from .places import relative
        from .scenarios import problem_of

        said = engine or scenario.said.engine
        problem = problem_of(scenario, name, result, said)
        if problem:
            why, (path, told) = self._why(name, result), self._told(name, result)
            first = "".join(why.splitlines(keepends=True)[:1])
            ran = self._leave(FAILED, name, result, first + problem, path and relative(Path(path)))["ran"]
            raise Unexpected(why + (f"{ran}\n" if ran else "") + problem + told)
        undecided = result.verdict == INCOMPLETE and said in ("local", "spark")
        if undecided:
            self.user_properties.append(("not_decided", result.ended))
        allowed = f"{result.ended}; allow_incomplete = true"
        self._leave(OPEN if undecided else PASSED, name, result, allowed if undecided else self._silence(result))

    def _silence(self, result: Result) -> str:
        """What a verdict says nothing of."""
        from ...properties.left_out import says_nothing_of
        from ..verdict import HOLDS

        scenario = self.parent.scenario
        return says_nothing_of(scenario.model(), scenario.revision(), scenario.configuration()) if result.verdict == HOLDS else ""

    def _leave(self, what: str, name: str, result: Result, text: str, path: str = "") -> Entry:
        """Leave with the report what the author of a pull request is to see, and at which line."""
        from .entries import entry_of
        from .places import relative

        scenario = self.parent.scenario
        place, title = (relative(self.path), scenario.line), f"{self.parent.name}: {name}"
        subject = scenario.model(), scenario.revision()
        left = entry_of(what, title, place, text, subject, name, result.verdict, result.trace, path)
        self.stash[TOLD].append(left)
        return left

    def _told(self, name: str, result: Result) -> tuple[str, str]:
        """The path of the counterexample, and where it was written and what it is."""
        if result.trace is None:
            return "", f"\n{result.detail}" if result.detail and not result.ended and name != COUNTS else ""
        from ...model.language.errors import UsageError
        from ..files import write_file
        from ..trace_files import free_path, text_of, write_page

        words = "-".join("".join(c if c.isalnum() or c in "._-" else " " for c in self.parent.name).split())
        folder = self.config.rootpath / self.config.option.highwater_traces
        model = self.parent.scenario.model()
        text = text_of(result.trace, model)
        path = free_path(folder, f"{words}-{name}", text)
        try:
            write_file(path, text)
            page = write_page(result.trace, model, path)
            where = f"counterexample: {path}" + (f"\n       as a page: {page}" if page else "")
        except UsageError as error:
            path, where = "", f"the counterexample is not kept: {error}"
        return path, f"\n{where}\n{result.detail}\n\n{text}".replace("\n\n\n", "\n\n")

    def _why(self, name: str, result: Result) -> str:
        """Why the property is violated, the sentence first; nothing of another result."""
        if result.trace is None:
            return ""
        from ...properties.catalogue import claims_of
        from ...properties.explain import explain
        from ..verdict import VIOLATED

        if result.verdict != VIOLATED:
            return ""

        model = self.parent.scenario.model()
        return "\n".join(explain(result.trace, model, claims_of(model)[name]).lines()) + "\n"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What people read: no Python traceback, unless something went wrong in Highwater itself."""
        from ...model.language.errors import ModelError, UsageError
        from ...traces.visible import visible
        from ..compiling.failure import place, sentence
        from .places import for_reviewers

        plugins = self.parent.scenario.plugins
        if isinstance(excinfo.value, (Unexpected, UsageError)):
            return visible(for_reviewers(str(excinfo.value), plugins))
        if isinstance(excinfo.value, ModelError) or place(excinfo.value, plugins):
            return f"the model itself failed: {sentence(excinfo.value, plugins)}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file, and a readable title."""
        return self.path, self.parent.scenario.line - 1, f"{self.parent.name}: {self.name}"
