"""Which functions return a value, and which variables have one wherever they are read: what Python finds out only as it runs.

A function with neither ends differently in every engine: compiled, interpreted, or as a formula.
"""

from collections.abc import Iterable, Iterator

from .typed_tree import Assign, Function, If, Loop, Name, Node, Return, Statement, While, having, nodes_in, stored


def returns_value(function: Function) -> bool | None:
    """Whether a function returns a value on all its ways; None when it does on some of them."""
    returns = having(Return, function)
    values = [node for node in returns if node.value is not None]
    if not values:
        return False
    return True if len(values) == len(returns) and ends(function.body) else None


def ends(body: Iterable[Statement]) -> bool:
    """Whether a function never goes on behind these statements."""
    return any(isinstance(s, Return) or (isinstance(s, If) and ends(s.body) and ends(s.otherwise)) for s in body)


def unassigned(function: Function) -> Iterator[Name]:
    """The places where a variable is read that has no value yet on some way there.

    A loop may be left before its first round: what is assigned in it has no value behind it, unless it had one before.
    """
    known = set(function.parameters)
    local = stored(function) - known
    if local:
        yield from _through(function.body, known, local)


def _through(body: Iterable[Statement], known: set[str], local: set[str]) -> Iterator[Name]:
    """Go through statements; `known` grows by what has a value behind them."""

    def read(*nodes: Node) -> Iterator[Name]:
        """Variables without a value that are read there; `x += 1` reads x."""
        return (n for n in nodes_in(*nodes) if isinstance(n, Name) and n.name in local and n.name not in known)

    for statement in body:
        match statement:
            case If(test=test, body=yes, otherwise=no):
                yield from read(test)
                then, otherwise = set(known), set(known)
                yield from _through(yes, then, local)
                yield from _through(no, otherwise, local)
                known |= otherwise if ends(yes) else then if ends(no) else then & otherwise
            case Loop(name=name, ends=between, body=inside):
                yield from read(*between)
                yield from _through(inside, known | {name}, local)
            case While(test=test, body=inside):  # of our own kernels: without it none of them is in lanes
                yield from read(test)
                yield from _through(inside, set(known), local)
            case Assign(target=target, value=value):
                yield from read(*([value] if isinstance(target, Name) else [value, target]))
                known |= {target.name} if isinstance(target, Name) else set()
            case _:
                yield from read(statement)
