"""One compiled state, stepped action by action: what Hypothesis plays with."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ...model.language.actions import Action, Model
from ...model.language.kinds import Record
from ...model.language.layout import Layout
from ...model.language.loader import load
from ...model.language.program import refuse_writes
from ...properties.property import Property
from ..compiling.checks import PREDICATES, Checked, predicate_text
from ..compiling.generate import checked_program, switched_on
from ..failure import located
from . import step_kernels
from .step_kernels import ACT, IS_ENABLED, MEASURE, NOTHING, RESTART, RETRACE, SCOUT, STROLL

ENTRIES = ("play",)
MOST_STEPS = 20_000
"""Steps that one run can record."""

ZERO = np.uint64(0)


def text_for_stepping(model: Model, properties: Checked, measures: Sequence[Callable[..., int]]) -> str:
    """Everything that is compiled to step a model, for every configuration of a layout."""
    whole = checked_program(model, (*(p.function for p in properties), *measures))
    refuse_writes(whole, [whole.name_of(function) for function in (*(p.function for p in properties), *measures)])
    kernels = {n: v for n, v in vars(step_kernels).items() if inspect.isfunction(v)}
    numbers = {n: v for n, v in vars(step_kernels).items() if n.isupper() and isinstance(v, int)}
    return "\n\n\n".join(
        [
            *(f"{name} = {value}" for name, value in numbers.items()),
            whole.text(),
            attempts_text(model.actions, [whole.name_of(a.function) for a in model.actions]),
            *predicate_text(PREDICATES[0], properties.groups[0], whole, None),
            *predicate_text(PREDICATES[1], properties.groups[1], whole, None),
            measures_text([whole.name_of(m) for m in measures]),
            *(bare_text(kernel) for kernel in kernels.values()),
        ]
    ) + "\n"


def attempts_text(actions: Sequence[Action], functions: Sequence[str]) -> str:
    """`attempt`: tries the instances of an action in turn; a refusal leaves the state untouched."""
    lines = ["def attempt(s, action, first, tries):"]
    for index, (action, function) in enumerate(zip(actions, functions, strict=True)):
        sizes = [f"np.int64(s.config.{dimension})" for dimension in action.dimensions]
        places = list(range(len(sizes)))
        lines += [f"    if action == {index}:", *(f"        size{place} = {sizes[place]}" for place in places)]
        lines += [f"        count = {' * '.join(f'size{place}' for place in places) or '1'}"]
        lines += ["        if count == 0:", "            return -1", "        instance = first % count"]
        lines += ["        rest = instance"] if places else []
        for place in reversed(places):
            lines += [f"        p{place} = rest % size{place}", f"        rest //= size{place}"]
        arguments = ", ".join(["s", *(f"p{place}" for place in places)])
        lines += ["        for _ in range(min(tries, count)):"]
        lines += [f"            if {function}({arguments}):", "                return instance"]
        lines += ["            instance += 1", *carried(places), "            if instance == count:"]
        lines += ["                instance = 0", "        return -1"]
    return "\n".join([*lines, "    return -1"])


def carried(places: Sequence[int]) -> list[str]:
    """Count the parameters up by one, with carry: divisions would cost more than most guards."""
    lines, indent = [], "            "
    for place in reversed(places):
        lines += [f"{indent}p{place} += 1", f"{indent}if p{place} == size{place}:", f"{indent}    p{place} = 0"]
        indent += "    "
    return lines


def measures_text(names: Sequence[str]) -> str:
    """`measure`, which raises each entry of `out`."""
    lines = [f"    out[{place}] = max(out[{place}], {name}(s))" for place, name in enumerate(names)]
    return "\n".join(["def measure(s, out):", *(lines or ["    return"])])


def bare_text(function: Callable[..., Any]) -> str:
    """A kernel without annotations and docstring."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.returns = None
    for argument in tree.args.args:
        argument.annotation = None
    tree.body = tree.body[1:]
    return ast.unparse(tree)


def widest_layout(model: Model) -> str:
    """The layout of a model with the most room."""
    return "large" if "large" in model.capacities else "small"


@cache
def _module(
    model: Model, properties: tuple[Property, ...], measures: tuple[Callable[..., int], ...]
) -> tuple[Layout, ModuleType]:
    layout = Layout(model, widest_layout(model))
    text = text_for_stepping(model, Checked.of(properties), measures)
    apart = [line[4 : line.index("(")] for line in text.splitlines() if line.startswith("def ")]
    return layout, load(f"{model.name}-stepping", text, ENTRIES, [name for name in apart if name not in ENTRIES])


