"""What a model may write for short, in the words that every engine reads: the first pass over a function's syntax tree.

    s.sent.add(x), x in s.sent, for one in s.sent.values()  calls of functions, and a loop over places (`sequences`)
    any(s.node[n].up for n in range(s.config.nodes))       a function of its own with a loop, which is called here
    any(s.up), sum(...), all(...), min(..., default=0)     the same; abs(x) is max(x, -x)
    s.phase in (Phase.READ, Phase.DONE)                    s.phase == Phase.READ or s.phase == Phase.DONE
    x in range(a, b)                                       x >= a and x < b
    a = b = 0;  a, b = b, a                                one assignment each, of values that are computed first
    continue, break                                        what comes behind them in a branch of its own, and a variable
    TABLE[n], T[n][m], len(T), x in T, for x in T          of a tuple of numbers, or of tuples, of the module (`looked_up`)
    for n in range(last)                                   where `last = s.config.nodes`, or a parameter that gets such a number

Python runs what is written; so the plain engine compares both. A node that is replaced keeps how it was `written`.
"""

import ast
import re
from collections.abc import Callable, Container, Mapping
from types import FunctionType
from typing import Any

from .. import sequences
from ..errors import LanguageError
from .desugared_statements import Statements, depth_of, each_of, lengths_of, looked_up
from .parsed import function_from, parse
from .trees import call_of, called, copied, defined, expression, free_of, names_in, nodes_of, put, statements, stored_in
from .typed_reading import expression_of
from .typed_tree import is_fixed, is_truth, number_of

Refuse = Callable[[ast.AST, str], None]

CHOSEN = "value = element\nif some == 0 or value {} found:\n found = value\nsome = 1"

FOLDS = {
    "any": ("", "if element: return True", "return False"),
    "all": ("", "if not element: return False", "return True"),
    "sum": ("found = 0", "found += element", "return found"),
    "min": ("found = default\nsome = 0", CHOSEN.format("<"), "return found"),
    "max": ("found = default\nsome = 0", CHOSEN.format(">"), "return found"),
}
"""What is said of a generator, as statements before its loops, in them, and behind them."""

COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def desugared(tree: ast.FunctionDef, file: str, meanings: Mapping[str, Any], refuse: Refuse) -> ast.FunctionDef:
    """The function in fewer words. `meanings`: of the names in its module; the tree is changed."""
    local = own_names(tree)
    known = settings_named(tree, local)
    loops: list[Any] = [node.iter for node in nodes_of(tree) if isinstance(node, (ast.For, ast.comprehension))]
    for loop in (loop for loop in loops if called(loop) == "range"):
        loop.args = [put(known, end) for end in loop.args]
    tree = _Expressions(tree, file, local, meanings, refuse).visit(tree)
    shape = Statements(tree, local)
    tree.body = shape.block(tree.body)
    if shape.reshaped:
        tree.reshaped = True  # type: ignore[attr-defined]  # its statements are not those of the file (`source`)
    return ast.fix_missing_locations(tree)


