"""How many states, or steps, show that `sometimes` properties are not vacuous: counted in a separate compiled module."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ...model.language.loops import nested
from ...properties.property import SOMETIMES, Property
from ..compiling.arrays import Words
from ..compiling.compiled import Compiled
from ..compiling.failure import located_in_states
from ..compiling.steps import extent


class Witnesses:
    """Counts for one compiled model."""

    def __init__(self, compiled: Compiled, properties: Iterable[Property]) -> None:
        self.compiled = compiled
        self.properties = [claim for claim in properties if claim.kind == SOMETIMES]
        functions = [claim.function for claim in self.properties]
        self.module = compiled.companion_module("witnesses", "count", functions, partial(count_text, self.properties))

    def count(self, claim: Property, befores: Words, afters: Words) -> int:
        """How many of these steps, given as rows, show a property of steps; of one of states, how many states of `befores` do."""
        compiled, layout = self.compiled, self.compiled.layout
        sides = (befores, afters)[: 2 if claim.over_steps else 1]

        def looked_at() -> Iterator[list[Any]]:
            return ([layout.read(row, compiled.config) for row in rows] for rows in zip(*sides, strict=True))

        with located_in_states(claim, compiled.model, looked_at):
            return int(self.module.count(self.properties.index(claim), layout.records(befores), layout.records(afters)))


def count_text(properties: Sequence[Property], name_of: Any, config: Any) -> str:
    """`count`: for how many pairs of records some values of the property's parameters make it true."""
    lines = ["def count(which, befores, afters):", "    total = 0", "    for i in range(befores.shape[0]):"]
    lines += ["        s = befores[i]", "        t = afters[i]", "        found = False"]
    for number, claim in enumerate(properties):
        ranges = [(f"p{place}", extent(size, config)) for place, size in enumerate(claim.dimensions)]
        arguments = ", ".join(["s", *(["t"] if claim.over_steps else []), *(name for name, _ in ranges)])
        body = nested(ranges, [f"if {name_of(claim.function)}({arguments}):", "    found = True"])
        lines += [f"        if which == {number}:", *("            " + line for line in body)]
    lines += ["        if found:", "            total += 1", "    return total"]
    return "\n".join(lines)
