"""What a mutant is at one size: a program, as a digest. Two that are the same program there do the same.

The settings of a size are folded in, and only what some action or property still calls counts. So a rule of a procedure that is
switched off at a size makes no mutant there, and what was found of a program stands for as long as its text does.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from ...model.language.actions import Model
from ...model.language.kinds import walk
from ...model.language.reading.beginnings import listed
from ...model.language.reading.specialise import decided, refuses_always, specialise
from ...model.language.reading.trees import reached
from ...model.language.reading.typed_reading import function_in
from ...model.language.reading.typed_tree import called
from ...properties.property import Property
from ..compiling.checks import Checked
from ..compiling.generate import checked_program, functions_of
from ..runs.identity import digest, fairness_of
from .mutants import Mutant

CHOICE = ("mutant", "mutant_page")
CHOSEN = re.compile(r"config\.mutant == (\d+) and s\.config\.mutant_page == (\d+)")


class Folded(NamedTuple):
    """A function at one size: a digest of its text, the names of what it calls, and whether it answers False in every state."""

    text: str
    names: frozenset[str]
    refuses: bool


@cache
def folded(text: str, mutant: int, page: int) -> Folded:
    """A function of this text when this mutant is chosen; 0: none."""
    tree = decided(function_in(text), dict(zip(CHOICE, (mutant, page), strict=True)))
    return Folded(digest(tree.python), frozenset(called(tree)), refuses_always({tree.name: tree}, tree.name))


class Programs:
    """The programs of all mutants of `twin`, a model with its mutants, at the size that `config` is.

    `claims` are compiled with them; `beside`: what else decides what is found.
    """

    def __init__(self, twin: Model, config: Any, claims: Iterable[Property], beside: Any = None) -> None:
        others = functions_of(twin, Checked.of(claims))
        whole = checked_program(twin, others)
        left_open = specialise(whole, config, twin.state, dict.fromkeys(CHOICE, ()))
        self.open = {name: tree.python for name, tree in left_open.functions.items()}
        self.plain = {name: folded(text, 0, 0) for name, text in self.open.items()}
        self.left = {tuple(map(int, found)) for text in self.open.values() for found in CHOSEN.findall(text)}
        dimensions = [[getattr(config, d) for d in action.dimensions] for action in twin.actions]
        self.actions = list(zip((whole.name_of(action.function) for action in twin.actions), dimensions, strict=True))
        self.others = [whole.name_of(function) for function in others]
        asked = [(p.name, p.kind, [getattr(config, d) for d in p.dimensions]) for p in claims if p.applies(config)]
        self.frame = digest([declared(twin, config), fairness_of(twin, config), asked, beside])
        self.unbroken = self._digest(self.plain)

    def of(self, mutant: Mutant) -> str:
        """The program of a mutant; `unbroken` if it is that of the model."""
        name, chosen = mutant.function, (mutant.settings["mutant"], mutant.settings["mutant_page"])
        if chosen not in self.left:
            return self.unbroken
        copies = [claim for claim in self.open if claim == name or claim.startswith(f"{name}__")]  # with checks, or renamed
        broken = {copy: folded(self.open[copy], *chosen) for copy in copies}
        if all(claim.text == self.plain[copy].text for copy, claim in broken.items()):
            return self.unbroken
        return self._digest({**self.plain, **broken})

    def _digest(self, functions: Mapping[str, Folded]) -> str:
        """Of all that is called."""
        on = [(name, dimensions) for name, dimensions in self.actions if not functions[name].refuses]
        roots = [*(name for name, _ in on), *self.others]
        needed = reached(roots, lambda name: functions[name].names if name in functions else None)
        return digest([self.frame, on, [functions[name].text for name in sorted(needed)]])


def declared(model: Model, config: Any) -> list[Any]:
    """The variables that can have several values, with their ranges, and their values in the initial states."""
    varying = {}
    for path, kind, _ in walk(model.state, model.state(config)):
        low, high = kind.span(config)
        if low != high:
            varying[path] = type(kind).__name__, low, high, kind.normal_span(config)
    states = listed(model, config, "mutants are compared by the values in every one of them")
    return [*varying.items(), [[value for path, _, value in walk(model.state, s) if path in varying] for s in states]]
