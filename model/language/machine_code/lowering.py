"""Functions of a text that go to LLVM directly, not through Numba, whose functions call them over a bridge (`numba_bridge`).

Numba takes some 50 ms for a function of ten lines: it reads the bytecode, infers types, and looks up an implementation of every
operator. The language of models needs none of this. Its values are numbers, truths, and records and arrays of the state, whose
places are known; so what is written in it goes from the syntax tree to LLVM's intermediate code (`lowered_body`), at a fiftieth
of the time. What is not written in it, what raises an error that no text names, as a division does, and all that calls such
functions, stays Numba's (`lowerable`).

A function is made once for each combination of records that it is called with. The module of an entry gets the text of all that
it calls, directly and not, is optimised, and becomes machine code (`pipeline`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..reading import typed_tree as tree
from ..reading.trees import reached
from ..reading.typed_reading import functions_of
from ..reading.values import returns_value, unassigned
from .lane_instructions import EVERYWHERE, lane_instructions
from .lane_values import CELL, GIVEN, OF_SETS, Spread
from .lowered_body import Body
from .lowered_expressions import INSTRUCTIONS
from .lowered_kinds import ERRORS, IN_LANES, NOTHING, WORD, Failure, LoweringError, ValueKind
from .lowered_lanes_body import LaneBody, entry_text
from .processor import features

BUILTINS = {"min", "max", "uint64", *INSTRUCTIONS, *lane_instructions()}
"""What these functions may call; processors without the instructions have others' functions for them, which are Numba's."""

IN_LANES_OF = "in_lanes_of_"
"""Before the name of a function: that for `LANES` states at once, which has a mask and a journal behind its parameters."""

JOURNAL_CAPACITY = 1 << 17
"""Entries that a journal has room for: of an action and of the normal form, each at most half of them."""

MOST_EXPANDED = 400
"""Lines of a function in lanes that is expanded where it is called: those of containers have more, and take long to compile."""

FAILED = 1 + JOURNAL_CAPACITY
"""Behind the entries: whether a check has failed."""


@dataclass(eq=False)
class Made:
    """A function for certain kinds of parameters: its symbol, what it returns, its text, what it calls, and how it can fail.

    The symbol has a digest of the text: entries are kept on disk one by one, and of two with one symbol LLVM takes the first.
    For lanes: how many cells it `writes` at most, how large a parameter it `takes`, how large its answer can be (`size`), and
    whether a check in it `fails`; `is_entry`: through it, functions for single states call one in lanes.
    """

    symbol: str = ""
    returns: ValueKind = None
    text: str = ""
    below: dict[Made, None] = field(default_factory=dict)
    failures: Collection[Failure] = ()
    writes: int = 0
    takes: int = GIVEN
    size: int = -1
    fails: bool = False
    is_entry: bool = False

    @property
    def declaration(self) -> str:
        """Its first line, for a text that only calls it."""
        return self.text.partition(" {")[0].replace("define weak_odr", "declare", 1)


class Lowering:
    """The functions of a text that go to LLVM directly; those `not_inlined` are not expanded where they are called.

    Their symbols begin with `stem`.
    """

    def __init__(self, text: str, left_out: Collection[str], not_inlined: Collection[str], stem: str = "") -> None:
        self.not_inlined, self.stem = not_inlined, stem
        functions, named = functions_of(text, left_out)
        self.of_sets: Collection[str] = named.get(OF_SETS, ())
        self.functions = lowerable(functions)
        self.made: dict[Any, Made] = {}

    def make(self, name: str, kinds: Sequence[ValueKind], takes: int = GIVEN) -> Made:
        """The function for parameters of these kinds: in lanes, if one of them has a lane for each state."""
        key = (name, takes, *kinds)
        if key not in self.made and name in lane_instructions():
            text, returns = lane_instructions()[name]
            self.made[key] = Made(name, returns, text)
        elif key not in self.made and name.startswith(IN_LANES_OF):
            self.made[key] = self.entry(name.removeprefix(IN_LANES_OF), kinds[:-2])
        elif key not in self.made:
            made = Made(takes=takes)

            def call(called: str, given: list[ValueKind], takes: int = GIVEN) -> Made:
                other = self.make(called, given, takes)
                made.below[other] = None
                return other

            def call_in_lanes(called: str, given: list[ValueKind], takes: int) -> Made:
                other = call(called, given, takes)
                if other.size < 0:  # of single numbers: how large the answer can be is known when it is written for lanes
                    other.size = self.in_lanes(called, given, call_in_lanes, takes)[0].returned
                return other

            if any(isinstance(kind, Spread) or kind in IN_LANES for kind in kinds):
                lanes, text = self.in_lanes(name, kinds, call_in_lanes, takes)
                made.writes, made.size, made.fails, returns = lanes.writes, lanes.returned, lanes.fails, lanes.returns
            else:
                body = Body(self.functions[name], kinds, call)
                text, returns, made.failures = body.text("", self.attributes(name)), body.returns, body.failures
            self.made[key] = self.named(made, name, text, returns)
        return self.made[key]

    def attributes(self, name: str) -> str:
        """LLVM's words for how a function is called."""
        return "nounwind" if name in self.not_inlined else "alwaysinline nounwind"

    def in_lanes(self, name: str, kinds: Sequence[ValueKind], call: Callable[..., Made], takes: int) -> tuple[LaneBody, str]:
        """The function in lanes, and its text."""
        body = LaneBody(self.functions[name], kinds, call, takes, name in self.of_sets)
        text = body.text("", self.attributes(name))
        return body, text if text.count("\n") <= MOST_EXPANDED else text.replace("alwaysinline ", "", 1)

    def named(self, made: Made, name: str, text: str, returns: ValueKind) -> Made:
        """A function whose text is known."""
        made.symbol = f"{self.stem}.{name}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        made.text, made.returns = text.replace('@""', f'@"{made.symbol}"', 1), returns
        return made

    def entry(self, name: str, kinds: Sequence[ValueKind]) -> Made:
        """What other functions call for one in lanes: masks are words."""
        inner = self.make(name, [kind if isinstance(kind, str) else Spread(kind) for kind in kinds], CELL)
        if inner.writes > JOURNAL_CAPACITY // 2:
            raise LoweringError(f"{inner.writes} changes in {name}")
        returns = WORD if inner.returns in IN_LANES else NOTHING
        text = entry_text(inner.symbol, inner.returns, kinds, FAILED if inner.fails else 0)
        return self.named(Made(below={inner: None}, is_entry=True), name, text, returns)


