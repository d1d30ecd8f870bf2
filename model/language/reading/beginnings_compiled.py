"""What makes the initial states as a function in the language of models, for one configuration, from a text that was read.

A new state is a copy of an empty one, or of that which `every` fills. A loop over `every`, or over a `product`, is one over
numbers, whose digits are the values. Lists that settings alone decide are taken as they are under the configuration.
"""

import ast
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import prod
from textwrap import indent
from types import FunctionType
from typing import Any

from ..errors import LanguageError, UsageError
from ..filled import ways_of
from ..kinds import NO_MEMBER, Member, State
from .beginnings import Reading, Shape, is_of_every, named
from .desugared_statements import assign
from .parsed import function_from
from .plugin_checks import SUFFIX, with_plugin_checks
from .program import Program, program
from .specialise import specialise
from .trees import called, copied, expression, free_of, names_in, nodes_of, put, statements, stored_in
from .typed_reading import function_in
from .typed_tree import Call, Do, Name, Return, with_parts
from .typed_tree import called as called_in


def renew(s: Any) -> bool:
    """The state becomes one in which nothing is written yet."""
    return True


def hold(s: Any) -> bool:
    """The state is the one that `renew` gives from now on."""
    return True


def emit(s: Any) -> bool:
    """The state is an initial one."""
    return True


def as_function(text: Reading, config: Any) -> FunctionType:
    """What makes the states, as a function of one state, which `emit` takes; LanguageError when it uses more than models may."""
    tree = _InLanguage(text, config).visit(copied(text.tree))
    tree.args.args[0].arg = text.state
    tree.body.append(ast.Return(ast.Constant(value=True)))
    function = function_from(ast.fix_missing_locations(tree), text.meanings, text.file)
    function.loops_freely = True  # type: ignore[attr-defined]  # nothing but compiled code reads it
    return function


def in_place(
    text: Reading, config: Any, state: type[State], reserved: Collection[str], name: str, parameters: Sequence[str],
    begin: Sequence[str], made: Mapping[str, str],
) -> Program:  # fmt: skip
    """The program with one function, `name`, that makes the states, and answers with how many.

    It has these parameters in place of its own, which `begin` is, and texts in place of calls of our functions.
    """
    function = as_function(text, config)
    whole = program([function], reserved, type(config))
    ours = {whole.names[id(part)]: part.__name__ for part in (renew, hold, emit) if id(part) in whole.names}
    entry = whole.name_of(function)
    whole = with_plugin_checks(whole, [entry], state, type(config))
    of = {known: ours.get(known.partition(SUFFIX)[0], "") for known in whole.functions}
    texts = {known: function_in(f"def made():\n{indent(made[own], ' ')}").body for known, own in of.items() if own}
    emits = {known for known in texts if of[known] == emit.__name__}
    body = next(part for part in whole.functions.values() if emits.intersection(called_in(part)))

    def placed(node: Any) -> Any:
        """A part of it with these texts in the place of calls, and with what it answers."""
        match node:
            case Do(value=Call(function=known)) if known in texts:
                return texts[known]
            case Return():
                return Return(Name("count"))
        return with_parts(node, placed)

    before = function_in("\n ".join(["def before():", *map(" = ".join, zip(body.parameters, begin, strict=False)), "count = 0"]))
    left_out = {entry, body.name, *texts}
    functions = {known: part for known, part in whole.functions.items() if known not in left_out}
    functions[name] = replace(body, name=name, parameters=tuple(parameters), body=(*before.body, *placed(body).body))
    return specialise(replace(whole, functions=functions), config, state)


def beginning_text(text: Reading, config: Any) -> str:
    """All that decides the states, as text; where the language of models does not have it, what stands in the file."""
    try:
        return program([as_function(text, config)], (), type(config)).text()
    except (LanguageError, UsageError):
        return ast.unparse(text.tree)


