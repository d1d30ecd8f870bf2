"""The initial states of a model of any size, read from the text of its `initial_states`.

Of the shape that a model without a choice of initial states has: a new state, assignments, and a list of the one state.
"""

import ast
import inspect

from ...model.language.actions import Model
from ...model.language.program import Program, parse, program
from ...model.language.trees import nodes_of
from .frames import Frame, Reference, SymbolicError
from .quantified import QuantifiedReader
from .unsized import Shape, Store


def initial_store(model: Model, shape: Shape) -> Store:
    """The initial state; SymbolicError with file and line when the text is not of that shape."""
    function = model.initial_states
    tree, file = parse(function)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    state, config = _new_state(body[0], inspect.getmodule(function), model), tree.args.args[0].arg
    if state is None or not _gives(body[-1], state):
        raise SymbolicError(f"{file}:{tree.lineno}: the prover reads initial states as one new state, assigned to, in a list")
    calls = [node.func for part in body[1:-1] for node in nodes_of(part) if isinstance(node, ast.Call)]
    names = dict.fromkeys(called.id for called in calls if isinstance(called, ast.Name))
    functions = [function.__globals__[name] for name in names if name in function.__globals__]
    known: Program = program(functions, settings=model.config)
    reader, store = QuantifiedReader(known, shape), shape.initial()
    reader.read_statements(Frame(tree.name, file, True, {state: Reference([(True, store.root)]), config: shape}), body[1:-1])
    return store


def _new_state(first: ast.stmt, module: object, model: Model) -> str | None:
    """The name that is given to the new state, if that is what a statement does."""
    if isinstance(first, ast.Assign) and isinstance(first.value, ast.Call) and isinstance(first.value.func, ast.Name):
        target = first.targets[0]
        if getattr(module, first.value.func.id, None) is model.state and isinstance(target, ast.Name):
            return target.id
    return None


def _gives(last: ast.stmt, state: str) -> bool:
    """Whether a statement returns the list of the one state."""
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.List) or len(last.value.elts) != 1:
        return False
    return isinstance(last.value.elts[0], ast.Name) and last.value.elts[0].id == state