def texts_of(made: Collection[Made]) -> tuple[str, str]:
    """Two texts: the functions for single states with all that they call, and the functions in lanes that these call."""
    single = reached(made, lambda function: None if function.is_entry else function.below)
    entries = {function: None for caller in single for function in caller.below if function.is_entry}
    return text_of(single, entries), text_of(reached(entries, lambda function: function.below))


def text_of(made: Collection[Made], declared: Collection[Made] = ()) -> str:
    """The text of functions, which call the `declared` ones. For records that begin alike some have one text."""
    text = "\n".join([*(item.declaration for item in declared), *{item.symbol: item.text for item in made}.values()])
    if set(lane_instructions()) & {function.symbol for function in made}:
        text += EVERYWHERE
    return text


def lowerable(functions: Mapping[str, tree.Function]) -> dict[str, tree.Function]:
    """Those of the functions that are written in the language of models, raise no errors but those that the text names, and call
    such functions only."""
    found = {name: function for name, function in functions.items() if is_plain(function)}
    builtins = builtins_here()
    calls = {name: {call.function for call in tree.having(tree.Call, function)} for name, function in found.items()}
    while True:
        in_lanes = {IN_LANES_OF + name for name in found}
        bad = [name for name in found if not calls[name] <= {*found, *in_lanes, *builtins}]
        if not bad:
            return found
        for name in bad:
            del found[name]


@cache
def builtins_here() -> list[str]:
    """Those of them that this processor has, sorted."""
    return sorted(BUILTINS if features().get("bmi2") else BUILTINS - {"extract_bits", "deposit_bits"})


def is_plain(function: tree.Function) -> bool:
    """Whether a function is written in the language of models, and always ends in the same way, if it does not fail."""
    ends = all(map(is_plain_part, tree.nodes_in(*function.body))) and returns_value(function) is not None
    return ends and not any(True for _ in unassigned(function))


def is_plain_part(node: tree.Node) -> bool:
    """Whether a statement or expression, apart from what is within it, is of the language of models and raises nothing."""
    match node:
        case tree.Operation(sign="//" | "%", right=divisor) | tree.Update(sign="//" | "%", value=divisor):
            return isinstance(divisor, tree.Number) and divisor.value > 0
        case tree.Loop(ends=(_, _, step)):
            return bool(tree.number_of(step))
        case tree.Raise(error=error):
            return error in ERRORS
        case tree.Field(name="shape"):
            return False
    return not isinstance(node, tree.Unknown) or isinstance(node, (tree.While, tree.Continue))
