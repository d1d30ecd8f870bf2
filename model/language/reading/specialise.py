"""A program for one configuration: settings become numbers, and what they rule out disappears.

Constants are folded, branches that cannot be taken are dropped, and a function that always answers the
same is replaced by its answer, so that an action whose budget is zero leaves nothing behind. Variables
that can hold one value only under the configuration (`spent.crashes` without crashes) are read as it.
"""

import ast
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any, NoReturn

from ..errors import UsageError
from ..kinds import NO_MEMBER, Kind, Member, State, declared, walk
from ..settings import Settings
from .arithmetic import HELPER_NAMES
from .plugin_checks import SUFFIX
from .program import BOUNDS, Program, calls_any
from .trees import called, copied, is_truth, names_in, nodes_of, reads_in
from .typed_reading import SIGNS
from .typed_tree import BINARY

MAX_FOLDED = 10_000
"""Folded functions that a program keeps. The Kafka model has 323; 216 combinations of sizes make 455 of them."""


def specialise(
    program: Program, config: Settings, state: type[State], left: Mapping[str, Collection[int]] | None = None
) -> Program:
    """The program in which everything that `config` decides is decided, except the settings `left`: those stay to be read.

    `left`: the values that each of them can have; a comparison that comes out the same for all of these is decided too.
    """
    left = left or {}
    numbers = {name: value for name, value in config.numbers() if name not in left}
    return folded(program, Folder(numbers, fixed_variables(state(config)), program.constants, left))


def specialise_shared(program: Program, configs: Sequence[Settings], state: type[State]) -> Program:
    """The program for all these configurations: what is the same in all of them is decided, the rest stays to be read."""
    left = differing(configs)
    numbers = {name: value for name, value in configs[0].numbers() if name not in left}
    fixed = [fixed_variables(state(config)).items() for config in configs]
    return folded(program, Folder(numbers, dict(set(fixed[0]).intersection(*fixed)), program.constants, left))


def differing(configs: Sequence[Settings]) -> dict[str, list[int]]:
    """The settings and derived numbers in which configurations differ, each with its values."""
    values: dict[str, set[int]] = {}
    for config in configs:
        for name, value in config.numbers():
            values.setdefault(name, set()).add(value)
    return {name: sorted(found) for name, found in values.items() if len(found) > 1}


def stored_by_plugin_code(program: Program) -> set[str]:
    """The fields that code which is not Highwater's own writes: within an action they may hold what their ranges do not allow."""
    trees = [tree for name, tree in program.functions.items() if name in program.plugin_code or SUFFIX in name]
    nodes = [node for tree in trees for node in nodes_of(tree) if isinstance(node, ast.Attribute)]
    return {node.attr for node in nodes if isinstance(node.ctx, ast.Store)}


def folded(program: Program, folder: "Folder") -> Program:
    """All functions, folded one after the other; those for which the same is known as before are shared: not to be changed."""
    stored = stored_by_plugin_code(program)
    folder.fixed = {name: value for name, value in folder.fixed.items() if name not in stored}
    result = Program(constants=dict(program.constants), files=program.files, names=program.names)
    checks = program.functions.keys() & HELPER_NAMES  # of a plugin's code: what is left out cannot fail
    folder.writers = program.writers | program.callers_of(checks)
    for name, tree in program.functions.items():
        key = (name, *folder.decides(*program.mentions[name]))
        if key not in program.folded or program.folded[key][0] is not tree:
            if len(program.folded) >= MAX_FOLDED:
                program.folded.clear()
            folder.local, folder.read, folder.file = program.locals[name], program.reads[name], program.files.get(name, "")
            program.folded[key] = tree, folder.visit(copied(tree))
        result.functions[name] = program.folded[key][1]
        folder.learn(name, program.folded[key][1])
    return result


def decided(tree: ast.FunctionDef, settings: Mapping[str, int]) -> ast.FunctionDef:
    """One function, folded for these settings alone."""
    folder = Folder(settings, {}, {}, {})
    folder.writers, folder.read = names_in(tree), reads_in(tree)  # what it calls is not known
    result = folder.visit(copied(tree))
    assert isinstance(result, ast.FunctionDef)
    return result


