"""Which guards the lemmas already imply.

A guard is one reason for which an action refuses: an `if` of its body, not inside another, that returns False.
`if a or b: return False` is two. A guard is redundant when, in every state that satisfies the lemmas and
all the other guards, it would not refuse: taking it out would change nothing.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace

from ...model.language.reading.program import Program
from ...model.language.reading.typed_tree import Function, If, Joined, Statement, is_guard
from .interpreter import Interpreter
from .relation import Instance, Relation
from .solving import BROKEN, PROVED, Questions
from .terms import Truth, both, negation

NEEDED, REDUNDANT = "needed", "redundant"


@dataclass(frozen=True)
class Guard:
    """One guard of an action: where it is and its test, which refuses when it is true."""

    action: str
    line: int
    test: str


def split(function: Function) -> Function:
    """The function with one `if` for each operand of an `or` that refuses."""
    return replace(function, body=tuple(part for statement in function.body for part in _parts(statement)))


def _parts(node: Statement) -> list[Statement]:
    if is_guard(node, False) and isinstance(node, If) and isinstance(node.test, Joined) and not node.test.is_and:
        return [replace(node, test=test) for test in node.test.parts]
    return [node]


class _Collector(Interpreter):
    """Notes the test of each guard of the action that it reads."""

    def __init__(self, program: object) -> None:
        super().__init__(program)  # type: ignore[arg-type]
        self.tests: list[tuple[int, str, Truth]] = []

    def visit_If(self, node: If) -> bool:
        if len(self.frames) == 1 and not self.frame.conditions and is_guard(node, False):
            test = self.truth_at(node.test)
            self.tests.append((node.line, node.test.text, test))
            return test is True
        return super().visit_If(node)


def in_parts(relation: Relation, instance: Instance) -> tuple[str, Program]:
    """The name of an action's function, and the program in which each of its guards is one statement."""
    name = relation.program.name_of(instance.action.version(relation.config))
    program = copy(relation.program)
    program.functions = {**program.functions, name: split(relation.program.functions[name])}
    return name, program


def obligations_without(relation: Relation, instance: Instance, guard: Guard) -> Truth:
    """That every index of an action lies inside its array when it does not have this guard."""
    name, program = in_parts(relation, instance)
    function = program.functions[name]
    guards = {id(part): part.test.text for part in function.body if isinstance(part, If) and is_guard(part, False)}
    left = tuple(part for part in function.body if (part.line, guards.get(id(part))) != (guard.line, guard.test))
    program.functions[name] = replace(function, body=left)
    reader = Interpreter(program)
    reader.truth(name, relation.before.copy(), *instance.arguments)
    return both(obligation.holds for obligation in reader.obligations)


def guards_of(relation: Relation, instance: Instance) -> dict[Guard, Truth]:
    """The guards of an instance, and when each refuses."""
    name, program = in_parts(relation, instance)
    reader = _Collector(program)
    reader.truth(name, relation.before.copy(), *instance.arguments)
    return {Guard(instance.action.name, line, test): refuses for line, test, refuses in reader.tests}


def weigh(relation: Relation, instance: Instance, lemmas: dict[str, Truth], timeout: float) -> dict[Guard, str]:
    """For each guard of an instance, whether it is redundant beside the lemmas and the other guards.

    One without which an index may lie outside its array is not.
    """
    guards = guards_of(relation, instance)
    questions = Questions([relation.domain], lemmas, timeout)
    out = {}
    for guard, refuses in guards.items():
        others = [negation(other) for name, other in guards.items() if name != guard]
        answer = questions.possible(refuses, *others)
        if answer.verdict == PROVED:
            answer = questions.follows(obligations_without(relation, instance, guard))
        out[guard] = {PROVED: REDUNDANT, BROKEN: NEEDED}.get(answer.verdict, answer.verdict)
    return out


def merged(found: Iterable[dict[Guard, str]]) -> dict[Guard, str]:
    """A guard is redundant if it is for every instance of its action."""
    out: dict[Guard, str] = {}
    for answer in found:
        for guard, verdict in answer.items():
            out[guard] = verdict if out.get(guard, REDUNDANT) == REDUNDANT else out[guard]
    return out
