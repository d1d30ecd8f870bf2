"""Mutants of a model, from its syntax trees: each breaks one rule, and all are one program.

A site is a guard, a condition that a predicate returns, a `+ 1`, a `min` or `max`, or a call for its effects. Every site
gets a number, and the program a setting that says which one is broken; so all mutants are compiled
once. The mutated program is written to a separate file and loaded as a model like any other.
"""

import ast
import hashlib
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ...model.language.actions import Model, Rule, never
from ...model.language.choices import as_written
from ...model.language.errors import short
from ...model.language.kinds import Integer, Kind
from ...model.language.loops import indented, loops
from ...model.language.machine_code.loader import module_of
from ...model.language.reading.program import Program, program
from ...model.language.reading.trees import is_guard
from ...model.language.settings import Settings, size
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


class Breaker(ast.NodeTransformer):
    """Puts a switch at each site of one function. A subclass can have more sites: within values, and within conditions."""

    def __init__(self, name: str, file: str, is_action: bool, is_predicate: bool, mutants: list[Mutant]) -> None:
        self.name, self.mutants, self.comments = name, mutants, comments_of(file)
        self.place = short(file)
        self.guards = is_action or is_predicate
        self.predicate, self.effects = is_predicate, not is_predicate

    @staticmethod
    def conditions(whole: Program, actions: Iterable[str]) -> Iterator[ast.expr]:
        """The conditions that make what they call a predicate: the guards of actions."""
        nodes = [node for name in actions for node in ast.walk(whole.functions[name])]
        return (node.test for node in nodes if isinstance(node, ast.If) and is_guard(node, False))

    def note(self, kind: str, node: Any, text: str) -> tuple[ast.expr, ast.expr]:
        """Number a site; returns two tests: its mutant is chosen, and it is not."""
        comment = " ".join(self.comments[line] for line in range(node.lineno, node.end_lineno + 1) if line in self.comments)
        mutant = Mutant(len(self.mutants) + 1, kind, self.name, f"{self.place}:{node.lineno}", text, comment)
        self.mutants.append(mutant)
        page, number = mutant.settings["mutant_page"], mutant.settings["mutant"]
        chosen = f"s.config.mutant == {number} and s.config.mutant_page == {page}"
        return ast.parse(chosen, mode="eval").body, ast.parse(f"not ({chosen})", mode="eval").body

    def condition(self, test: ast.expr) -> Any:
        """A condition with the switches in it."""
        return self.inside(test)

    def inside(self, value: ast.expr) -> Any:
        """A value with the switches in it."""
        return value

    def visit_If(self, node: ast.If) -> Any:
        if getattr(node, "of_constraint", False):
            return node
        if self.guards and is_guard(node, False):
            _, not_chosen = self.note(GUARD, node, ast.unparse(as_written(node.test)))
            node.test = ast.BoolOp(ast.And(), [not_chosen, self.condition(node.test)])
            return node
        node.body = [self.visit(statement) for statement in node.body]
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        if self.predicate and node.value is not None and not isinstance(node.value, ast.Constant):
            both = isinstance(node.value, ast.BoolOp) and isinstance(node.value.op, ast.And)
            parts = node.value.values if both else [node.value]  # type: ignore[attr-defined]
            kept = []
            for part in parts:
                chosen, _ = self.note(GUARD, part, f"not ({ast.unparse(as_written(part))})")
                kept.append(ast.BoolOp(ast.Or(), [chosen, self.inside(part)]))
            node.value = kept[0] if len(kept) == 1 else ast.BoolOp(ast.And(), list(kept))
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        if self.effects:
            node.value = self.value(node.value)
        node.value = self.condition(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if self.effects and isinstance(node.value, ast.Constant) and node.value.value == 1:
            _, not_chosen = self.note(CONSTANT, node, ast.unparse(as_written(node)))
            return ast.If(not_chosen, [node], [])
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        if self.effects and isinstance(node.value, ast.Call):
            _, not_chosen = self.note(EFFECT, node, ast.unparse(as_written(node)))
            node.value.args = [self.inside(self.value(argument)) for argument in node.value.args]
            return ast.If(not_chosen, [node], [])
        return node

    def value(self, value: ast.expr) -> ast.expr:
        """A value that is assigned or passed on, where it is one more, or the least or the greatest of two."""
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and is_one(value.right):
            chosen, _ = self.note(CONSTANT, value, ast.unparse(as_written(value)))
            return ast.IfExp(chosen, value.left, value)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("min", "max"):
            chosen, _ = self.note(ORDER, value, ast.unparse(as_written(value)))
            other = ast.Name("max" if value.func.id == "min" else "min", ast.Load())
            return ast.IfExp(chosen, ast.Call(other, value.args, []), value)
        return value


@cache
def comments_of(file: str) -> dict[int, str]:
    """The comments of a file by their lines."""
    with tokenize.open(file) as source:
        tokens = list(tokenize.generate_tokens(source.readline))
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


def is_one(node: ast.expr) -> bool:
    """The constant 1."""
    return isinstance(node, ast.Constant) and node.value == 1


def break_all(model: Model, breaker: type[Breaker] = Breaker) -> tuple[Program, list[Mutant], list[str]]:
    """The program with a switch at every site, the mutants, and the functions that cannot be switched.

    Functions without the state as a parameter cannot read which mutant is chosen.
    """
    steps = [a.function for a in model.actions]
    whole = program([*steps, *([model.normal_form] if model.normal_form else [])], settings=model.config)
    kept = set(whole.called_by([whole.name_of(model.normal_form)])) if model.normal_form else set()
    constraint = {whole.name_of(model.constraint)} if model.constraint else set()
    actions = set(action_functions(model, whole))
    predicates = predicate_functions(whole, actions, breaker.conditions(whole, actions))
    mutants: list[Mutant] = []
    left_out = []
    for name, tree in whole.functions.items():
        if whole.files[name].startswith("rule ") or name in (kept - actions - predicates) | constraint:
            continue
        if not tree.args.args or tree.args.args[0].arg != "s":
            left_out.append(name)
            continue
        node = breaker(name, whole.files[name], name in actions, name in predicates, mutants)
        tree.body = [node.visit(statement) for statement in tree.body]
        ast.fix_missing_locations(tree)
    return whole, mutants, left_out


def action_functions(model: Model, whole: Program) -> Iterator[str]:
    """The functions that are actions, each version of a rule by itself."""
    for action in model.actions:
        versions = action.function.under(model.config) if isinstance(action.function, Rule) else [action.function]
        yield from (whole.name_of(version) for version in versions if version is not never)


def predicate_functions(whole: Program, actions: set[str], conditions: Iterable[ast.expr]) -> set[str]:
    """The functions that these conditions call, directly or indirectly, if they have no effects."""
    calls = [node for condition in conditions for node in ast.walk(condition) if isinstance(node, ast.Call)]
    asked = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    return {name for name in whole.called_by(asked) if name not in actions and answers_a_question(whole.functions[name])}


def answers_a_question(tree: ast.FunctionDef) -> bool:
    """It answers yes or no: some return is False, or compares, or is an `and` or `or`; and it writes nothing to the state."""
    if any(isinstance(t, (ast.Attribute, ast.Subscript)) and isinstance(t.ctx, ast.Store) for t in ast.walk(tree)):
        return False
    returns = [n.value for n in ast.walk(tree) if isinstance(n, ast.Return)]
    return any(
        isinstance(v, (ast.Compare, ast.BoolOp)) or (isinstance(v, ast.Constant) and isinstance(v.value, bool)) for v in returns
    )


def mutated(model: Model) -> tuple[Model, list[Mutant], Property, list[str]]:
    """The model with all its mutants, the mutants, the property that values stay in range, and what is left out."""
    whole, mutants, left_out = break_all(model)
    text = f"{whole.text()}\n\n{ranges_text(model)}\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    module = module_of(f"highwater_mutants_{model.name}_{digest}", lambda _: text)  # with a file, so that functions have a source
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
