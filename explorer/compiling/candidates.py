"""Which instances of an action can be enabled at all, as a mask: the guards that need nothing but parameters, without a branch.

Most instances of an action are refused, and which ones changes from state to state, so that the processor cannot guess its way
through their guards. From the syntax tree of an action come conditions that hold wherever it is enabled. They are evaluated for
all values of its parameters at once, in the state itself, and only the instances that are left are tried. The action itself is
called with all its guards, so a condition that is not found here costs time alone.

A condition may be evaluated where a guard before it fails, so it must be safe anywhere: its indices are parameters and constants,
and it neither divides nor shifts by more than a word has bits. What it says there does not matter: the instance is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...model.language import typed_tree as tree
from ...model.language.loops import indented, nested
from ...model.language.program import Program
from .arrays import WORD_BITS

Meanings = Mapping[str, tree.Expression | None]
"""What names stand for, in terms of the state and of the action's parameters; None: not known."""

ARITHMETIC = ("+", "-", "&", "|", "^", "<<", ">>")

STATE = "s"


def conditions(whole: Program, name: str, parameters: list[str]) -> list[str]:
    """Conditions on the state `s` and on the parameters, by these names, that hold wherever the action is enabled, as text."""
    arguments = [tree.Name(parameter) for parameter in (STATE, *parameters)]
    return list(dict.fromkeys(map(tree.as_python, Reader(whole, parameters).enabled(name, arguments))))


