"""One configuration to explore, in a form that can be sent, and the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import NoRoom, UsageError
from ...properties.catalogue import claims_of
from ...properties.plugins import models_with
from ...traces.trace import Trace
from ..budget import Bounds, Unreachable
from ..compiling.compiled import layouts_that_fit
from ..compiling.compiled_for import compile_for
from ..local.check import check, warm_up
from ..request import Request
from ..sources import validate_same_sources
from ..verdict import Outcome

FIRST, FOUND, END = "first", "found", "end"
"""When an exploration stops, if no bound ends it: at the first violation, when all is violated, when all is seen."""


@dataclass(frozen=True)
class Task:
    """A configuration by names. `settings`: those that are given beside the revision's; `until`: when it stops.

    `exact_code`: compiled for this configuration alone, not shared by all.
    """

    model: str
    revision: str
    settings: tuple[tuple[str, Any], ...]
    properties: tuple[str, ...]
    until: str = END
    symmetry: bool = False
    exact_code: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    plugins: tuple[str, ...] = ()

    def known_model(self) -> Model:
        """The model that it names."""
        return models_with(self.plugins)[self.model]

    def request(self) -> Request:
        """The request that `check` would have; UsageError where the model refuses the settings."""
        model = self.known_model()
        known = claims_of(model)
        chosen = [known[name] for name in self.properties]
        config = model.configure(self.revision, **dict(self.settings))
        return Request(
            model, self.revision, config, [claim for claim in chosen if not claim.of_progress],
            progress=[claim for claim in chosen if claim.of_progress],
            keep_going=self.until != FIRST, until_found=self.until == FOUND, symmetry=self.symmetry, generic=not self.exact_code,
            bounds=Bounds(self.bounds.depth, self.bounds.states, self.bounds.seconds, self.bounds.memory),
        )  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What was found of one property."""

    name: str
    kind: str
    verdict: str
    depth: int | None
    trace: Trace | None


@dataclass(frozen=True)
class Explored:
    """The result of a task. `refused`: why the model refuses the configuration; `promises`: what its verdicts rest on."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    complete: bool = False
    stopped: str = ""
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    compile_seconds: float = 0.0
    refused: str = ""
    promises: str = ""


def tasks_of(
    model: Model, revision: str, settings: Sequence[Mapping[str, Any]], properties: Sequence[str], bounds: Bounds, **how: Any
) -> list[Task]:
    """A task for each of some settings."""
    about = {"bounds": bounds, "plugins": model.plugins, **how}
    return [Task(model.name, revision, tuple(setting.items()), tuple(properties), **about) for setting in settings]


def run_task(task: Task) -> Explored:
    """Explore one configuration on one thread. Unreachable when a bound leaves no room for it, whatever its settings; NoRoom."""
    prepare([task])
    try:
        request = task.request()
        return explored(check(request), request)
    except (Unreachable, NoRoom):
        raise
    except UsageError as error:
        return Explored(refused=str(error))


def run_sent(sources: str, task: Task) -> Explored:
    """The same in an executor, which must have these sources of Highwater."""
    validate_same_sources(sources)
    return run_task(task)


def explored(outcome: Outcome, request: Request) -> Explored:
    """The part of an outcome that is sent back."""
    return Explored(
        settings=request.config.shown(),
        verdicts=tuple(Verdict(f.property.name, f.property.kind, f.verdict, f.depth, f.trace) for f in outcome.findings),
        complete=outcome.complete,
        stopped=outcome.stopped,
        states=outcome.distinct_states,
        transitions=outcome.transitions,
        depth=outcome.depth,
        seconds=outcome.seconds,
        cpu_seconds=outcome.cpu_seconds,
        compile_seconds=outcome.compile_seconds,
        promises=", ".join(outcome.promises),
    )


_prepared: set[tuple[str, ...]] = set()
"""The models and layouts whose shared code this process has compiled or loaded."""


def prepare(tasks: Sequence[Task]) -> None:
    """Compile what the tasks share, once for each layout that they need, before anything is explored."""
    for task in tasks:
        if task.exact_code:
            continue
        try:
            request = task.request()
        except UsageError:
            continue  # the task itself reports it
        rooms = layouts_that_fit(request.model, request.config)
        key = (request.model.name, *rooms[:1])
        if rooms and key not in _prepared:
            _prepared.add(key)
            warm_up(compile_for(request, request.applicable), request.applicable)