def fixed_variables(state: State) -> dict[str, int]:
    """Names of variables that can hold one value only, wherever they stand in the state, and that value.

    A name that stands for a record or an array too is none of them: expressions are folded by name.
    """
    others = {path.rsplit(".", 1)[-1] for path, kind in declared(type(state)) if not isinstance(kind, Kind)}
    values: dict[str, set[int | None]] = {name: {None} for name in others}
    for path, kind, _ in walk(type(state), state):
        low, high = kind.normal_span(state.config)
        name = path.rsplit(".", 1)[-1]
        if not name.endswith("]"):
            is_fixed = low == high and kind.span(state.config) == (low, high)  # in the state too, not only in its normal form
            only = NO_MEMBER if isinstance(kind, Member) and low < 0 else low  # such as the empty place of a sequence of members
            values.setdefault(name, set()).add(only if is_fixed else None)
    return {name: next(iter(v)) for name, v in values.items() if len(v) == 1 and None not in v}  # type: ignore[misc]


def _constant_answer(tree: ast.FunctionDef) -> Any:
    """The constant that the function returns whatever it is called with, if its body is nothing else."""
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    if len(body) == 1 and isinstance(body[0], ast.Return) and isinstance(body[0].value, ast.Constant):
        return body[0].value
    return None


def refuses_always(functions: Mapping[str, ast.FunctionDef], name: str) -> bool:
    """Whether a function answers False in every state: the settings alone rule out the action."""
    answers = [node.value for node in nodes_of(functions[name]) if isinstance(node, ast.Return)]
    return all(isinstance(answer, ast.Constant) and not answer.value for answer in answers)


def may_divide_by_zero(node: ast.AST) -> bool:
    """Whether a node divides by what is not known."""
    divides = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod))
    return divides and not (isinstance(node.right, ast.Constant) and node.right.value)  # type: ignore[attr-defined]


class Lengths(ast.NodeTransformer):
    """Decides the lengths of arrays that a function from a plugin asks for."""

    def __init__(self, settings: Mapping[str, int]) -> None:
        self.settings = settings

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        is_length = isinstance(node.value, ast.Name) and node.value.id == BOUNDS and node.attr in self.settings
        return ast.copy_location(ast.Constant(self.settings[node.attr]), node) if is_length else self.generic_visit(node)


