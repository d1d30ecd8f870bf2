"""The published model for Spin: Promela around C, written from the same syntax trees, to measure both in one run.

The state is one C structure, each instance of an action one transition (`d_step`), and the invariants are asked after each
transition, since Spin has no place for what is asked of new states only. Guards are evaluated on a copy of the state.
"""

import ast
import os
import re
import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.layout import Layout
from ...model.language.program import Program
from ...properties.property import Property
from ..compiling.checks import Checked, name_of_check, quantified_text
from ..compiling.generate import functions_of, only_needed, specialised, switched_on
from .measure_local import REVISION, explore, ready

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
UNARY = {ast.Not: "!", ast.Invert: "~", ast.USub: "-"}
OPTIONS = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=12000")
"""Spin's own reduction finds nothing in one process, so it is left out; memory in MB."""

PREFIX = "model_"
"""Begins the name of each function in C, so that none has the name of a library's."""

NOT_INSTALLED = "{} is not installed, so there is nothing to measure against: install Spin (spinroot.com) and a C compiler"


@dataclass
class Measured:
    """Spin's counts, without the state before the first, and its CPU seconds; the initial state counts as a transition."""

    states: int
    transitions: int
    cpu: float


def refuse_without_spin() -> None:
    """UsageError where Spin, or what compiles its output, is missing."""
    for name in ("spin", "gcc"):
        if shutil.which(name) is None:
            raise UsageError(NOT_INSTALLED.format(name))


