"""From the syntax of functions to their typed trees (`typed_tree`): the one place that knows what Python calls each construct."""

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from . import typed_tree as typed
from .trees import stored_in

SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.USub: "-", ast.Invert: "~",
}  # fmt: skip
"""Each operator of the language and its sign, which is what visitors know it by."""


def function_of(tree: ast.FunctionDef, constants: Mapping[str, int]) -> typed.Function:
    """The typed tree of a function, in a program with these constants."""
    return typed.Function(
        tree.name, tuple(a.arg for a in tree.args.args), tuple(_Reading(tree, constants).block(tree.body)), source=tree
    )


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
    return {tree.name: function_of(tree, numbers) for tree in trees}, named


class _Reading:
    """Reads the syntax of one function."""

    def __init__(self, tree: ast.FunctionDef, constants: Mapping[str, int]) -> None:
        self.tree, self.constants = tree, constants

    @cached_property
    def local(self) -> set[str]:
        """The names that stand for no constant here; most functions need not know."""
        return {argument.arg for argument in self.tree.args.args} | stored_in(self.tree)

    def block(self, body: Iterable[ast.stmt]) -> Iterator[typed.Statement]:
        """The statements that do something."""
        return (self.statement(statement) for statement in body if not _does_nothing(statement))

    def statement(self, node: ast.stmt) -> typed.Statement:
        """One statement."""
        match node:
            case ast.Assign(targets=[target], value=value):
                return typed.Assign(self.of(target), self.of(value), source=node)
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in SIGNS:
                return typed.Update(self.of(target), SIGNS[type(op)], self.of(value), source=node)
            case ast.If(test=test, body=body, orelse=orelse):
                return typed.If(self.of(test), tuple(self.block(body)), tuple(self.block(orelse)), source=node)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=ends), body=body, orelse=[]):
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
                is_constant = name in self.constants and name not in self.local
                return typed.Number(self.constants[name], source=node) if is_constant else typed.Name(name, source=node)
            case ast.Constant(value=int() as number):
                return typed.Number(number, source=node)
            case ast.Attribute(value=owner, attr=name):
                return typed.Field(self.of(owner), name, source=node)
            case ast.Subscript(value=owner, slice=ast.Tuple(elts=[row, column])):
                return typed.Element(typed.Element(self.of(owner), self.of(row), source=node), self.of(column), source=node)
            case ast.Subscript(value=owner, slice=index):
                return typed.Element(self.of(owner), self.of(index), source=node)
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in SIGNS for op in ops):
                return typed.Compared(self.each([left, *others]), tuple(SIGNS[type(op)] for op in ops), source=node)
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
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return typed.Call(name, self.each(arguments), source=node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="uint64"), args=[value], keywords=[]):
                return typed.Call("uint64", (self.of(value),), source=node)
        return typed.Unknown(source=node)


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
