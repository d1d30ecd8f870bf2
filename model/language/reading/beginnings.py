"""The initial states one after the other, where the text of `initial_states` can be read.

    states = []                                    loops over ranges, tuples, or product(...) of these; within the innermost
    for black in range(config.beans + 1):          a new state, what a model's functions may write, and the append at its end
        state = Can(config)
        state.black = black
        states.append(state)
    return states

    return every(state, "token", "node[].active")  or [one for one in every(...) if ...], or a loop over every(...)

From such a text Python makes one state at a time (`in_turn`), and a function is made in the language of models, which is compiled
(`beginnings_compiled`). What is written otherwise runs as it is, once.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import FunctionType
from typing import Any

from ..actions import Model
from ..errors import LanguageError, UsageError
from ..filled import every
from ..wellformed import initial_states
from .parsed import function_from, parse
from .trees import called, expression, free_of, names_in, nodes_of

MOST = 10_000
"""Up to so many initial states are made in plain Python: that takes less time than to compile what makes them."""

MOST_LISTED = 1_000_000
"""So many initial states are kept in plain Python at the most."""

# In Python.


def in_turn(model: Model, config: Any) -> Iterator[Any]:
    """The initial states, each when it is asked for if the text can be read."""
    text = text_of(model)
    return text.run(config) if text is not None else iter(initial_states(model, config))


def listed(model: Model, config: Any, use: str) -> list[Any]:
    """All of the initial states, for what looks at each in plain Python; UsageError, with the `use`, when there are too many."""
    states = list(islice(in_turn(model, config), MOST_LISTED + 1))
    if len(states) > MOST_LISTED:
        raise UsageError(f"there are more than {MOST_LISTED:,} initial states, and {use}; choose smaller sizes, or see check")
    return states


def has_one(model: Model, config: Any) -> bool:
    """Whether there is an initial state."""
    if is_read(model):
        return any(True for _ in in_turn(model, config))
    return bool(made(model, config))


def is_read(model: Model) -> bool:
    """Whether the text can be read."""
    return text_of(model) is not None


def text_of(model: Model) -> "Reading | None":
    """What can be read of the text."""
    record: Any = model.state
    return reading(model.initial_states, record)


_kept: list[tuple[Any, Any, list[Any]]] = []


def made(model: Model, config: Any) -> list[Any]:
    """All of the initial states, not to be changed; they are kept until they are taken, or others are made."""
    for function, settings, states in _kept:
        if function is model.initial_states and settings == config:
            return states
    _kept[:] = [(model.initial_states, config, list(in_turn(model, config)))]
    return _kept[0][2]


def take(model: Model, config: Any) -> list[Any]:
    """As `made`, and kept no longer."""
    found = made(model, config)
    _kept.clear()
    return found


_found: dict[int, tuple[Any, Any, Any]] = {}


def nth(model: Model, config: Any, number: int) -> Any:
    """The initial state of this number, for the caller to change; UsageError when there are fewer."""
    function, settings, state = _found.get(number, (None, None, None))
    if function is model.initial_states and settings == config:
        return state.copy()
    at = -1
    for at, state in enumerate(in_turn(model, config)):
        if at == number:
            if number > MOST:  # a trace is replayed more than once
                _found.clear()
                _found[number] = model.initial_states, config, state.copy()
            return state
    raise UsageError(f"the trace begins at initial state {number}, and there are only {at + 1}")


# The text.


@dataclass(frozen=True)
class Reading:
    """A text that can be read. `tree`: as a generator; `run`: that in Python; `state`: the variable that is the state."""

    tree: ast.FunctionDef
    run: Any
    state: str
    file: str
    meanings: dict[str, Any]
    record: Any


@cache
def reading(function: Any, record: Any) -> Reading | None:
    """What can be read of the text of `initial_states`, whose states are these records."""
    if not isinstance(function, FunctionType) or function.__closure__ or function.__defaults__:
        return None
    try:
        tree, file = parse(function)
    except LanguageError:
        return None
    meanings = function.__globals__
    parameters = [part.arg for part in tree.args.args]
    tree.body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    if len(parameters) != 1 or any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Lambda)) for part in nodes_of(tree)):
        return None
    shape = Shape(parameters[0], record, meanings)
    if not shape.becomes_generator(tree) or not shape.is_fresh(tree):
        return None
    return Reading(tree, function_from(tree, meanings, file), shape.state, file, meanings, record)


class Shape:
    """Reads one text."""

    def __init__(self, config: str, record: Any, meanings: dict[str, Any]) -> None:
        self.config, self.record, self.meanings = config, record, meanings
        self.state = ""

    def is_new(self, node: ast.AST) -> bool:
        """Whether an expression is a new state, `Can(config)`."""
        is_call = isinstance(node, ast.Call) and self.meanings.get(called(node)) is self.record and not node.keywords
        return is_call and [getattr(part, "id", "") for part in node.args] == [self.config]  # type: ignore[attr-defined]

    def is_every(self, node: ast.AST) -> bool:
        """Whether an expression is a call of `every` with paths."""
        return isinstance(node, ast.Call) and self.meanings.get(called(node)) is every and not node.keywords

    def becomes_generator(self, tree: ast.FunctionDef) -> bool:
        """Change the function into a generator, if it is of a shape that is known; whether that was done."""
        last = tree.body[-1]
        value = last.value if isinstance(last, ast.Return) else None
        if len([part for part in nodes_of(tree) if isinstance(part, ast.Return)]) != 1 or value is None:
            return False
        if isinstance(value, ast.Name):
            return self._appended(tree, value.id)
        if isinstance(value, ast.Call) and self.is_every(value):
            name = free_of(names_in(tree), "one")
            value = expression(f"[{name} for {name} in some]", some=value)
        if not (isinstance(value, ast.ListComp) and len(value.generators) == 1 and isinstance(value.elt, ast.Name)):
            return False
        some, body = value.generators[0], list[ast.stmt]([ast.Expr(ast.Yield(value.elt))])
        for test in reversed(some.ifs):
            body = [ast.If(test, body, [])]
        tree.body[-1] = ast.For(some.target, some.iter, body, [])
        ast.fix_missing_locations(ast.copy_location(tree.body[-1], last))
        return self._with_every(tree)

    def _appended(self, tree: ast.FunctionDef, name: str) -> bool:
        """As `becomes_generator`, where the states are appended to a list of this name."""
        first = [part for part in tree.body if re.fullmatch(rf"{name}(: .*)? = \[\]", ast.unparse(part))]
        calls = [part for part in nodes_of(tree) if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)]
        appends: list[Any] = [part for part in calls if ast.unparse(part.value.func) == f"{name}.append"]  # type: ignore[attr-defined]
        names = [part for part in nodes_of(tree) if isinstance(part, ast.Name) and part.id == name]
        if len(first) != 1 or len(names) != len(appends) + 2:
            return False
        tree.body = [part for part in tree.body[:-1] if part is not first[0]]
        for part in appends:
            part.value = ast.copy_location(ast.Yield(part.value.args[0]), part)
        return self._with_every(tree)

    def _with_every(self, tree: ast.FunctionDef) -> bool:
        """Loops over `every(...)` go over one state at a time; a variable that is only that is put in."""
        for part in tree.body[:]:
            if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name) and self.is_every(part.value):
                name = part.targets[0].id
                uses = [inner for inner in nodes_of(tree) if isinstance(inner, ast.Name) and inner.id == name]
                loops = [inner for inner in tree.body if isinstance(inner, ast.For) and getattr(inner.iter, "id", "") == name]
                if len(uses) != 2 or len(part.targets) != 1 or len(loops) != 1:
                    return False
                if tree.body.index(loops[0]) != tree.body.index(part) + 1:
                    return False  # what is filled may change in between
                loops[0].iter = part.value
                tree.body.remove(part)
        for loop in nodes_of(tree):
            if isinstance(loop, ast.For) and self.is_every(loop.iter):
                assert isinstance(loop.iter, ast.Call)
                loop.iter.func = ast.copy_location(expression("every.in_turn", every=loop.iter.func), loop.iter)
        return bool(tree.body)

    def is_fresh(self, tree: ast.FunctionDef) -> bool:
        """Whether each state is a new one, to which nothing happens after it was given; notes the name of the state."""
        found = [part.value.value for part in nodes_of(tree) if isinstance(part, ast.Expr) and isinstance(part.value, ast.Yield)]
        names = {part.id if isinstance(part, ast.Name) else "" for part in found}
        if len(names) != 1 or "" in names:
            return False
        self.state = names.pop()
        is_own = {id(part) for part in found}
        for part in nodes_of(tree):
            if isinstance(part, (ast.Assign, ast.AnnAssign)) and getattr(part.value, "id", "") == self.state:
                return False  # another name for it
            if isinstance(part, (ast.List, ast.Tuple, ast.Dict, ast.Set)) and any(
                getattr(inner, "id", "") == self.state and id(inner) not in is_own for inner in ast.iter_child_nodes(part)
            ):
                return False
        loops = [part for part in nodes_of(tree) if isinstance(part, ast.For)]
        for part in filter(is_of_every, loops):
            base = getattr(part.iter.args[0], "id", self.state)  # type: ignore[attr-defined]
            if base != self.state and any(base in names_in(inner) for inner in part.body):
                return False
        return bool(loops) and len(found) == sum(self._given(part) for part in loops)

    def _given(self, loop: ast.For) -> int:
        """How often the end of a loop's body gives its state, which is new there."""
        is_new = is_of_every(loop) and getattr(loop.target, "id", "") == self.state
        for part in loop.body[:-1]:
            is_new |= isinstance(part, ast.Assign) and self.is_new(part.value) and named(part.targets) == self.state
        return _given_at_end(loop.body) if is_new and not loop.orelse else 0


def is_of_every(loop: ast.For) -> bool:
    """Whether a loop goes over `every(...)`."""
    return isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "attr", "") == "in_turn"


def named(targets: Sequence[ast.expr]) -> str:
    """The name of the one target that is a variable; else empty."""
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _given_at_end(body: list[ast.stmt]) -> int:
    """How often a state is given by the last statement of a block, or of the branches that this is."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _given_at_end(last.body) + _given_at_end(last.orelse)
    return int(isinstance(last, ast.Expr) and isinstance(last.value, ast.Yield))
