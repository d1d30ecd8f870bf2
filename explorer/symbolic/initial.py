"""The initial states of a model of any size, read from the text of its `initial_states`.

Of the shapes that models have: a new state, assignments, and a list of the one state, or `every` with the variables that may
hold anything at first; or lists of what such functions return, whose other parameters are read as anything.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from ...model.language.actions import Model
from ...model.language.completed import zero_states
from ...model.language.filled import every
from ...model.language.reading.parsed import parse
from ...model.language.reading.program import Program, program
from ...model.language.reading.trees import calls_returned
from ...model.language.reading.typed_reading import function_of
from ...model.language.reading.typed_tree import Assign, Call, Name, Return, Statement, Unknown, having
from .frames import Frame, Reference, SymbolicError
from .looping import is_named
from .terms import Truth
from .unread import LenientReader, Unread
from .unsized import Shape, Store

First = tuple[Store, Truth]
"""Any initial state, and what is known of it."""


def initial_stores(model: Model, shape: Shape) -> list[First]:
    """The initial states, in groups; SymbolicError with file and line when the text is not of those shapes."""
    written = model.initial_states
    if isinstance(written, partial) and written.func is zero_states:
        return [(shape.initial(), True)]
    return [_first(function, model, shape) for function in _made_by(written) or [written]]


def _made_by(written: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The functions that make one state each, if every way through the text returns a list of what such functions return."""
    found: list[Any] = [written.__globals__.get(name) for name in calls_returned(parse(written)[0])]
    return found if all(map(inspect.isfunction, found)) else []


def _first(written: Callable[..., Any], model: Model, shape: Shape) -> First:
    """Any state that a function makes."""
    store = shape.initial()
    syntax, file = parse(written)
    function, module = function_of(syntax), inspect.getmodule(written)
    body, (config, *others) = function.body, function.parameters
    state, free = "", None
    match body:
        case [Return(value=Unknown(text=text))] if text.endswith(f"({config})]"):
            if getattr(module, text[1 : -len(f"({config})]")], None) is model.state:
                return store, True
        case [Assign(target=Name(name=state), value=Call(function=made)), *_] if getattr(module, made, None) is model.state:
            free = _gives(body[-1], state, module)
    if free is None:
        told = "the prover reads initial states as one new state, assigned to, in a list or in every(...)"
        raise SymbolicError(f"{file}:{function.line}: {told}")
    names = dict.fromkeys(node.function for node in having(Call, *body[1:-1]))
    functions = [written.__globals__[name] for name in names if name in written.__globals__]
    known: Program = program(functions, settings=model.config)
    given = {state: Reference([(True, store.root)]), config: shape, **dict.fromkeys(others, Unread())}
    LenientReader(known, shape).read_statements(Frame(function.name, file, True, given), body[1:-1], store)
    fixed = store.copy()
    store.cells.update({path: shape.function(f"first {path}", *shape.variables[path]) for path in free})
    return store, store.within_ranges(fixed)


def _gives(last: Statement, state: str, module: object) -> list[str] | None:
    """The variables that may hold anything, if a statement returns the one state with these; else None."""
    match last:
        case Return(value=Unknown(text=text)) if text == f"[{state}]":
            return []
        case Return(value=Name(name=name)) if name == state:
            return []
        case Return(value=Call(function=name, arguments=(first, *others))) if is_named(first, state):
            paths = [other.text[1:-1] for other in others if isinstance(other, Unknown) and other.text[:1] in ("'", '"')]
            return paths if getattr(module, name, None) is every and len(paths) == len(others) else None
    return None