class Stepper:
    """A model's compiled code for stepping, shared by all configurations, with the state it stands in.

    `properties` are compiled, those `chosen` are checked. `begin` chooses configuration and initial state; then `take`,
    `stroll` and `back_to_start` move. `path` has the steps so far: action and instance. `taken` counts the steps of scouts.
    """

    def __init__(
        self,
        model: Model,
        properties: Sequence[Property],
        measures: Sequence[Callable[..., int]] = (),
        chosen: Sequence[Property] | None = None,
    ) -> None:
        self.model = model
        self.chosen = set(properties if chosen is None else chosen)
        self.checked = Checked.of(p for p in properties if p.kind != "sometimes")
        self.layout, self.module = _module(model, tuple(self.checked), tuple(measures))
        self.measures = [m.__name__ for m in measures]
        self.path = np.zeros((MOST_STEPS, 2), np.int64)
        self.found = np.zeros(2, np.uint64)
        self.active = np.zeros(2, np.uint64)
        self.out = np.zeros(max(1, len(measures)), np.int64)
        self.weights = np.zeros(len(model.actions), np.int64)
        self.taken = np.zeros(1, np.int64)
        self.length = 0
        self._starts: dict[Any, list[Any]] = {}

    def begin(self, config: Any, initial: int = 0) -> None:
        """Stand in the initial state of this number; the properties that apply are checked."""
        starts = self._starts.get(config)
        if starts is None:
            if len(self._starts) >= 64:
                self._starts.clear()
            starts = self._starts[config] = [self._rows(config, state) for state in self.model.initial_states(config)]
        self.config, self.initial = config, initial % len(starts)
        self.rows, self.recs, self.used = starts[self.initial]
        for place, group in enumerate(self.checked.groups[:2]):
            self.active[place] = sum(1 << i for i, p in enumerate(group) if p in self.chosen and p.applies(config))
        self.back_to_start()

    def initial_states(self, config: Any) -> int:
        """How many initial states the configuration has."""
        self.begin(config)
        return len(self._starts[config])

    def _rows(self, config: Any, state: Any) -> tuple[Any, Any, Any]:
        """Rows whose last holds an initial state, twice seen, and the words of a row that can differ from zero."""
        rows = self.layout.rows(config, 4)
        recs = self.layout.records(rows)
        marked = self.layout.rows(config, 1)
        fill_all(state, self.layout.records(marked)[0])
        put(state, recs[2])
        return rows, recs, np.flatnonzero(marked[0, : self.layout.state_words])

    def _play(self, what: int, one: int = 0, two: int = 0, seed: np.uint64 = ZERO) -> int:
        """Ask the compiled code."""
        with located(self.model, self.layout, self.config, self.chosen, lambda: self.rows):
            return int(
                self.module.play(
                    what, self.rows, self.recs, self.used, self.active, self.found, self.path, self.weights, self.out,
                    self.taken, self.length, one, two, seed,
                )
            )  # fmt: skip

    def back_to_start(self) -> None:
        """Stand in the initial state again, with an empty path."""
        self.length = 0
        self.weights[:] = 0
        self.out[:] = 0
        self._play(RESTART)

    def take(self, action: int, first: int) -> bool:
        """Take the first enabled instance of an action from `first` on; False when none is, or the path is full."""
        if self.length >= MOST_STEPS or self._play(ACT, action, first) == NOTHING:
            return False
        self.length += 1
        return True

    def stroll(self, seed: np.uint64, steps: int) -> None:
        """Take up to `steps` random steps of the actions that have a weight."""
        self.length = self._play(STROLL, min(steps, MOST_STEPS - self.length), 0, seed)

    def scout(self, seed: np.uint64, tours: int, steps: int) -> None:
        """Stroll several times from here, and come back each time unless a property falls."""
        self.length = self._play(SCOUT, tours, min(steps, MOST_STEPS - self.length), seed)

    def is_enabled(self, action: int) -> bool:
        """Whether some instance of the action is enabled."""
        return self._play(IS_ENABLED, action) == 1

    def broken(self) -> list[Property]:
        """The properties that the last step broke."""
        out = []
        for place, group in enumerate(self.checked.groups[:2]):
            mask = int(self.found[place])
            out += [p for i, p in enumerate(group) if mask >> i & 1]
        return out

    def measured(self) -> dict[str, int]:
        """The measures, each at its highest in this run where it was asked for."""
        self._play(MEASURE)
        return {name: int(self.out[place]) for place, name in enumerate(self.measures)}

    def retrace(self, path: Any, one: Property) -> int:
        """From the initial state take exactly these steps: after how many `one` falls; negative when it does not."""
        kept = self.active.copy()
        for place, group in enumerate(self.checked.groups[:2]):
            self.active[place] = sum(1 << i for i, p in enumerate(group) if p is one)
        self.path[: len(path)] = path
        self.length = 0
        broken = self._play(RETRACE, len(path))
        self.active[:] = kept
        return broken

    def exists(self, action: int, config: Any) -> bool:
        """Whether the configuration has the action at all."""
        return switched_on(self.model, config)[action]

    def steps(self, path: Any) -> list[tuple[Action, tuple[int, ...]]]:
        """A path as actions with their arguments."""
        return [self._decode(int(action), int(instance)) for action, instance in path]

    def _decode(self, index: int, instance: int) -> tuple[Action, tuple[int, ...]]:
        """The action of this number, and the arguments of its instance."""
        action, arguments = self.model.actions[index], []
        for dimension in reversed(action.dimensions):
            instance, argument = divmod(instance, getattr(self.config, dimension))
            arguments.append(argument)
        return action, tuple(reversed(arguments))


def put(record: Record, view: Any) -> None:
    """Write a plain record into a row seen as a record, field by field."""
    for name in record.fields:
        value = getattr(record, name)
        if isinstance(value, Record):
            put(value, view[name])
        elif isinstance(value, list):
            if value:
                _put_row(value, view[name])
        else:
            view[name] = value


def _put_row(values: list[Any], view: Any) -> None:
    if isinstance(values[0], Record):
        for place, value in enumerate(values):
            put(value, view[place])
    elif isinstance(values[0], list):
        for place, value in enumerate(values):
            if value:
                _put_row(value, view[place])
    else:
        view[: len(values)] = values


def fill_all(record: Record, view: Any) -> None:
    """Set every variable that the configuration has to -1: what stays zero is never used."""
    for name in record.fields:
        value = getattr(record, name)
        if isinstance(value, Record):
            fill_all(value, view[name])
        elif isinstance(value, list):
            _fill_row(value, view[name] if value else None)
        else:
            view[name] = -1


def _fill_row(values: list[Any], view: Any) -> None:
    for place, value in enumerate(values):
        if isinstance(value, Record):
            fill_all(value, view[place])
        elif isinstance(value, list):
            _fill_row(value, view[place] if value else None)
        else:
            view[place] = -1