def own_names(tree: ast.FunctionDef) -> set[str]:
    """The parameters and variables of a function; those of its generators are not its own."""
    inner = {id(part) for node in nodes_of(tree) if isinstance(node, COMPREHENSIONS) for part in nodes_of(node)}
    names = [part for part in nodes_of(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    return {part.arg for part in tree.args.args} | {part.id for part in names if id(part) not in inner}


def settings_named(tree: ast.FunctionDef, local: Container[str]) -> dict[str, ast.expr]:
    """The variables that stand for a number or a setting throughout: assigned once, in no branch and no loop."""
    known: dict[str, ast.expr] = {}
    stores = [part.id for part in nodes_of(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    stores += [parameter.arg for parameter in tree.args.args]  # which has another value before
    for target, given in (pair for statement in tree.body for pair in pairs_of(statement)):
        if isinstance(target, ast.Name) and stores.count(target.id) == 1:
            value = put(known, copied(given))
            if is_fixed(expression_of(value), local):
                known[target.id] = asked_before(value)
    return known


def asked_before(value: ast.expr) -> ast.expr:
    """What stands for a variable or a parameter: its lengths are marked, because that of a sequence may change meanwhile."""
    for part in nodes_of(value):
        if called(part) == "len":
            part.before = True  # type: ignore[attr-defined]
    return value


def pairs_of(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with its value; those that a call or a record gives are left out."""
    if not isinstance(statement, ast.Assign):
        return []
    out: list[tuple[ast.expr, ast.expr]] = []
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            out += zip(target.elts, statement.value.elts, strict=False)
        else:
            out.append((target, statement.value))
    return out


# Expressions.


class _Expressions(ast.NodeTransformer):
    """Rewrites expressions of one function."""

    def __init__(self, tree: ast.FunctionDef, file: str, local: set[str], meanings: Mapping[str, Any], refuse: Refuse) -> None:
        self.tree, self.file, self.local, self.meanings, self.refuse = tree, file, local, meanings, refuse

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        indices, inner = [node.slice], node.value
        while isinstance(inner, ast.Subscript):
            indices, inner = [inner.slice, *indices], inner.value
        table = self.table(inner)
        if table is None or isinstance(node.ctx, ast.Store):
            self.generic_visit(node)
            return node
        if (depth := depth_of(table)) != len(indices):
            what = f"has {depth} indices" if depth > 0 else "is of something other than numbers"
            self.refuse(node, f"{ast.unparse(node)}, and the table {what},")
        for index, length in zip(indices, lengths_of(table), strict=True):
            if (number := number_of(expression_of(index))) is not None and not 0 <= number < length:
                self.refuse(node, f"{ast.unparse(node)}, and the indices there go from 0 to {length - 1},")
        names = [f"at{place}" for place in range(len(indices))]
        call: Any = self.lifted(f"{self.tree.name}__table", node, names, looked_up(table, names), list(map(self.visit, indices)))
        call.func.member.tree.table = ast.unparse(inner)
        return call

    def visit_For(self, node: ast.For) -> Any:
        table = self.table(node.iter)
        if table is not None and isinstance(node.target, ast.Name):
            at = free_of({*self.local, *free_names(node)}, "at")
            self.local.add(at)
            (loop,) = statements(f"for {at} in range({len(table)}): {node.target.id} = table[{at}]", table=node.iter)
            node.target, node.iter, node.body = loop.target, loop.iter, [located(loop.body[0], node), *node.body]
            self.tree.reshaped = True  # type: ignore[attr-defined]
        self.generic_visit(node)
        return node

    def table(self, node: ast.AST) -> tuple[Any, ...] | None:
        """The tuple of the module that a name stands for."""
        meaning = self.meanings.get(node.id) if isinstance(node, ast.Name) and node.id not in self.local else None
        return meaning if isinstance(meaning, tuple) else None

    def visit_Call(self, node: ast.Call) -> Any:
        name = called(node)
        if name == "len" and len(node.args) == 1 and (table := self.table(node.args[0])) is not None:
            return ast.copy_location(ast.Constant(len(table)), node)
        if name == "abs" and len(node.args) == 1 and name not in {*self.local, *self.meanings}:
            return self.distance(node, node.args[0])
        is_fold = name in FOLDS and name not in {*self.local, *self.meanings}
        if is_fold and len(node.args) == 1 and isinstance(node.args[0], (ast.Attribute, ast.Subscript)):
            node.args = [each_of(node.args[0], self.local)]
        if is_fold and node.args and isinstance(node.args[0], ast.GeneratorExp):
            return self.folded(name, node, node.args[0])
        if is_fold and name not in ("min", "max"):
            self.refuse(node, f"{name} of something other than a generator, such as {name}(f(s, n) for n in range(3)),")
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in sequences.METHODS:
            return self.method(node, node.func)
        meaning = self.meanings.get(name)
        if isinstance(meaning, FunctionType) and name not in self.local and (places := range_parameters(meaning)):
            return self.narrowed(node, meaning, places)
        return node

    def distance(self, node: ast.Call, number: ast.expr) -> ast.Call:
        """`max(x, -x)`, for `abs(x)`; what a call gives is computed once."""
        value = self.visit(number)
        if any(isinstance(part, ast.Call) for part in nodes_of(value)):
            return self.lifted(f"{self.tree.name}__abs", node, ["value"], statements("return max(value, -value)"), [value])
        return located(expression("max(value, -value)", value=value), node)

    def method(self, node: ast.Call, method: ast.Attribute) -> ast.Call:
        """A call of the function that a method is."""
        function, fields = sequences.METHODS[method.attr], tuple(str(keyword.arg) for keyword in node.keywords)
        wanted = len(parse(function)[0].args.args) - 1
        if fields and (node.args or method.attr not in sequences.OF_VALUES):
            self.refuse(node, f"{method.attr} with fields by name beside other values")
        if not fields and len(node.args) != wanted:
            self.refuse(node, f"a call of {method.attr} with {len(node.args)} values, and it takes {wanted},")
        values = [keyword.value for keyword in node.keywords] if fields else node.args
        made = sequences.by_fields(method.attr, fields) if fields else function
        return self.call(made, node, [method.value, *values])

    def folded(self, name: str, node: ast.Call, generator: ast.GeneratorExp) -> ast.Call:
        """A call of a function that loops as the generator does."""
        defaults = {str(keyword.arg): keyword.value for keyword in node.keywords}
        if len(node.args) > 1 or not defaults.keys() <= ({"default"} if name in ("min", "max") else set()):
            self.refuse(node, f"{name} of a generator with more arguments")
        if name in ("min", "max") and not defaults:
            self.refuse(node, f"{name} of a generator without default=, the value where there is nothing to compare,")
        free = [known for known in free_names(node) if known in self.local]
        free.sort(key=lambda known: (known not in ("s", "t"), known))
        if not free and self.tree.args.args:
            free = [self.tree.args.args[0].arg]
        body = loop_of(name, generator, defaults)
        return self.lifted(f"{self.tree.name}__{name}", node, free, body, [ast.Name(known, ast.Load()) for known in free])

    def lifted(self, name: str, node: ast.expr, parameters: list[str], body: list[ast.stmt], given: list[ast.expr]) -> ast.Call:
        """A call of a new function with this body."""
        return self.call(function_from(located(defined(name, parameters, body), node), self.meanings, self.file), node, given)

    def call(self, function: FunctionType, node: ast.expr, arguments: list[ast.expr]) -> ast.Call:
        """A call of a function that is in no file, in the place of a node."""
        call: Any = ast.copy_location(call_of(function.__name__, arguments), node)
        call.func.member, call.written = function, copied(node)  # what the name means, and what stands in the file
        return call

    def narrowed(self, node: ast.Call, function: FunctionType, places: dict[int, str]) -> ast.Call:
        """A call of the function for these numbers, over which it has loops."""
        tree, file = parse(function)
        parameters = [argument.arg for argument in tree.args.args]
        if len(parameters) != len(node.args) or not all(is_fixed(expression_of(node.args[at]), self.local) for at in places):
            names = " and ".join(places.values())
            self.refuse(
                node, f"a call of {function.__name__}, whose loops range over {names}, with what is not a number or setting,"
            )
        given = {argument.id: parameters[at] for at, argument in enumerate(node.args) if isinstance(argument, ast.Name)}
        values = {}
        for place, name in places.items():
            value = values[name] = asked_before(put(self.numbers(node.args[place]), copied(node.args[place])))
            for part in nodes_of(value):
                if isinstance(part, ast.Name) and part.id in self.local:  # the state, of `s.config.nodes`
                    if part.id not in given:
                        self.refuse(node, f"a call of {function.__name__} with a setting, and without the state,")
                    part.id = given[part.id]
        twin = copied(tree)
        twin.args.args = [argument for at, argument in enumerate(tree.args.args) if at not in places]
        twin.body = [put(values, statement) for statement in twin.body]
        made = special(function, twin, file)
        return self.call(made, node, [argument for at, argument in enumerate(node.args) if at not in places])

    def numbers(self, value: ast.expr) -> dict[str, ast.expr]:
        """The constants of this module in a value, which are others in another module."""
        found = [(name, self.meanings.get(name)) for name in names_in(value) - self.local]
        return {name: ast.copy_location(ast.Constant(int(some)), value) for name, some in found if isinstance(some, int)}

    def visit_Compare(self, node: ast.Compare) -> Any:
        written = copied(node)
        self.generic_visit(node)
        if not any(isinstance(operator, (ast.In, ast.NotIn)) for operator in node.ops):
            return node
        if len(node.ops) > 1:
            self.refuse(node, "`in` beside another comparison")
        some = node.comparators[0]
        if (table := self.table(some)) is not None:
            if depth_of(table) != 1:
                self.refuse(node, f"`in` with {ast.unparse(some)}, which is not a tuple of numbers,")
            some = ast.Tuple([ast.Constant(int(number)) for number in table], ast.Load())
        if isinstance(some, (ast.Name, ast.Attribute, ast.Subscript)):
            call: ast.expr = self.call(sequences.METHODS["has"], node, [some, node.left])
            return call if isinstance(node.ops[0], ast.In) else ast.copy_location(ast.UnaryOp(ast.Not(), call), node)
        is_range = isinstance(some, ast.Call) and called(some) == "range" and len(some.args) in (1, 2)
        if not is_range and not (isinstance(some, (ast.Tuple, ast.List, ast.Set)) and some.elts):
            self.refuse(node, "`in` with something other than a tuple of values, range(a, b), or a set,")
        values = [ast.Constant(0), *some.args][-2:] if isinstance(some, ast.Call) else some.elts  # type: ignore[attr-defined]
        parts, names = [node.left, *values], [f"value_{number}" for number in range(len(values) + 1)]
        text = is_among(names, is_range, isinstance(node.ops[0], ast.In))
        if any(isinstance(inner, ast.Call) for part in parts for inner in nodes_of(part)):  # each is computed once
            return self.lifted(f"{self.tree.name}__in", written, names, statements(f"return {text}"), parts)
        result = located(expression(text, **dict(zip(names, parts, strict=True))), node)
        result.written = written
        return result


def located(made: Any, node: ast.AST) -> Any:
    """What was made, at the place of a node where it has none."""
    return ast.fix_missing_locations(ast.copy_location(made, node))


def is_among(names: list[str], is_range: bool, wanted: bool) -> str:
    """Whether the first is one of the others, or from the second to below the third, as `wanted`."""
    first, *others = names
    signs = ([">=", "<"] if wanted else ["<", ">="]) if is_range else ["==" if wanted else "!="] * len(others)
    found = [f"{first} {sign} {other}" for sign, other in zip(signs, others, strict=True)]
    return (" and " if is_range is wanted else " or ").join(found)


def free_names(node: ast.AST) -> set[str]:
    """The names that are read below a node and that no generator there has for its own."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        own = {name for loop in node.generators for name in stored_in(loop.target)}
        first, *rest = node.generators
        inner = [node.elt, *first.ifs, *(part for loop in rest for part in (loop.iter, *loop.ifs))]
        return free_names(first.iter) | {name for part in inner for name in free_names(part)} - own
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    return {name for part in ast.iter_child_nodes(node) for name in free_names(part)}


def loop_of(name: str, generator: ast.GeneratorExp, given: dict[str, ast.expr]) -> list[ast.stmt]:
    """The body of a function that comes to the same as `name` of a generator; `given`: the `default`."""
    taken, element = names_in(generator), generator.elt
    if name == "sum" and is_truth(expression_of(element)):
        element = expression("1 if element else 0", element=element)
    texts = [re.sub("found|some|value", lambda word: free_of(taken, word[0]), text) for text in FOLDS[name]]
    before, inner, after = (statements(text, element=element, **given) for text in texts)
    for loop in reversed(generator.generators):
        for test in reversed(loop.ifs):
            inner = [ast.If(test, inner, [])]
        inner = [ast.For(loop.target, loop.iter, inner, [])]
    return [ast.copy_location(statement, generator) for statement in (*before, *inner, *after)]


# Functions that are in no file, and loops over what they are given.

_special: dict[tuple[FunctionType, str], FunctionType] = {}


def special(function: FunctionType, tree: ast.FunctionDef, file: str) -> FunctionType:
    """The function for some numbers, which are in this tree of it already; the same for the same numbers."""
    key = (function, ast.unparse(tree))
    if key not in _special:
        _special[key] = function_from(tree, function.__globals__, file, getattr(function, "origin", None) or function)
    return _special[key]


_ranges: dict[FunctionType, dict[int, str]] = {}


def range_parameters(function: FunctionType) -> dict[int, str]:
    """The parameters over which a function has loops, or gives to one that has, by their places."""
    if function not in _ranges:
        _ranges[function] = {}  # while it is being found out: a function that calls itself is refused later
        _ranges[function] = ranges_of(function)
    return _ranges[function]


def ranges_of(function: FunctionType) -> dict[int, str]:
    """What `range_parameters` finds out."""
    try:
        tree, _ = parse(function)
    except LanguageError:  # which is raised where the function is added to a program
        return {}
    parameters = {argument.arg: at for at, argument in enumerate(tree.args.args)}
    ends: list[ast.expr] = []
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and called(node) == "range":
            ends += node.args
        elif isinstance(node, ast.Call):
            meaning = function.__globals__.get(called(node))
            if isinstance(meaning, FunctionType):
                ends += [node.args[at] for at in range_parameters(meaning) if at < len(node.args)]
    named = {name for end in ends for name in free_names(end) if name in parameters and not is_state(name, end)}
    return {parameters[name]: name for name in sorted(named - stored_in(tree))}


def is_state(name: str, end: ast.expr) -> bool:
    """Whether a name is read for its configuration alone, as in `s.config.nodes`."""
    within = {id(part.value) for part in nodes_of(end) if isinstance(part, ast.Attribute)}
    return all(id(part) in within for part in nodes_of(end) if isinstance(part, ast.Name) and part.id == name)