def explore_with_spin(model: Model, config: Any, properties: list[Property]) -> Measured:
    """Everything reachable, by Spin's depth-first search over whole states."""
    refuse_without_spin()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.pml").write_text(promela(model, config, properties))
        for command in (["spin", "-a", "model.pml"], ["gcc", *OPTIONS, "-o", "pan", "pan.c"]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise UsageError(f"{command[0]} fails on the model that is written for it: {(done.stderr or done.stdout)[:300]}")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run(
            [os.path.join(folder, "pan"), "-E", "-m1000000", "-w24"], cwd=folder, capture_output=True, text=True, check=False
        ).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counted = [re.search(rf"^\s*(\d+) {what}", said, re.MULTILINE) for what in ("states, stored", "transitions")]
    if "Search not completed" in said or "max search depth too small" in said or None in counted:
        raise UsageError(f"Spin did not finish: {said[:300]}")
    states, transitions = (int(one.group(1)) for one in counted if one is not None)
    return Measured(states - 1, transitions - 1, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure_against_spin(model: Model, settings: dict[str, Any], properties: list[Property], repeat: int) -> dict[str, Any]:
    """One thread and Spin alternately, on one configuration: each side's least CPU time."""
    refuse_without_spin()
    compiled, applicable = ready(model, settings, properties)
    ours, theirs = [], []
    for _ in range(repeat):
        ours.append(explore(compiled, applicable, 1))
        theirs.append(explore_with_spin(model, compiled.config, applicable))
    own, other = min(ours, key=lambda one: one.cpu), min(theirs, key=lambda one: one.cpu)
    if (own.states, own.transitions) != (other.states, other.transitions):
        raise UsageError(
            f"Spin finds {other.states:,} states and {other.transitions:,} transitions, Highwater {own.states:,} and"
            f" {own.transitions:,}: one of them is wrong"
        )
    return {
        "model": model.name,
        "revision": REVISION,
        "settings": settings,
        "properties": len(applicable),
        "distinct_states": own.states,
        "transitions": own.transitions,
        "spin_cpu_seconds": round(other.cpu, 2),
        "highwater_cpu_seconds": round(own.cpu, 2),
        "times_spin": round(other.cpu / own.cpu, 2),
    }


def promela(model: Model, config: Any, properties: list[Property]) -> str:
    """The model under one configuration, and the properties that always hold, as Promela."""
    functions = functions_of(model, Checked.of(properties))
    on = switched_on(model, config, functions)
    whole = only_needed(specialised(model, config, functions), model, functions)
    layout = Layout(model, "exact", config)
    c = InC(whole, layout)
    asked = []
    for one in properties:
        if one.dimensions:
            text = ast.parse(quantified_text(one, whole, config)).body[0]
            assert isinstance(text, ast.FunctionDef)
            c.add(text)
        asked.append(f"{PREFIX}{name_of_check(one, whole)}(s)")
    steps = []
    for action, exists in zip(model.actions, on, strict=True):
        name = whole.name_of(action.function)
        for arguments in action.instances(config) if exists else ():
            given = ", ".join(["&now.st", *map(str, arguments)])
            step = f"c_code {{ {PREFIX}{name}({given}); ask(&now.st); }}"
            steps.append(f"  :: d_step {{ c_expr {{ can_{name} ({given}) }} -> {step} }}")
        if exists:
            c.add_guard(name)
    row = np.zeros(layout.words, np.uint64)
    layout.write(model.initial_states(config)[0], row)
    cells = ", ".join(map(str, row.view(layout.cell)[: c.cells].tolist()))
    return f"""c_decl {{
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
{c.structure}
{c.text}
static const {c.cell} first[] = {{ {cells} }};
static long broken;
static void ask(struct Held *s) {{ if (!({" && ".join(asked) or "1"})) broken++; }}
}}
c_state "struct Held st" "Global"
active proctype next() {{
  d_step {{ c_code {{ memcpy(&now.st, first, sizeof(first)); }} }}
  do
{chr(10).join(steps)}
  od
}}
"""


class InC:
    """Functions of a program as C. `structure`: the state's declaration; `text`: the functions so far; `cells`: in a state."""

    def __init__(self, whole: Program, layout: Layout) -> None:
        self.cell = "signed char" if layout.cell.itemsize == 1 else "short"
        names = layout.dtype.names or ()
        self.state = np.dtype([(name, layout.dtype[name]) for name in layout.model.state.fields if name in names])
        self.cells = self.state.itemsize // layout.cell.itemsize
        self.structure = f"struct Held {{ {self.members(self.state)} }};"
        self.constants, self.text = whole.constants, ""
        self.alias: dict[str, ast.expr] = {}
        for tree in whole.functions.values():
            self.add(tree)

    def members(self, record: np.dtype[Any]) -> str:
        """The members of a record."""
        out = []
        for name in record.names or ():
            base, shape = record[name].subdtype or (record[name], ())
            kind = f"struct {{ {self.members(base)} }}" if base.names else self.cell
            out.append(f"{kind} {name}{''.join(f'[{size}]' for size in shape)};")
        return " ".join(out)

    def add_guard(self, name: str) -> None:
        """`can_...`: whether an action is enabled, tried on a copy."""
        head = re.search(rf"^static int {PREFIX}{name}\((.*)\) \{{$", self.text, re.MULTILINE)
        assert head is not None
        names = ", ".join(one.split()[-1].lstrip("*") for one in head.group(1).split(",")[1:])
        given = f", {names}" if names else ""
        body = f"struct Held copy = *s;\nreturn {PREFIX}{name}(&copy{given});"
        self.text += f"static int can_{name}({head.group(1)}) {{\n{body}\n}}\n"

    def add(self, tree: ast.FunctionDef) -> None:
        """A function: beside the state `s`, its parameters and variables are numbers, or stand for a part of the state."""
        self.alias = {}
        parameters = ["struct Held *s" if a.arg == "s" else f"int {a.arg}" for a in tree.args.args]
        body = "\n".join(self.statement(one) for one in tree.body)
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - set(self.alias)
        variables = "".join(f"int {name};\n" for name in sorted(stored))
        self.text += f"static int {PREFIX}{tree.name}({', '.join(parameters)}) {{\n{variables}{body}\nreturn 0;\n}}\n"

    def statement(self, node: ast.stmt) -> str:
        """One statement."""
        if isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return ";"
        if isinstance(node, ast.Continue):
            return "continue;"
        if isinstance(node, ast.Expr):
            return f"{self.expression(node.value)};"
        if isinstance(node, ast.Return):
            return f"return {self.expression(node.value) if node.value else 0};"
        if isinstance(node, ast.If):
            other = f" else {{ {self.block(node.orelse)} }}" if node.orelse else ""
            return f"if ({self.expression(node.test)}) {{ {self.block(node.body)} }}{other}"
        if isinstance(node, ast.For):
            assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
            low, high = ["0", *map(self.expression, node.iter.args)][-2:]
            name = node.target.id
            return f"for ({name} = {low}; {name} < {high}; {name}++) {{ {self.block(node.body)} }}"
        if isinstance(node, ast.AugAssign):
            return f"{self.expression(node.target)} {BINARY[type(node.op)]}= {self.expression(node.value)};"
        assert isinstance(node, ast.Assign)
        if isinstance(node.targets[0], ast.Name) and self.is_record(node.value):
            self.alias[node.targets[0].id] = node.value
            return ";"
        return f"{self.expression(node.targets[0])} = {self.expression(node.value)};"

    def block(self, body: list[ast.stmt]) -> str:
        """Several statements."""
        return "\n".join(map(self.statement, body))

    def expression(self, node: ast.expr) -> str:
        """An expression."""
        if isinstance(node, ast.Constant):
            return str(int(node.value))  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            known = self.alias.get(node.id)
            return self.expression(known) if known is not None else str(self.constants.get(node.id, node.id))
        if isinstance(node, ast.Attribute):
            return f"{'s->' if self.is_state(node.value) else self.expression(node.value) + '.'}{node.attr}"
        if isinstance(node, ast.Subscript):
            return f"{self.expression(node.value)}[{self.expression(node.slice)}]"
        if isinstance(node, ast.BoolOp):
            return "(" + (" && " if isinstance(node.op, ast.And) else " || ").join(map(self.expression, node.values)) + ")"
        if isinstance(node, ast.UnaryOp):
            return f"{UNARY[type(node.op)]}({self.expression(node.operand)})"
        if isinstance(node, ast.Compare):
            sides = list(map(self.expression, (node.left, *node.comparators)))
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            return "(" + " && ".join(f"{one} {BINARY[type(op)]} {other}" for one, op, other in pairs) + ")"
        if isinstance(node, ast.BinOp):
            return f"({self.expression(node.left)} {BINARY[type(node.op)]} {self.expression(node.right)})"
        if isinstance(node, ast.IfExp):
            return f"({self.expression(node.test)} ? {self.expression(node.body)} : {self.expression(node.orelse)})"
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        name = node.func.id if node.func.id in ("min", "max") else PREFIX + node.func.id
        return f"{name}({', '.join(map(self.expression, node.args))})"

    def is_state(self, node: ast.expr) -> bool:
        """Whether this is the state itself."""
        return isinstance(node, ast.Name) and node.id == "s"

    def is_record(self, node: ast.expr) -> bool:
        """Whether an expression is a part of the state that has parts."""
        return self.type_of(node) is not None and self.type_of(node).names is not None  # type: ignore[union-attr]

    def type_of(self, node: ast.expr) -> np.dtype[Any] | None:
        """The type of a part of the state; None for what is a number by itself."""
        if isinstance(node, ast.Name):
            return self.state if node.id == "s" else self.type_of(self.alias[node.id]) if node.id in self.alias else None
        if isinstance(node, ast.Attribute):
            inner = self.type_of(node.value)
            return inner[node.attr] if inner is not None else None
        if isinstance(node, ast.Subscript):
            inner = self.type_of(node.value)
            return inner.subdtype[0] if inner is not None and inner.subdtype else None
        return None