class _InLanguage(ast.NodeTransformer):
    """Rewrites a generator of states. `digits`: of each variable that is a tuple, what its elements are called."""

    def __init__(self, text: Reading, settings: Any) -> None:
        self.text, self.settings = text, settings
        self.config = text.tree.args.args[0].arg
        self.local = {self.config, *stored_in(text.tree)}
        self.taken = names_in(text.tree)
        self.shape = Shape(self.config, text.record, text.meanings)
        self.digits: dict[str, list[str]] = {}
        loops = [part for part in nodes_of(text.tree) if isinstance(part, ast.For) and is_of_every(part)]
        self.bases = {getattr(part.iter.args[0], "id", "") for part in loops}  # type: ignore[attr-defined]
        """The variables that `every` fills, beside the state."""

    def refuse(self, node: ast.AST, what: str) -> LanguageError:
        """The error for what is not read."""
        return LanguageError(f"{self.text.file}:{getattr(node, 'lineno', 0)}: {what}")

    def fresh(self, name: str) -> str:
        """A name that the text does not have."""
        name = free_of(self.taken, name)
        self.taken.add(name)
        return name

    def call(self, function: Callable[[Any], bool], at: ast.AST) -> ast.stmt:
        """A call of one of our functions of the state."""
        made = expression(f"{function.__name__}({self.text.state})")
        made.func.member = function
        return ast.copy_location(ast.Expr(made), at)

    def known(self, node: ast.expr) -> Any:
        """The value of an expression, where settings and the module decide it; else None."""
        if names_in(node) & (self.local - {self.config}):
            return None
        whole = ast.fix_missing_locations(ast.Expression(copied(node)))
        try:
            return eval(compile(whole, self.text.file, "eval"), {**self.text.meanings, self.config: self.settings})
        except Exception:  # whatever it is, Python says so where it runs
            return None

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.digits:
            raise self.refuse(node, f"{node.id}, of which not an element is read,")
        if node.id == self.config:
            return ast.copy_location(expression(f"{self.text.state}.config"), node)
        return ast.copy_location(ast.Name(self.text.state, node.ctx), node) if node.id in self.bases else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        return self.call(emit, node) if isinstance(node.value, ast.Yield) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if not self.shape.is_new(node.value):
            return self.generic_visit(node)
        if named(node.targets) not in {self.text.state, *self.bases}:
            raise self.refuse(node, "a second state")
        return self.call(renew, node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        elements = self.digits.get(getattr(node.value, "id", ""))
        if elements is None:
            return self.generic_visit(node)
        if isinstance(node.slice, ast.Slice) or not isinstance(node.ctx, ast.Load):
            raise self.refuse(node, "a part of a tuple")
        return chosen(self.visit(node.slice), [ast.Name(part, ast.Load()) for part in elements])

    # Loops.

    def visit_For(self, node: ast.For) -> Any:
        over = node.iter
        if is_of_every(node):
            return self.over_every(node)
        if self.digits and isinstance(over, ast.Call) and called(over) in ("enumerate", "zip"):
            return self.unrolled(node, over)
        if called(over) == "range":
            return self.generic_visit(node)
        is_product = isinstance(over, ast.Call) and getattr(over.func, "attr", called(over)) == "product"
        if is_product and self.known(over.func) is itertools.product:  # type: ignore[attr-defined]
            return self.over_product(node, over)  # type: ignore[arg-type]
        values = self.known(over)
        if not isinstance(values, (tuple, list)) or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        number = self.fresh("number")
        first = ast.Assign([node.target], self.among(values, number, node))
        return self.counted(node, number, len(values), [first, *self.block(node.body)])

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, rewritten."""
        out: list[ast.stmt] = []
        for part in body:
            made = self.visit(part)
            out += made if isinstance(made, list) else [made]
        return out

    def counted(self, node: ast.For, number: str, times: int, body: list[ast.stmt]) -> ast.stmt:
        """A loop over numbers, in the place of another."""
        (loop,) = statements(f"for {number} in range({times}): pass")
        loop.body = body
        for part in nodes_of(loop):
            if isinstance(part, (ast.stmt, ast.expr)) and not hasattr(part, "lineno"):
                ast.copy_location(part, node)
        return loop

    def among(self, values: Sequence[Any], place: str, node: ast.AST) -> ast.expr:
        """The value at a place of a list that is known."""
        if not all(isinstance(part, int) for part in values):
            raise self.refuse(node, "a list of something other than numbers")
        numbers = [int(part) for part in values]
        if numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return ast.BinOp(expression(place), ast.Add(), ast.Constant(numbers[0]))
        return chosen(expression(place), [ast.Constant(part) for part in numbers])

    def over_product(self, node: ast.For, over: ast.Call) -> ast.stmt:
        """A loop over numbers, in the place of one over a product."""
        repeat = self.known(next((part.value for part in over.keywords), ast.Constant(1)))
        factors = self.known(ast.Tuple([ast.Call(ast.Name("list", ast.Load()), [part], []) for part in over.args], ast.Load()))
        if any(isinstance(part, ast.Starred) for part in over.args):
            factors = self.known(ast.Tuple(over.args, ast.Load()))
        if not isinstance(repeat, int) or not factors:
            raise self.refuse(node, "a product that settings alone do not decide")
        factors = [list(part) for part in factors] * repeat
        number, size = self.fresh("number"), prod(map(len, factors))
        names, body, below = [self.fresh("digit") for _ in factors], [], size
        for name, values in zip(names, factors, strict=True):
            below //= len(values) or 1
            digit = f"{number} // {below} % {max(1, len(values))}"
            body.append(assign(name, self.among(values, digit, node)))
        return self.counted(node, number, size, [*body, *self.spread(node.target, names), *self.block(node.body)])

    def spread(self, target: ast.expr, names: list[str]) -> list[ast.Assign]:
        """Give the elements of a product to the variables of a loop."""
        if isinstance(target, ast.Name):
            self.digits[target.id] = names
            return []
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        stars = [place for place, part in enumerate(parts) if isinstance(part, ast.Starred)]
        if len(parts) - len(stars) > len(names) or (not stars and len(parts) != len(names)):
            raise self.refuse(target, "a product whose parts are not those of its variables")
        out, left = [], list(names)
        for place, part in enumerate(parts):
            if isinstance(part, ast.Starred):
                count = len(left) - (len(parts) - place - 1)
                self.digits[getattr(part.value, "id", "")], left = left[:count], left[count:]
            else:
                out.append(ast.Assign([part], ast.Name(left.pop(0), ast.Load())))
        return out

    def unrolled(self, node: ast.For, over: ast.Call) -> list[ast.stmt]:
        """The body of a loop for each element of a tuple."""
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else []
        lengths = {len(self.digits[part.id]) for part in over.args if isinstance(part, ast.Name) and part.id in self.digits}
        jumps = any(isinstance(part, (ast.Break, ast.Continue)) for part in nodes_of(node))
        names = [getattr(part, "id", "") for part in targets]
        if len(lengths) != 1 or jumps or len(names) != 2 or set(names) & {n for part in node.body for n in stored_in(part)}:
            raise self.refuse(node, "a loop over tuples that is not read")
        out = []
        for place in range(lengths.pop()):
            parts: list[ast.expr] = [ast.Subscript(part, ast.Constant(place), ast.Load()) for part in over.args]
            if called(over) == "enumerate":
                parts = [ast.Constant(place), *parts]
            values = dict(zip(names, parts, strict=True))
            out += [ast.fix_missing_locations(put(values, copied(part))) for part in node.body]
        return self.block(out)

    def over_every(self, node: ast.For) -> list[ast.stmt]:
        """A loop over numbers, whose digits are the values of the variables that are filled."""
        assert isinstance(node.iter, ast.Call)
        base, *others = node.iter.args
        paths = [str(getattr(part, "value", "")) for part in others]
        if not self.shape.is_new(base) and not isinstance(base, ast.Name):
            raise self.refuse(node, "states filled from one without a name")
        number, rest, state = self.fresh("number"), self.fresh("rest"), self.text.state
        lines, ways = [f"{rest} = {number}"], ways_of(self.text.record(self.settings), *paths)
        for path, kind, low, count in reversed(ways):
            digit = f"{rest} % {count}"
            value = f"({digit} - 1 if {digit} > 0 else {NO_MEMBER})" if isinstance(kind, Member) else f"{digit} + {low}"
            lines += [f"{state}.{path} = {value}", f"{rest} = {rest} // {count}"]
        inside = [self.call(renew, node), *statements("\n".join(lines)), *self.block(node.body)]
        loop = self.counted(node, number, prod(count for *_, count in ways), inside)
        return [loop] if self.shape.is_new(base) else [self.call(hold, node), loop]


def chosen(place: ast.expr, values: Sequence[ast.expr]) -> ast.expr:
    """The value at a place among these."""
    out = values[-1] if values else ast.Constant(0)
    for number in reversed(range(len(values) - 1)):
        out = ast.IfExp(ast.Compare(copied(place), [ast.Eq()], [ast.Constant(number)]), values[number], out)
    return out
