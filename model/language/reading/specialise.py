"""A program for one configuration: settings become numbers, and what they rule out disappears.

Constants are folded, branches that cannot be taken are dropped, and a function that always answers the
same is replaced by its answer, so that an action whose budget is zero leaves nothing behind. Variables
that can hold one value only under the configuration (`spent.crashes` without crashes) are read as it.
"""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ..errors import UsageError
from ..kinds import NO_MEMBER, Kind, Member, State, declared, walk
from ..settings import Settings
from . import typed_tree as tree
from .arithmetic import HELPER_NAMES
from .plugin_checks import SUFFIX
from .program import BOUNDS, Program
from .trees import Visitor
from .typed_tree import BINARY, Field, Function, If, Loop, Name, Number, Return

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
    return folded(program, Folder(numbers, fixed_variables(state(config)), left))


def specialise_shared(program: Program, configs: Sequence[Settings], state: type[State]) -> Program:
    """The program for all these configurations: what is the same in all of them is decided, the rest stays to be read."""
    left = differing(configs)
    numbers = {name: value for name, value in configs[0].numbers() if name not in left}
    fixed = [fixed_variables(state(config)).items() for config in configs]
    return folded(program, Folder(numbers, dict(set(fixed[0]).intersection(*fixed)), left, shared=True))


def differing(configs: Sequence[Settings]) -> dict[str, list[int]]:
    """The settings and derived numbers in which configurations differ, each with its values."""
    values: dict[str, set[int]] = {}
    for config in configs:
        for name, value in config.numbers():
            values.setdefault(name, set()).add(value)
    return {name: sorted(found) for name, found in values.items() if len(found) > 1}


def folded(program: Program, folder: "Folder") -> Program:
    """All functions, folded one after the other; those for which the same is known as before are shared.

    What code that is not Highwater's own writes may, within an action, hold what its range does not allow: it is not `fixed`.
    """
    others = [function for name, function in program.functions.items() if name in program.plugin_code or SUFFIX in name]
    stored = {place.name for place in tree.written(*others) if isinstance(place, Field)}
    folder.fixed = {name: value for name, value in folder.fixed.items() if name not in stored}
    result = Program(files=program.files, names=program.names)
    checks = program.functions.keys() & HELPER_NAMES  # of a plugin's code: what is left out cannot fail
    folder.writers = program.writers | program.callers_of(checks)
    for name, function in program.functions.items():
        key = (name, *folder.decides(*program.mentions[name]))
        if key not in program.folded or program.folded[key][0] is not function:
            if len(program.folded) >= MAX_FOLDED:
                program.folded.clear()
            folder.read, folder.file = program.reads[name], program.files.get(name, "")
            program.folded[key] = function, folder.visit(function)
        result.functions[name] = program.folded[key][1]
        folder.learn(name, program.folded[key][1])
    return result


def decided(function: Function, settings: Mapping[str, int]) -> Function:
    """One function, folded for these settings alone."""
    folder = Folder(settings, {}, {})
    folder.writers, folder.read = tree.called(function), tree.read(function)  # what it calls is not known
    return folder.visit(function)


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


def refuses_always(functions: Mapping[str, Function], name: str) -> bool:
    """Whether a function answers False in every state: the settings alone rule out the action."""
    answers = [node.value for node in tree.having(Return, functions[name])]
    return all(isinstance(answer, Number) and not answer.value for answer in answers)