class Folder(ast.NodeTransformer):
    """Folds one function after the other, callees first; `answers` are the functions known to be constant.

    A test whose value is known goes, unless it calls one of the `writers`, which would then not write, or may fail. `read`: how
    often the function reads each name; `file`: where it stands.
    """

    def __init__(
        self,
        settings: Mapping[str, int],
        fixed: Mapping[str, int],
        constants: Mapping[str, int],
        left: Mapping[str, Collection[int]],
    ) -> None:
        self.settings, self.fixed, self.constants = settings, fixed, constants
        self.left = {name: tuple(values) for name, values in left.items()}
        self.answers: dict[str, ast.Constant] = {}
        self.local: Container[str] = frozenset()
        self.writers: Container[str] = frozenset()
        self.read: Counter[str] = Counter()
        self.file = ""

    def learn(self, name: str, tree: ast.FunctionDef) -> None:
        """Note what a folded function always answers, if that is known."""
        answer = _constant_answer(tree)
        if answer is not None:
            self.answers[name] = answer

    def decides(self, fields: Sequence[str], called: Sequence[str]) -> tuple[Any, ...]:
        """What is known of the fields that a function names, and of the functions that it calls: nothing else matters to it."""
        return (
            *map(self.settings.get, fields), *map(self.fixed.get, fields), *map(self.left.get, fields),
            *(repr(self.answers[name].value) if name in self.answers else "" for name in called),
        )  # fmt: skip

    def counts(self, node: ast.expr) -> bool:
        """Whether to evaluate an expression is more than to have its value: it writes, or may fail."""
        return calls_any(node, self.writers) or any(map(may_divide_by_zero, nodes_of(node)))

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        """UsageError for what this configuration makes of a function."""
        raise UsageError(f"{self.file}:{getattr(node, 'lineno', 0)}: {what} under these settings")

    def truth(self, node: ast.expr) -> Any:
        """An expression of which nothing counts but its truth, folded."""
        return self._joined(node, True) if isinstance(node, ast.BoolOp) else self.visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "config":
            return ast.Constant(self.settings[node.attr]) if node.attr in self.settings else node
        if isinstance(node.value, ast.Name) and node.value.id == BOUNDS:
            return node  # a setting, which a variable may be called like
        if isinstance(node.ctx, ast.Load) and node.attr in self.fixed:
            return ast.Constant(self.fixed[node.attr])
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Load) and node.id in self.constants and node.id not in self.local:
            return ast.Constant(self.constants[node.id])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            try:
                value = BINARY[SIGNS[type(node.op)]](node.left.value, node.right.value)
                if not -(1 << 63) <= value < 1 << 63:
                    self.refuse(node, "a number beyond 64 bits")
                return ast.copy_location(ast.Constant(value), node)
            except (ArithmeticError, ValueError):
                return node  # a division by zero, or a shift by a negative number: it fails where it runs, if it does
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self.truth(node.operand) if isinstance(node.op, ast.Not) else self.visit(node.operand)
        if isinstance(node.operand, ast.Constant):
            value = node.operand.value
            if isinstance(node.op, ast.Not):
                return ast.Constant(not value)
            if isinstance(node.op, ast.USub):
                return ast.Constant(-value)  # type: ignore[operator]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.comparators[0], ast.Constant):
            compare, right = BINARY[SIGNS[type(node.ops[0])]], node.comparators[0].value
            answers = {compare(value, right) for value in self._values(node.left)}
            if len(answers) == 1:
                return ast.Constant(answers.pop())
        return node

    def _values(self, node: ast.expr) -> Collection[Any]:
        """The values that an expression can have, where the settings alone say it; else none."""
        if isinstance(node, ast.Constant):
            return [node.value]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "config":
            return self.left.get(node.attr, ())
        return ()

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        return self._joined(node, False)

    def _joined(self, node: ast.BoolOp, tested: bool) -> Any:
        """What comes behind a part that decides is not evaluated; a part that decides nothing is left out.

        The value of `x or 3` is x or 3, not a truth: only where it is `tested`, or is nothing but a truth, x is left out too.
        """
        decisive = isinstance(node.op, ast.Or)
        kept: list[ast.expr] = []
        for number, value in enumerate(node.values, 1):
            is_last = number == len(node.values)
            folded = self.truth(value) if tested else self.visit(value)
            if not isinstance(folded, ast.Constant):
                kept.append(folded)
            elif bool(folded.value) == decisive:
                without = tested or not decisive or (folded.value == 1 and all(map(is_truth, kept)))
                if without and not any(map(self.counts, kept)):
                    return ast.Constant(folded.value if decisive and not kept and folded.value != 1 else decisive)
                kept.append(folded)
                break
            elif is_last and not (tested or decisive or (folded.value == 1 and kept and is_truth(kept[-1]))):
                kept.append(folded)
        if not kept:
            return ast.Constant(not decisive)
        node.values = kept
        return node if len(kept) > 1 else kept[0]

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = self.truth(node.test)
        if isinstance(node.test, ast.Constant):
            return self.visit(node.body if node.test.value else node.orelse)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = called(node)
        if name in self.answers and not any(map(self.counts, node.args)):
            return copied(self.answers[name])
        if name in ("min", "max") and all(isinstance(a, ast.Constant) for a in node.args):
            return ast.Constant((min if name == "min" else max)(a.value for a in node.args))  # type: ignore[attr-defined]
        return node

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.truth(node.test)
        if isinstance(node.test, ast.Constant):
            return self._block(node.body if node.test.value else node.orelse)
        node.body = self._block(node.body) or [ast.Pass()]
        node.orelse = self._block(node.orelse)
        if not node.orelse and all(isinstance(n, ast.Pass) for n in node.body) and not self.counts(node.test):
            return None
        return node

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self.visit(Lengths(self.settings).visit(node.iter))
        arguments = node.iter.args  # type: ignore[attr-defined]
        if len(arguments) > 2 and isinstance(arguments[2], ast.Constant) and arguments[2].value == 0:
            self.refuse(node, "a range whose step is 0")
        if all(isinstance(a, ast.Constant) for a in arguments) and not range(*(a.value for a in arguments)):
            return None
        target = node.target.id  # type: ignore[attr-defined]
        is_read = self.read[target] > reads_in(node)[target]  # behind the loop, where it has the last value
        node.body = self._block(node.body)
        if not node.body and is_read:
            node.body = [ast.Pass()]
        return node if node.body else None

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.generic_visit(node)
        return None if isinstance(node.value, ast.Constant) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.body = self._block(node.body) or [ast.Pass()]
        return node

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The folded statements, up to the first return."""
        out: list[ast.stmt] = []
        for statement in statements:
            folded = self.visit(statement)
            for item in folded if isinstance(folded, list) else [folded]:
                if item is not None:
                    out.append(item)
                    if isinstance(item, ast.Return):
                        return out
        return out
