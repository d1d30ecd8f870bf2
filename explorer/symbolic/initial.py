"""The initial states of a model of any size, read from the text of its `initial_states`.

Of the shape that most models have: a new state, assignments, and a list of the one state, or `every` with the variables that may
hold anything at first.
"""

import ast
import inspect
from functools import partial

from ...model.language.actions import Model
from ...model.language.completed import zero_states
from ...model.language.kinds import every
from ...model.language.program import Program, parse, program
from ...model.language.trees import nodes_of
from .frames import Frame, Reference, SymbolicError
from .quantified import QuantifiedReader
from .terms import Truth
from .unsized import Shape, Store


def initial_store(model: Model, shape: Shape) -> tuple[Store, Truth]:
    """Any initial state, and what is known of it; SymbolicError with file and line when the text is not of that shape."""
    function, store = model.initial_states, shape.initial()
    if isinstance(function, partial) and function.func is zero_states:
        return store, True
    tree, file = parse(function)
    body, module = tree.body[1:] if ast.get_docstring(tree) else tree.body, inspect.getmodule(function)
    state, config = _new_state(body[0], module, model), tree.args.args[0].arg
    free = None if state is None else _gives(body[-1], state, module)
    if state is None or free is None:
        told = "the prover reads initial states as one new state, assigned to, in a list or in every(...)"
        raise SymbolicError(f"{file}:{tree.lineno}: {told}")
    calls = [node.func for part in body[1:-1] for node in nodes_of(part) if isinstance(node, ast.Call)]
    names = dict.fromkeys(called.id for called in calls if isinstance(called, ast.Name))
    functions = [function.__globals__[name] for name in names if name in function.__globals__]
    known: Program = program(functions, settings=model.config)
    reader = QuantifiedReader(known, shape)
    reader.read_statements(Frame(tree.name, file, True, {state: Reference([(True, store.root)]), config: shape}), body[1:-1])
    fixed = store.copy()
    store.cells.update({path: shape.function(f"first {path}", *shape.variables[path]) for path in free})
    return store, store.within_ranges(fixed)


def _new_state(first: ast.stmt, module: object, model: Model) -> str | None:
    """The name that is given to the new state, if that is what a statement does."""
    if isinstance(first, ast.Assign) and isinstance(first.value, ast.Call) and isinstance(first.value.func, ast.Name):
        target = first.targets[0]
        if getattr(module, first.value.func.id, None) is model.state and isinstance(target, ast.Name):
            return target.id
    return None


def _gives(last: ast.stmt, state: str, module: object) -> list[str] | None:
    """The variables that may hold anything, if a statement returns the one state with these; else None."""
    value = last.value if isinstance(last, ast.Return) else None
    if isinstance(value, ast.List) and len(value.elts) == 1 and _is_named(value.elts[0], state):
        return []
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or not _is_named(value.args[0], state):
        return None
    paths = [str(one.value) for one in value.args[1:] if isinstance(one, ast.Constant)]
    return paths if getattr(module, value.func.id, None) is every and len(paths) == len(value.args) - 1 else None


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