class Folder(Visitor):
    """Folds one function after the other, callees first; `answers` are the functions known to be constant.

    A test whose value is known goes, unless it calls one of the `writers`, which would then not write, or may fail. `read`: how
    often the function reads each name; `file`: where it stands. `shared`: a loop whose length is left has as many rounds as any
    configuration gives it, since code in lanes has no others, and does nothing in those beyond its length.
    """

    def __init__(
        self, settings: Mapping[str, int], fixed: Mapping[str, int], left: Mapping[str, Collection[int]], shared: bool = False
    ) -> None:
        self.settings, self.fixed, self.shared = settings, fixed, shared
        self.left = {name: tuple(values) for name, values in left.items()}
        self.answers: dict[str, Number] = {}
        self.writers: Container[str] = frozenset()
        self.read: Counter[str] = Counter()
        self.file = ""

    def learn(self, name: str, function: Function) -> None:
        """What a folded function answers, if it always answers the same."""
        match function.body:
            case [Return(value=Number() as answer)]:
                self.answers[name] = answer

    def decides(self, fields: Sequence[str], called: Sequence[str]) -> tuple[Any, ...]:
        """What is known of the fields that a function names, and of the functions that it calls: nothing else matters to it."""
        return (
            *map(self.settings.get, fields), *map(self.fixed.get, fields), *map(self.left.get, fields),
            *(repr(self.answers[name].value) if name in self.answers else "" for name in called),
        )  # fmt: skip

    def counts(self, *nodes: tree.Node) -> bool:
        """Whether to evaluate an expression is more than to have its value: it writes, or may fail."""
        for node in tree.nodes_in(*nodes):
            match node:
                case tree.Call(function=name) if name in self.writers:
                    return True
                case tree.Operation(sign="//" | "%", right=divisor) if not (isinstance(divisor, Number) and divisor.value):
                    return True
        return False

    def refuse(self, node: tree.Node, what: str) -> NoReturn:
        """UsageError for what this configuration makes of a function."""
        raise UsageError(f"{self.file}:{node.line}: {what} under these settings")

    # Statements, each of which becomes several, or none.

    def block(self, statements: Sequence[tree.Statement]) -> tuple[tree.Statement, ...]:
        """The folded statements, up to the first return."""
        out: list[tree.Statement] = []
        for statement in statements:
            folded = self.visit(statement)
            for item in folded if isinstance(folded, tuple) else (folded,):
                out.append(item)
                if isinstance(item, Return):
                    return tuple(out)
        return tuple(out)

    def below(self, node: Any) -> Any:
        """The node with what is below it folded; the same object where nothing is decided in it."""
        return tree.with_parts(node, self.visit)

    def visit_Function(self, node: Function) -> Function:
        return tree.changed(node, body=self.block(node.body))

    def visit_If(self, node: If) -> Any:
        test = self.truth(node.test)
        if isinstance(test, Number):
            return self.block(node.body if test.value else node.otherwise)
        node = tree.changed(node, test=test, body=self.block(node.body), otherwise=self.block(node.otherwise))
        return node if node.body or node.otherwise or self.counts(test) else ()

    def visit_Loop(self, node: Loop) -> Any:
        ends = tuple(self.visit(self.length(end)) for end in node.ends)
        if len(ends) > 2 and isinstance(ends[2], Number) and ends[2].value == 0:
            self.refuse(node, "a range whose step is 0")
        if all(isinstance(end, Number) for end in ends) and not range(*(end.value for end in ends)):
            return ()
        is_read = self.read[node.name] > tree.read(replace(node, ends=ends))[node.name]  # behind it: the last value
        node = tree.changed(node, ends=ends, body=self.block(node.body))
        if self.shared and not is_read and len(ends) == 1 and (values := self.values(ends[0])):
            rounds = tree.Compared((Name(node.name), ends[0]), ("<",))
            node = replace(node, ends=(Number(max(values)),), body=(If(rounds, node.body),))
        return node if node.body or is_read else ()

    def length(self, end: Any) -> Any:
        """The length of an array that a function from a plugin asks for, decided."""
        if isinstance(end, Field) and isinstance(end.owner, Name) and end.owner.name == BOUNDS and end.name in self.settings:
            return Number(self.settings[end.name])
        return tree.with_parts(end, self.length)

    def visit_Assign(self, node: tree.Assign | tree.Update) -> Any:
        return tree.changed(node, target=self.below(node.target), value=self.visit(node.value))

    visit_Update = visit_Assign  # noqa: N815  # the name of the kind of nodes

    def visit_Do(self, node: tree.Do) -> Any:
        node = self.below(node)
        return () if isinstance(node.value, Number) else node

    # Expressions.

    def truth(self, node: tree.Expression) -> Any:
        """An expression of which nothing counts but its truth, folded."""
        return self.joined(node, True) if isinstance(node, tree.Joined) else self.visit(node)

    def visit_Field(self, node: Field) -> Any:
        node = self.below(node)
        if tree.is_configuration(node.owner):
            return Number(self.settings[node.name]) if node.name in self.settings else node
        is_bound = isinstance(node.owner, Name) and node.owner.name == BOUNDS  # a setting, which a variable may be called like
        return Number(self.fixed[node.name]) if node.name in self.fixed and not is_bound else node

    def visit_Operation(self, node: tree.Operation) -> Any:
        node = self.below(node)
        if isinstance(node.left, Number) and isinstance(node.right, Number):
            try:
                value = BINARY[node.sign](node.left.value, node.right.value)
                if not -(1 << 63) <= value < 1 << 63:
                    self.refuse(node, "a number beyond 64 bits")
                return Number(value, source=node.source)
            except (ArithmeticError, ValueError):
                return node  # a division by zero, or a shift by a negative number: it fails where it runs, if it does
        return node

    def visit_Not(self, node: tree.Not) -> Any:
        node = tree.changed(node, operand=self.truth(node.operand))
        return Number(not node.operand.value) if isinstance(node.operand, Number) else node

    def visit_Unary(self, node: tree.Unary) -> Any:
        node = self.below(node)
        return Number(-node.operand.value) if isinstance(node.operand, Number) and node.sign == "-" else node

    def visit_Compared(self, node: tree.Compared) -> Any:
        node = self.below(node)
        if len(node.signs) == 1 and isinstance(node.sides[1], Number):
            right = node.sides[1].value
            answers = {BINARY[node.signs[0]](value, right) for value in self.values(node.sides[0])}
            if len(answers) == 1:
                return Number(answers.pop())
        return node

    def values(self, node: tree.Expression) -> Collection[Any]:
        """The values that an expression can have, where the settings alone say it; else none."""
        if isinstance(node, Number):
            return [node.value]
        return self.left.get(node.name, ()) if isinstance(node, Field) and tree.is_configuration(node.owner) else ()

    def visit_Joined(self, node: tree.Joined) -> Any:
        return self.joined(node, False)

    def joined(self, node: tree.Joined, tested: bool) -> Any:
        """What comes behind a part that decides is not evaluated; a part that decides nothing is left out.

        The value of `x or 3` is x or 3, not a truth: only where it is `tested`, or is nothing but a truth, x is left out too.
        """
        decisive = not node.is_and
        kept: list[tree.Expression] = []
        for number, part in enumerate(node.parts, 1):
            is_last = number == len(node.parts)
            folded = self.truth(part) if tested else self.visit(part)
            if not isinstance(folded, Number):
                kept.append(folded)
            elif bool(folded.value) == decisive:
                without = tested or not decisive or (folded.value == 1 and all(map(tree.is_truth, kept)))
                if without and not self.counts(*kept):
                    return Number(folded.value if decisive and not kept and folded.value != 1 else decisive)
                kept.append(folded)
                break
            elif is_last and not (tested or decisive or (folded.value == 1 and kept and tree.is_truth(kept[-1]))):
                kept.append(folded)
        if not kept:
            return Number(not decisive)
        return tree.changed(node, parts=tuple(kept)) if len(kept) > 1 else kept[0]

    def visit_Choice(self, node: tree.Choice) -> Any:
        test = self.truth(node.test)
        if isinstance(test, Number):
            return self.visit(node.yes if test.value else node.no)
        return tree.changed(node, test=test, yes=self.visit(node.yes), no=self.visit(node.no))

    def visit_Call(self, node: tree.Call) -> Any:
        node, name = self.below(node), node.function
        if name in self.answers and not self.counts(*node.arguments):
            return self.answers[name]
        if name in ("min", "max") and all(isinstance(argument, Number) for argument in node.arguments):
            return Number((min if name == "min" else max)(argument.value for argument in node.arguments))  # type: ignore[attr-defined]
        return node