class Reader:
    """Reads conditions from functions, up to their first write. `parameters`: the names that may be indices."""

    def __init__(self, whole: Program, parameters: list[str]) -> None:
        self.whole, self.parameters = whole, set(parameters)

    def enabled(self, name: str, arguments: Sequence[tree.Expression]) -> Iterator[tree.Expression]:
        """The conditions that hold where the function does not return False."""
        function = self.whole.function(name)
        means: dict[str, tree.Expression | None] = dict(zip(function.parameters, arguments, strict=True))
        for statement in function.body:
            writes = self.writes(statement)
            match statement:
                case tree.Do() if not writes:
                    continue
                case tree.Assign(target=tree.Name(name=target), value=value) if not writes:
                    means[target] = self.inlined(value, means) if target not in means else None
                case tree.If(test=test) if tree.is_guard(statement, False):
                    yield from self.held(test, means, False)
                    if writes:
                        return
                case tree.Return(value=tree.Expression() as value):
                    yield from self.held(value, means, True)
                    return
                case _:
                    return

    def writes(self, node: tree.Node) -> bool:
        """Whether something is called there that writes: what is read behind it is not the state before the action."""
        return any(claim.function in self.whole.writers for claim in tree.having(tree.Call, node))

    def held(self, test: tree.Expression, means: Meanings, answer: bool) -> Iterator[tree.Expression]:
        """The conditions that hold where the test comes out as `answer`; each can be evaluated anywhere, without a branch."""
        if isinstance(test, tree.Joined) and test.is_and == answer:
            for part in test.parts:
                yield from self.held(part, means, answer)
                if self.writes(part):
                    return
        elif isinstance(test, tree.Not):
            yield from self.held(test.operand, means, not answer)
        elif not isinstance(test, tree.Number):
            plain = self.inlined(test, means)
            whole = self.truth(plain) if plain is not None else None
            if whole is not None:
                yield whole if answer else negated(whole)
            elif answer and isinstance(test, tree.Call) and not any(map(self.writes, test.arguments)):
                if test.function in self.whole.functions:
                    yield from self.enabled(test.function, [self.inlined(a, means) or UNKNOWN for a in test.arguments])

    def inlined(self, node: tree.Expression, means: Meanings) -> tree.Expression | None:
        """The expression in terms of the state and the parameters, with its calls expanded; None where that is impossible."""
        if isinstance(node, tree.Name):
            return means.get(node.name)
        if isinstance(node, tree.Call):
            return self.written_out(node, means)
        return tree.with_parts(node, lambda part: self.inlined(part, means))

    def written_out(self, call: tree.Call, means: Meanings) -> tree.Expression | None:
        """The value of a call, if its function is an expression after assignments, and nothing is written."""
        if call.function not in self.whole.functions or self.writes(call):
            return None
        function = self.whole.function(call.function)
        own = {name: self.inlined(parameter, means) for name, parameter in zip(function.parameters, call.arguments, strict=True)}
        for statement in function.body:
            match statement:
                case tree.Do():
                    continue
                case tree.Assign(target=tree.Name(name=target), value=value):
                    own[target] = self.inlined(value, own) if target not in own else None
                case tree.Return(value=tree.Expression() as value):
                    return self.inlined(value, own)
                case _:
                    return None
        return None

    # What is safe to evaluate anywhere.

    def truth(self, node: tree.Expression) -> tree.Expression | None:
        """An expression's truth, with `&` and `|` for `and` and `or`; None unless it is safe."""
        if isinstance(node, tree.Joined):
            joined, *others = map(self.truth, node.parts)
            for part in others:
                joined = None if joined is None or part is None else tree.Operation(joined, "&" if node.is_and else "|", part)
            return joined
        if isinstance(node, tree.Not):
            inner = self.truth(node.operand)
            return negated(inner) if inner is not None else None
        if isinstance(node, tree.Compared) and len(node.signs) == 1:
            return tree.with_parts(node, self.number)
        value = self.number(node)
        return tree.Compared((value, tree.Number(0)), ("!=",)) if value is not None else None

    def number(self, node: tree.Expression) -> tree.Expression | None:
        """An expression's value; None unless it is safe."""
        if isinstance(node, (tree.Field, tree.Element)):
            return node if self.is_safe_place(node) else None
        is_plain = isinstance(node, (tree.Number, tree.Unary)) or self.is_parameter(node)
        if not is_plain and not (isinstance(node, tree.Operation) and node.sign in ARITHMETIC):
            return None
        safe = tree.with_parts(node, self.number)
        if isinstance(safe, tree.Operation) and not isinstance(safe.right, tree.Number):
            if safe.sign == "<<":
                return replace(safe, right=tree.Operation(safe.right, "&", tree.Number(WORD_BITS - 1)))
            if safe.sign == ">>":
                return replace(safe, right=tree.Call("min", (safe.right, tree.Number(WORD_BITS - 1))))
        return safe

    def is_parameter(self, node: tree.Expression) -> bool:
        """Whether this is a parameter of the action."""
        return isinstance(node, tree.Name) and node.name in self.parameters

    def is_safe_place(self, node: tree.Expression) -> bool:
        """Whether a variable of the state has only parameters and constants as indices."""
        while isinstance(node, (tree.Field, tree.Element)):
            if isinstance(node, tree.Element) and not (isinstance(node.index, tree.Number) or self.is_parameter(node.index)):
                return False
            node = node.owner
        return isinstance(node, tree.Name) and node.name == STATE


UNKNOWN = tree.Name("")
"""Stands for an unknown value: no condition with it is safe."""

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated(test: tree.Expression) -> tree.Expression:
    """The opposite of a test that is a comparison, or several between `&` and `|`."""
    if isinstance(test, tree.Compared):
        return replace(test, signs=(OPPOSITE[test.signs[0]],))
    assert isinstance(test, tree.Operation)
    return tree.Operation(negated(test.left), "|" if test.sign == "&" else "&", negated(test.right))


def candidates_text(name: str, tests: list[str], sizes: list[int], outer: int) -> str:
    """The function that returns the mask: its arguments are the first `outer` parameters; all values of the others have a bit."""
    inner, place = [(f"p{number}", size) for number, size in enumerate(sizes)][outer:], "0"
    for parameter, size in inner:
        place = f"({place}) * {size} + {parameter}"
    possible = " & ".join(f"({test})" for test in tests)
    body = nested(inner, [f"found |= np.uint64({possible}) << np.uint64({place})"])
    head = f"def {name}({', '.join([STATE, *(f'p{i}' for i in range(outer))])}):"
    return "\n".join([head, "    found = np.uint64(0)", *indented(body), "    return found"])
