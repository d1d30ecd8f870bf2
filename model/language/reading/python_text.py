"""A typed tree as Python, with numbers in place of the names of constants."""

from collections.abc import Iterable

from ..loops import indented
from . import typed_tree as tree


def function_text(function: tree.Function) -> str:
    """A function."""
    return "\n".join([f"def {function.name}({', '.join(function.parameters)}):", *indented(_block(function.body))])


def _block(body: Iterable[tree.Statement]) -> list[str]:
    return [line for statement in body for line in _statement(statement)] or ["pass"]


def _statement(node: tree.Statement) -> list[str]:
    match node:
        case tree.Assign(target=target, value=value):
            return [f"{as_python(target)} = {as_python(value)}"]
        case tree.Update(target=target, sign=sign, value=value):
            return [f"{as_python(target)} {sign}= {as_python(value)}"]
        case tree.If(test=test, body=body, otherwise=otherwise):
            last = ["else:", *indented(_block(otherwise))] if otherwise else []
            return [f"if {as_python(test)}:", *indented(_block(body)), *last]
        case tree.Loop(name=name, ends=ends, body=body):
            return [f"for {name} in range({', '.join(map(as_python, ends))}):", *indented(_block(body))]
        case tree.Return(value=value):
            return ["return" if value is None else f"return {as_python(value)}"]
        case tree.Do(value=value):
            return [as_python(value)]
    raise TypeError(f"{node.construct} is not of the language of models")


def as_python(node: tree.Expression) -> str:
    """An expression as Python, with numbers in place of the names of constants."""
    match node:
        case tree.Number(value=value):
            return repr(value)
        case tree.Name(name=name):
            return name
        case tree.Field(owner=owner, name=name):
            return f"{_operand(owner)}.{name}"
        case tree.Element(owner=owner, index=index):
            return f"{_operand(owner)}[{as_python(index)}]"
        case tree.Not(operand=operand):
            return f"not {_operand(operand)}"
        case tree.Unary(sign=sign, operand=operand):
            return f"{sign}{_operand(operand)}"
        case tree.Operation(left=left, sign=sign, right=right):
            return f"{_operand(left)} {sign} {_operand(right)}"
        case tree.Joined(is_and=is_and, parts=parts):
            return (" and " if is_and else " or ").join(map(_operand, parts))
        case tree.Compared(sides=sides, signs=signs):
            others = (f"{sign} {_operand(side)}" for sign, side in zip(signs, sides[1:], strict=True))
            return " ".join([_operand(sides[0]), *others])
        case tree.Choice(test=test, yes=yes, no=no):
            return f"{_operand(yes)} if {_operand(test)} else {_operand(no)}"
        case tree.Call(function=name, arguments=arguments):
            return f"{name}({', '.join(map(as_python, arguments))})"
    raise TypeError(f"{node.construct} is not of the language of models")


def _operand(node: tree.Expression) -> str:
    text = as_python(node)
    return text if isinstance(node, (tree.Name, tree.Field, tree.Element, tree.Call)) or text.isalnum() else f"({text})"
