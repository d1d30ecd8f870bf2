"""Properties as text: what a state, or a step, violates or witnesses, as a mask.

A property is a function of the state and of its parameters, and is compiled as a separate function. Around it are loops
over its parameters: `always` and `step` hold for all of them, `sometimes` for one. A guard at the head of the function
that needs fewer parameters than all is evaluated once for those, before the inner loops begin.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...model.language.errors import UsageError
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.program import Program
from ...model.language.settings import Settings
from ...properties.property import ALWAYS, SOMETIMES, STEP, Property
from .arrays import WORD_BITS
from .shared import Shared
from .steps import extent

OF_ONE = "_of_one"
"""Behind the name of a check: for one value of a parameter."""

PREDICATES = ("broken", "broken_steps", "witnessed", "witnessed_steps")


class Note(NamedTuple):
    """A property, its row among the notes, its group, and its bit in the group's mask."""

    property: Property
    row: int
    group: int
    bit: np.uint64


@dataclass(frozen=True)
class Checked:
    """The properties that a text can check, by kind; a property's place is its bit in the masks."""

    groups: tuple[tuple[Property, ...], ...]

    @staticmethod
    def of(properties: Iterable[Property]) -> "Checked":
        """Sort the properties: always, step, sometimes of a state, sometimes of a step."""
        groups: tuple[list[Property], ...] = ([], [], [], [])
        for claim in properties:
            place = {ALWAYS: 0, STEP: 1, SOMETIMES: 3 if claim.over_steps else 2}[claim.kind]
            groups[place].append(claim)
        if max(map(len, groups)) > WORD_BITS:
            raise UsageError(f"at most {WORD_BITS} properties of one kind can be checked in one run; name fewer with --property")
        return Checked(tuple(map(tuple, groups)))

    def __iter__(self) -> Iterator[Property]:
        return itertools.chain(*self.groups)

    def notes(self) -> Iterator[Note]:
        """The meaning of the rows of `arrays.Checks.notes`; the last row, not listed here, is for deadlock."""
        for number, group in enumerate(self.groups):
            for place, claim in enumerate(group):
                yield Note(claim, number * WORD_BITS + place, number, np.uint64(1 << place))


def checks_text(checked: Checked, whole: Program, config: Settings | Shared | None) -> Iterator[str]:
    """`broken`, `broken_steps`, `witnessed` and `witnessed_steps`, each after a function for each property with parameters."""
    for name, group in zip(PREDICATES, checked.groups, strict=True):
        states = "s, t" if name.endswith("_steps") else "s"
        negation = "not " if name.startswith("broken") else ""
        lines = [f"def {name}({states}, active):", "    found = np.uint64(0)"]
        for place, claim in enumerate(group):
            bit, function = f"np.uint64({1 << place})", name_of_check(claim, whole)
            if claim.dimensions:
                yield quantified_text(claim, whole, config)
            lines += [f"    if active & {bit} != np.uint64(0) and {negation}{function}({states}):", f"        found |= {bit}"]
        yield "\n".join([*lines, "    return found"])


def name_of_check(claim: Property, whole: Program) -> str:
    """The function that says whether a property holds: of all values of its parameters, if it has any; `sometimes`, of some."""
    quantifier = "some" if claim.kind == SOMETIMES else "all"
    return f"{quantifier}_{whole.name_of(claim.function)}" if claim.dimensions else whole.name_of(claim.function)


def quantified_text(claim: Property, whole: Program, config: Settings | Shared | None, given: str = "") -> str:
    """`all_...`: whether the property holds for all values of its parameters; `some_...`: of `sometimes`, for one.

    With a parameter that is `given`: for this value of it and all of the others.
    """
    function = whole.name_of(claim.function)
    states = ["s", "t"] if claim.over_steps else ["s"]
    reachable = claim.kind == SOMETIMES
    over = [(name, dimension) for name, dimension in zip(claim.parameters, claim.dimensions, strict=True) if name != given]
    first = [*states, *([given] if given else [])]
    lines = [f"def {name_of_check(claim, whole)}{OF_ONE if given else ''}({', '.join(first)}):"]
    names = [*first, *(name for name, _ in over)]
    guards = early_guards(whole.functions[function], names, len(first), not reachable, 0 if given else 1)
    for depth, (name, dimension) in enumerate(over, 1):
        lines += ["    " * depth + line for line in guards.get(depth - 1, ())]
        lines.append("    " * depth + f"for {name} in range({extent(dimension, config)}):")
    deepest = "    " * (len(over) + 1)
    call = f"{function}({', '.join([*states, *claim.parameters])})"
    test = call if reachable else f"not {call}"
    lines += [f"{deepest}if {test}:", f"{deepest}    return {reachable}", f"    return {not reachable}"]
    return "\n".join(lines)


def early_guards(function: tree.Function, names: Sequence[str], fixed: int, skipping: bool, least: int) -> dict[int, list[str]]:
    """Guards at the head of a function that some loop can evaluate before the next one begins, by that loop's depth.

    `names` are the function's parameters; over the first `fixed` of them there is no loop. Depths begin at the `least`. A guard
    is an `if` that returns the constant `skipping`; assignments between guards are copied along. A guard never moves before one
    that stands above it, since that may be what keeps an index within its array. Moving is optional: the function itself is
    called with all its guards.
    """
    depth_of = {name: max(0, place - fixed + 1) for place, name in enumerate(names)}
    last, reached = len(names) - fixed, 0
    lines: dict[int, list[str]] = {}
    pending: list[str] = []

    def depth_at(node: tree.Expression) -> int:
        return max([reached, *(depth_of.get(claim.name, 0) for claim in tree.having(tree.Name, node))])

    for statement in function.body:
        match statement:
            case tree.Assign(target=tree.Name(name=name), value=value) if name not in depth_of:
                reached = depth_of[name] = depth_at(value)
                pending.append(f"{name} = {value.python}")
            case tree.If(test=test) if tree.is_guard(statement, skipping):
                for part in test.parts if isinstance(test, tree.Joined) and not test.is_and else [test]:
                    reached = depth_at(part)
                    if not least <= reached < last:
                        return lines
                    leaves = "continue" if reached else f"return {skipping}"
                    lines.setdefault(reached, []).extend([*pending, f"if {part.python}:", f"    {leaves}"])
                    pending = []
            case _:
                break
    return lines
