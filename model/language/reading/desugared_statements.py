"""Statements that are short for others: `break`, `continue`, assignments to several targets, and tables (`desugared`)."""

import ast
from collections.abc import Iterable
from typing import Any

from .trees import copied, expression, free_of, nodes_of, statements


class Statements:
    """Rewrites statements of one function."""

    def __init__(self, tree: ast.FunctionDef, local: Iterable[str]) -> None:
        self.tree, self.taken, self.reshaped = tree, set(local), False

    def fresh(self, name: str) -> str:
        """A variable of its own."""
        self.taken.add(chosen := free_of(self.taken, name))
        return chosen

    def block(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        """A block in fewer words."""
        return [made for statement in statements for made in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """What comes to the same as a statement."""
        if isinstance(node, ast.If):
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, ast.For):
            return [*self.over_elements(node), *self.leaving(node)]
        elif isinstance(node, ast.Assign) and (len(node.targets) > 1 or isinstance(node.targets[0], ast.Tuple)):
            return self.assigned(node)
        return [node]

    def assigned(self, node: ast.Assign) -> list[ast.stmt]:
        """An assignment for each target, of values that are computed first."""
        targets, values = [node.targets], [node.value]
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(node.targets[0].elts):
                return [node]  # which is refused
            targets, values = [[target] for target in node.targets[0].elts], node.value.elts
        self.reshaped = True
        out: list[ast.stmt] = []
        names: list[ast.expr] = []
        for value in values:
            if not isinstance(value, ast.Constant):
                out.append(assign(name := self.fresh("value"), value))
                value = ast.Name(name, ast.Load())
            names.append(value)
        for row, value in zip(targets, names, strict=True):
            out += [ast.Assign([target], copied(value)) for target in row]
        return [ast.copy_location(statement, node) for statement in out]

    def over_elements(self, node: ast.For) -> list[ast.stmt]:
        """Make a loop over an array one over its indices, which are named by `enumerate`; what stands before the loop."""
        over, element, of_values = node.iter, node.target, False
        index: Any = None
        match node:
            case ast.For(ast.Tuple([index, element]), ast.Call(ast.Name("enumerate"), [over], [])):
                pass
        match over:
            case ast.Call(ast.Attribute(over, "values"), [], []):
                of_values = True
        is_place = isinstance(over, (ast.Name, ast.Attribute, ast.Subscript))
        if not is_place or not isinstance(element, ast.Name) or not isinstance(index, (ast.Name, type(None))):
            return []
        self.reshaped = True
        row, at = self.fresh("row"), index.id if index else self.fresh("at")
        array = f"{row}.item" if of_values else row
        (loop,) = statements(f"for {at} in range(len({array})): {element.id} = {array}[{at}]")
        node.target, node.iter, node.body = loop.target, loop.iter, [ast.copy_location(loop.body[0], node), *node.body]
        if of_values:
            (is_there,) = statements(f"if {at} < {row}.length: pass")
            node.body, is_there.body = [ast.copy_location(is_there, node)], node.body
        return [ast.copy_location(assign(row, over), node)]

    def leaving(self, node: ast.For) -> list[ast.stmt]:
        """A loop without `break` and `continue`."""
        node.body = self.block(node.body)
        jumps = jumps_in(node.body)
        if not jumps or node.orelse or not isinstance(node.target, ast.Name):
            return [node]
        self.reshaped = True
        if ast.Break not in jumps:
            node.body = without_jumps(node.body, "") or [ast.Pass()]
            return [node]
        left, own = self.fresh("left"), node.target.id
        inside = without_jumps(node.body, left) or [ast.Pass()]
        here = set(map(id, nodes_of(node)))
        if any(isinstance(part, ast.Name) and part.id == own for part in nodes_of(self.tree) if id(part) not in here):
            node.target = ast.Name(self.fresh(own), ast.Store())  # behind the loop it has the value of the last round
            inside = [assign(own, ast.Name(node.target.id, ast.Load())), *inside]
        first, going = (ast.copy_location(part, node) for part in statements(f"{left} = 0\nif {left} == 0: pass"))
        node.body, going.body = [going], inside
        return [first, node]


def jumps_in(body: Iterable[ast.stmt]) -> set[type]:
    """`break` and `continue` that leave, or go on with, the loop of which this is the body."""
    found: set[type] = set()
    for statement in body:
        if isinstance(statement, (ast.Break, ast.Continue)):
            found.add(type(statement))
        elif isinstance(statement, ast.If):
            found |= jumps_in(statement.body) | jumps_in(statement.orelse)
    return found


def ends(body: Iterable[ast.stmt]) -> bool:
    """Whether a function, or the round of a loop, never goes on behind these statements."""
    jumps = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(s, jumps) or (isinstance(s, ast.If) and ends(s.body) and ends(s.orelse)) for s in body)


def without_jumps(body: list[ast.stmt], left: str) -> list[ast.stmt]:
    """The end of a round, from here: what comes behind a jump is in a branch; `left`: the variable that says so of the loop."""
    out: list[ast.stmt] = []
    for at, statement in enumerate(body):
        if isinstance(statement, ast.Continue):
            return out
        if isinstance(statement, ast.Break):
            return [*out, ast.copy_location(assign(left, ast.Constant(1)), statement)]
        if isinstance(statement, ast.If) and jumps_in([statement]):
            rest = body[at + 1 :]
            then = statement.body if ends(statement.body) else [*statement.body, *map(copied, rest)]
            otherwise = statement.orelse if ends(statement.orelse) else [*statement.orelse, *rest]
            statement.body, statement.orelse = without_jumps(then, left) or [ast.Pass()], without_jumps(otherwise, left)
            return [*out, statement]
        out.append(statement)
    return out


def assign(name: str, value: ast.expr) -> ast.Assign:
    """`name = value`."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def each_of(some: ast.expr, local: set[str]) -> ast.GeneratorExp:
    """`one for one in s.waiting`, for `any(s.waiting)`."""
    name = free_of(local, "one")
    return ast.fix_missing_locations(ast.copy_location(expression(f"({name} for {name} in some)", some=some), some))


def looked_up(table: tuple[Any, ...], names: list[str]) -> list[ast.stmt]:
    """The body of a function of indices, `names`: what stands in a table; beyond its end it fails, as a shift does."""
    name: ast.expr = ast.Name(names[0], ast.Load())
    found: list[ast.stmt] = []
    for at, row in enumerate(table):
        answer: list[ast.stmt] = [ast.Return(ast.Constant(int(row)))] if not names[1:] else looked_up(row, names[1:])
        found.append(ast.If(ast.Compare(name, [ast.Eq()], [ast.Constant(at)]), answer, []))
    beyond = ast.BinOp(ast.Constant(1), ast.RShift(), ast.BinOp(ast.Constant(-1), ast.BitOr(), name))
    return [*found, ast.Return(beyond)]


def depth_of(table: Any) -> int:
    """How many indices lead to a number of a table; -1: they lead to something else, or not everywhere as many do."""
    if not isinstance(table, tuple):
        return 0 if isinstance(table, int) else -1
    depths = {depth_of(row) for row in table}
    return depths.pop() + 1 if len(depths) == 1 and -1 not in depths else -1


def lengths_of(table: Any) -> list[int]:
    """How many rows a table has, and how many numbers its longest row, and so on."""
    rows = [row for row in table if isinstance(row, tuple)]
    return [len(table), *(map(max, zip(*map(lengths_of, rows), strict=True)) if rows else [])]
