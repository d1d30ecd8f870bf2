"""What need not be done again after a step in lanes, because it looks only at cells that the step has not changed.

A step changes few cells, and its journal says which. A property of steps that reads none of them in the later state says what it
says of a step that changes nothing; a part of the normal form that neither reads nor writes one of them changes nothing, if it
changes nothing in the state before. So each has a bit, and each cell the bits of all that look at it. What looks at
which cells is known from the syntax trees (`footprint`). A property whose parameter names what it looks at has a bit for each
value of that parameter.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...model.language.actions import Model
from ...model.language.machine_code.layout import Layout
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.footprint import ANY, footprint_in
from ...model.language.reading.program import Program
from ...model.language.settings import Settings
from ...properties.property import Property
from .arrays import WORD_BITS


@dataclass(frozen=True)
class Asked:
    """A property of steps: its parameter for whose values there are bits, if there is one, and these bits in their order."""

    parameter: str
    bits: tuple[int, ...]


CalledWith = tuple[str, list[str]]
"""A function, and the numbers that it is called with after the state."""


class Touched:
    """The bits that each cell has: `bits_of` [cell]. Those that do not fit into a word share its last bit."""

    def __init__(self, model: Model, whole: Program, config: Settings, layout: Layout) -> None:
        self.model, self.whole, self.config = model, whole, config
        self.cells = {path: cell for one in layout.alike or (config,) for path, cell, _ in layout.variables(one)}
        self.bits_of = [0] * (layout.state_words * 8)
        self.taken = 0
        self.below: dict[str, set[int]] = {}

    def new_bits(self, looked_at: Sequence[set[int]]) -> tuple[int, ...]:
        """A bit for each of some sets of cells."""
        bits = []
        for cells in looked_at:
            bits.append(1 << min(self.taken, WORD_BITS - 1))
            self.taken += 1
            for cell in cells:
                self.bits_of[cell] |= bits[-1]
        return tuple(bits)

    def cells_at(self, paths: Iterable[str]) -> set[int]:
        """The cells of variables whose paths may have `*` for an index."""
        found: set[int] = set()
        for path in paths:
            if path not in self.below:
                pattern = re.compile(re.escape(path).replace(re.escape(f"[{ANY}]"), r"\[\d+\]"))
                self.below[path] = {cell for name, cell in self.cells.items() if pattern.fullmatch(name)}
            found |= self.below[path]
        return found

    def property_of_steps(self, claim: Property) -> Asked:
        """Bits for a property, for the values of the one parameter that leaves it the fewest cells to look at."""

        def looked_at(parameter: str, value: str) -> set[int]:
            indices = [value if name == parameter else ANY for name in claim.parameters]
            name = self.whole.name_of(claim.function)
            return self.cells_at(footprint_in(self.whole, name, 2, self.model.state, indices=indices, of_last=True).reads)

        best, least = ("", [looked_at("", ANY)]), len(looked_at("", ANY))
        for name, dimension in zip(claim.parameters, claim.dimensions, strict=True):
            values = [looked_at(name, str(value)) for value in range(getattr(self.config, dimension))]
            if (most := max(map(len, values), default=0)) < least and self.taken + len(values) < WORD_BITS:
                best, least = (name, values), most
        return Asked(best[0], self.new_bits(best[1]))

    def normal_form(self, name: str, of_plugin: bool) -> list[tuple[int, CalledWith]]:
        """The parts of the normal form, in the order in which they are called: each with its bit.

        A plugin's is one part, which has no bit and is taken after every step.
        """
        if of_plugin:
            return [(0, (name, []))]
        found = []
        for called, numbers in calls_of(self.whole.functions[name]) or [(name, [])]:
            looks = footprint_in(self.whole, called, 1, self.model.state, indices=numbers)
            found.append((self.new_bits([self.cells_at(looks.reads | looks.writes)])[0], (called, numbers)))
        return found


def calls_of(function: tree.Function) -> list[CalledWith]:
    """The calls of which the function of a state consists, if it is nothing but calls, in loops over constants."""
    found: list[CalledWith] = []

    def follow(statements: Iterable[tree.Statement], known: dict[str, str]) -> bool:
        for node in statements:
            match node:
                case tree.Loop(name=name, ends=ends, body=body) if None not in (numbers := [*map(tree.number_of, ends)]):
                    rounds = range(*numbers)  # type: ignore[arg-type]
                    if not all(follow(body, known | {name: str(number)}) for number in rounds):
                        return False
                case tree.Do(value=tree.Call(function=called, arguments=(tree.Name(name=state), *others))):
                    given = [number_text(other, known) for other in others]
                    if state != function.parameters[0] or None in given:
                        return False
                    found.append((called, [number for number in given if number is not None]))
                case _:
                    return False
        return True

    return found if follow(function.body, {}) else []


def number_text(node: tree.Expression, known: dict[str, str]) -> str | None:
    """A constant, or a variable that is known to be one."""
    if isinstance(node, tree.Name):
        return known.get(node.name)
    number = tree.number_of(node)
    return None if number is None else str(number)
