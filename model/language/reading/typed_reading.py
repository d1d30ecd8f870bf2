"""From the syntax of functions to their typed trees (`typed_tree`)."""

import ast
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

from . import typed_tree as typed
from .trees import stored_in
from .typed_tree import SIGNS

Meaning = Callable[[str, ast.AST], int | str | None]
"""What a name stands for that is not the function's own, or `Name.member`: a number, a function by its name, or nothing known."""


def function_of(tree: ast.FunctionDef, meaning: Meaning = lambda name, node: None) -> typed.Function:
    """The typed tree of a function."""
    body = tree.body[1:] if ast.get_docstring(tree, False) is not None else tree.body
    parameters = tuple(argument.arg for argument in tree.args.args)
    reading = _Reading({*parameters, *stored_in(tree)}, meaning)
    return typed.Function(tree.name, parameters, tuple(reading.block(body)), source=tree)


def functions_of(text: str, left_out: Container[str] = ()) -> tuple[dict[str, typed.Function], dict[str, Any]]:
    """The functions of a text, and the numbers and lists that it names."""
    body = ast.parse(text).body
    named: dict[str, Any] = {}
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                with suppress(ValueError):
                    named[name] = ast.literal_eval(value)
    numbers = {name: value for name, value in named.items() if isinstance(value, int)}
    trees = [node for node in body if isinstance(node, ast.FunctionDef) and node.name not in left_out]
    return {tree.name: function_of(tree, lambda name, node: numbers.get(name)) for tree in trees}, named


def function_in(text: str) -> typed.Function:
    """The one function of a text."""
    (function,) = functions_of(text)[0].values()
    return function


OF_MEMBERS: dict[type[ast.AST], str] = {ast.Is: "==", ast.IsNot: "!="}


def expression_of(node: ast.expr) -> typed.Expression:
    """The typed tree of an expression, whatever its names mean."""
    return _Reading((), lambda name, node: None).of(node)


class _Reading:
    """Reads the syntax of one function, whose own names are `local`."""

    def __init__(self, local: Container[str], meaning: Meaning) -> None:
        self.local, self.meaning = local, meaning

    def block(self, body: Iterable[ast.stmt]) -> Iterator[typed.Statement]:
        """The statements that do something."""
        return (self.statement(statement) for statement in body if not _does_nothing(statement))

    def statement(self, node: ast.stmt) -> typed.Statement:
        """One statement."""
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target], value=value):
                return typed.Assign(self.of(target), self.of(value), source=node)
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in SIGNS:
                return typed.Update(self.of(target), SIGNS[type(op)], self.of(value), source=node)
            case ast.If(test=test, body=body, orelse=orelse):
                return typed.If(self.of(test), tuple(self.block(body)), tuple(self.block(orelse)), source=node)
            case ast.For(ast.Name(id=name), ast.Call(ast.Name("range"), ends, []), body, []):
                return typed.Loop(name, self.each(ends), tuple(self.block(body)), source=node)
            case ast.Return(value=value):
                return typed.Return(None if value is None else self.of(value), source=node)
            case ast.Expr(value=value):
                return typed.Do(self.of(value), source=node)
            case ast.While(test=test, body=body, orelse=[]):
                return typed.While(self.of(test), tuple(self.block(body)), source=node)
            case ast.Continue():
                return typed.Continue(source=node)
            case ast.Raise(exc=ast.Call(ast.Name(id=error), [ast.Constant(value=str() as message)], []), cause=None):
                return typed.Raise(error, message, source=node)
        return typed.Unknown(source=node)

    def each(self, nodes: Iterable[ast.expr]) -> tuple[typed.Expression, ...]:
        """Several expressions."""
        return tuple(map(self.of, nodes))

    def of(self, node: ast.expr) -> typed.Expression:
        """One expression."""
        match node:
            case ast.Name(id=name):
                meant = None if name in self.local else self.meaning(name, node)
                return typed.Number(meant, source=node) if isinstance(meant, int) else typed.Name(meant or name, source=node)
            case ast.Constant(value=int() as number):
                return typed.Number(number, source=node)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner not in self.local and isinstance(
                member := self.meaning(f"{owner}.{name}", node), int
            ):
                return typed.Number(member, source=node)
            case ast.Attribute(value=owner, attr=name):
                return typed.Field(self.of(owner), name, source=node)
            case ast.Subscript(value=owner, slice=ast.Tuple(elts=[row, column])):
                return typed.Element(typed.Element(self.of(owner), self.of(row), source=node), self.of(column), source=node)
            case ast.Subscript(value=owner, slice=index):
                return typed.Element(self.of(owner), self.of(index), source=node)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = self.each([left, *others])
                if all(type(op) in SIGNS or _is_member(op, pair) for op, pair in zip(ops, pairwise(sides), strict=True)):
                    return typed.Compared(sides, tuple(SIGNS.get(type(op)) or OF_MEMBERS[type(op)] for op in ops), source=node)
            case ast.BoolOp(op=op, values=values):
                return typed.Joined(isinstance(op, ast.And), self.each(values), source=node)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
                return typed.Operation(self.of(left), SIGNS[type(op)], self.of(right), source=node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return typed.Not(self.of(operand), source=node)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in SIGNS:
                return typed.Unary(SIGNS[type(op)], self.of(operand), source=node)
            case ast.IfExp(test=test, body=yes, orelse=no):
                return typed.Choice(self.of(test), self.of(yes), self.of(no), source=node)
            case ast.Call(func=ast.Name(id=name) as called, args=arguments, keywords=[]):
                meant = None if name in self.local else self.meaning(name, called)
                return typed.Call(meant if isinstance(meant, str) else name, self.each(arguments), source=node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="uint64"), args=[value], keywords=[]):
                return typed.Call("uint64", (self.of(value),), source=node)
        return typed.Unknown(source=node)


def _is_member(op: ast.cmpop, sides: Iterable[typed.Expression]) -> bool:
    """Whether this is `is` or `is not`, with a member of a choice on one side: it means equal to the member's number."""
    return type(op) in OF_MEMBERS and any(isinstance(s, typed.Number) and isinstance(s.source, ast.Attribute) for s in sides)


def _does_nothing(node: ast.stmt) -> bool:
    is_number = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, int)
    return isinstance(node, ast.Pass) or is_number
