"""Mutants of a model, from its typed trees: each breaks one rule, and all are one program.

A site is a guard, a condition that a predicate returns, a `+ 1`, a `min` or `max`, or a call for its effects. Every site
gets a number, and the program a setting that says which one is broken; so all mutants are compiled
once. The mutated program is written to a separate file and loaded as a model like any other.
"""

import hashlib
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import short
from ...model.language.kinds import Integer, Kind
from ...model.language.loops import indented, loops
from ...model.language.machine_code.loader import module_of
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.program import Program, program
from ...model.language.settings import Settings, size
from ...model.language.steps import Rule, never
from ...properties.property import Property, step
from ..compiling.ranges import outside

PAGE = 100
"""Mutants per value of the setting `mutant_page`: a setting of the small layout is a number below 128."""

GUARD, CONSTANT, ORDER, EFFECT = "guard", "constant", "least or greatest", "effect"


@dataclass(frozen=True)
class Mutant:
    """One broken rule: where it stands, what it was, and its number; the first is 1. `comment` stands behind it in the source."""

    number: int
    kind: str
    function: str
    place: str
    text: str
    comment: str

    @property
    def settings(self) -> dict[str, int]:
        """The settings that choose it."""
        return {"mutant_page": (self.number - 1) // PAGE, "mutant": (self.number - 1) % PAGE + 1}

    @property
    def label(self) -> str:
        """`expand_isr: not contains(...)`."""
        return f"{self.function}: {self.text}"

    @property
    def name(self) -> str:
        """`isr.expand_isr: not contains(...)`."""
        return f"{Path(self.place.rpartition(':')[0]).stem}.{self.label}"


def explanation(mutant: Mutant) -> str:
    """What the comment says of the mutant: the sentences from "Without it" on."""
    _, found, after = mutant.comment.partition("Without it")
    return found + after


class Breaker:
    """Puts a switch at each site of one function. A subclass can have more sites: within values, and within conditions."""

    def __init__(self, name: str, file: str, is_action: bool, is_predicate: bool, mutants: list[Mutant]) -> None:
        self.name, self.mutants, self.comments = name, mutants, comments_of(file)
        self.place = short(file)
        self.guards = is_action or is_predicate
        self.predicate, self.effects = is_predicate, not is_predicate

    @staticmethod
    def conditions(whole: Program, actions: Iterable[str]) -> Iterator[tree.Expression]:
        """The conditions that make what they call a predicate: the guards of actions."""
        choices = tree.having(tree.If, *(whole.functions[name] for name in actions))
        return (node.test for node in choices if tree.is_guard(node, False))

    def note(self, kind: str, node: tree.Node, text: str) -> tuple[tree.Expression, tree.Expression]:
        """Number a site; returns two tests: its mutant is chosen, and it is not."""
        comment = " ".join(self.comments[line] for line in lines_of(node) if line in self.comments)
        mutant = Mutant(len(self.mutants) + 1, kind, self.name, f"{self.place}:{node.line}", text, comment)
        self.mutants.append(mutant)
        chosen = tree.Joined(True, tuple(is_set(name, mutant.settings[name]) for name in ("mutant", "mutant_page")))
        return chosen, tree.Not(chosen)

    def visit(self, node: Any) -> Any:
        """A statement or an expression with the switches in it."""
        return getattr(self, f"visit_{type(node).__name__}", self.below)(node)

    def below(self, node: Any) -> Any:
        """The node with the switches below it."""
        return tree.with_parts(node, self.visit)

    def condition(self, test: tree.Expression) -> tree.Expression:
        """A condition with the switches in it."""
        return self.inside(test)

    def inside(self, value: tree.Expression) -> tree.Expression:
        """A value with the switches in it."""
        return value

    def visit_If(self, node: tree.If) -> tree.Statement:
        if getattr(node.source, "of_constraint", False):
            return node
        if self.guards and tree.is_guard(node, False):
            _, not_chosen = self.note(GUARD, node, node.test.text)
            return replace(node, test=tree.Joined(True, (not_chosen, self.condition(node.test))))
        return replace(node, body=tuple(map(self.visit, node.body)), otherwise=tuple(map(self.visit, node.otherwise)))

    def visit_Return(self, node: tree.Return) -> tree.Statement:
        value = node.value
        if not self.predicate or value is None or is_written_number(value):
            return node
        kept: list[tree.Expression] = []
        for part in value.parts if isinstance(value, tree.Joined) and value.is_and else [value]:
            chosen, _ = self.note(GUARD, part, f"not ({part.text})")
            kept.append(tree.Joined(False, (chosen, self.inside(part))))
        return replace(node, value=kept[0] if len(kept) == 1 else tree.Joined(True, tuple(kept)))

    def visit_Assign(self, node: tree.Assign) -> tree.Statement:
        return replace(node, value=self.condition(self.value(node.value) if self.effects else node.value))

    def visit_Update(self, node: tree.Update) -> tree.Statement:
        return self.unless(CONSTANT, node) if self.effects and node.value.text == "1" else node

    def visit_Do(self, node: tree.Do) -> tree.Statement:
        if not self.effects or not isinstance(node.value, tree.Call):
            return node
        switched = self.unless(EFFECT, node)
        arguments = tuple(self.inside(self.value(argument)) for argument in node.value.arguments)
        return replace(switched, body=(replace(node, value=replace(node.value, arguments=arguments)),))

    def unless(self, kind: str, node: tree.Statement) -> tree.If:
        """The statement, which its mutant leaves out."""
        _, not_chosen = self.note(kind, node, node.text)
        return tree.If(not_chosen, (node,))

    def value(self, value: tree.Expression) -> tree.Expression:
        """A value that is assigned or passed on, where it is one more, or the least or the greatest of two."""
        match value:
            case tree.Operation(left=left, sign="+", right=right) if right.text == "1":
                return tree.Choice(self.note(CONSTANT, value, value.text)[0], left, value)
            case tree.Call(function="min" | "max" as name):
                other = replace(value, function="max" if name == "min" else "min")
                return tree.Choice(self.note(ORDER, value, value.text)[0], other, value)
        return value


def lines_of(node: tree.Node) -> range:
    """The lines of a statement or expression in its file, from its first to its last."""
    return range(node.line, (getattr(node.source, "end_lineno", None) or node.line) + 1)


@cache
def comments_of(file: str) -> dict[int, str]:
    """The comments of a file by their lines."""
    with tokenize.open(file) as source:
        tokens = list(tokenize.generate_tokens(source.readline))
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


def is_set(name: str, value: int) -> tree.Compared:
    """`s.config.name == value`."""
    return tree.Compared((tree.Field(tree.Field(tree.Name("s"), "config"), name), tree.Number(value)), ("==",))


def is_written_number(node: tree.Expression) -> bool:
    """Whether an expression is a number, True or False in the file, too."""
    return isinstance(node, tree.Number) and node.text in (str(node.value), "True", "False")


def break_all(model: Model, breaker: type[Breaker] = Breaker) -> tuple[Program, list[Mutant], list[str]]:
    """The program with a switch at every site, the mutants, and the functions that cannot be switched.

    Functions without the state as a parameter cannot read which mutant is chosen.
    """
    steps = [a.function for a in model.actions]
    whole = program([*steps, *([model.normal_form] if model.normal_form else [])], settings=model.config)
    kept = set(whole.called_by([whole.name_of(model.normal_form)])) if model.normal_form else set()
    constraint = {whole.name_of(model.constraint)} if model.constraint else set()
    rules = [step.under(model.config) if isinstance(step, Rule) else [step] for step in steps]
    actions = {whole.name_of(version) for versions in rules for version in versions if version is not never}
    asked = [call.function for call in tree.having(tree.Call, *breaker.conditions(whole, actions))]
    predicates = {name for name in whole.called_by(asked) if name not in actions and answers_a_question(whole.functions[name])}
    mutants: list[Mutant] = []
    left_out = []
    for name in whole.functions:
        if whole.files[name].startswith("rule ") or name in (kept - actions - predicates) | constraint:
            continue
        if whole.functions[name].parameters[:1] != ("s",):
            left_out.append(name)
            continue
        switching = breaker(name, whole.files[name], name in actions, name in predicates, mutants)
        whole.functions[name] = switching.below(whole.functions[name])
    return whole, mutants, left_out


def answers_a_question(function: tree.Function) -> bool:
    """It answers yes or no: some return is False, or compares, or is an `and` or `or`; and it writes nothing to the state."""
    if tree.written(function):
        return False
    values = [node.value for node in tree.having(tree.Return, function)]
    truths = [v.value for v in values if isinstance(v, tree.Number) and isinstance(v.value, bool)]
    return bool(truths) or any(isinstance(value, (tree.Compared, tree.Joined)) for value in values)


def mutated(model: Model) -> tuple[Model, list[Mutant], Property, list[str]]:
    """The model with all its mutants, the mutants, the property that values stay in range, and what is left out."""
    whole, mutants, left_out = break_all(model)
    text = f"{whole.text()}\n\n{ranges_text(model)}\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    module = module_of(f"highwater_mutants_{model.name}_{digest}", text)  # with a file, so that functions have a source
    for name, original in whole.originals.items():
        if hasattr(original, "of_container"):  # which may write to the places of one
            getattr(module, name).of_container = True
    space: dict[str, Any] = {**model.config.settings, **model.config.computed, "check": model.config.check}
    space["mutant"] = size(0, 0, PAGE, "the mutant that is chosen, on its page; 0: none")
    space["mutant_page"] = size(0, 0, 99, "the page")
    config = type(model.config.__name__, (Settings,), space)
    actions = tuple(replace(a, function=getattr(module, whole.name_of(a.function)), cost=None) for a in model.actions)
    normal_form: Callable[..., Any] | None = model.normal_form and getattr(module, whole.name_of(model.normal_form))
    twin = replace(model, name=f"{model.name}-mutants", config=config, actions=actions, normal_form=normal_form, constraint=None)
    return twin, mutants, step(module.keeps_ranges, since=None), left_out


def ranges_text(model: Model) -> str:
    """`keeps_ranges(s, t)`: every variable of `t` has a value that its declaration allows."""
    lines = loops(model.state, ["t"], range_lines, lambda dimension: f"s.config.{dimension}", lambda _, x: [x])
    return "\n".join(["def keeps_ranges(s, t):", *indented(lines), "    return True"])


def range_lines(kind: Kind, path: str) -> list[str]:
    """The checks of the variable at `path`."""
    if isinstance(kind, Integer) and isinstance(kind.high, int) and kind.high > 127:
        return []  # beyond what a cell of the small layout holds
    return [f"if {outside(kind, path, None)}:", "    return False"]
