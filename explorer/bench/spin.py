"""The published model for Spin: Promela around C, written from the same syntax trees, to measure both in one run.

The state is one C structure, each instance of an action one transition (`d_step`), and the invariants are asked after each
transition, since Spin has no place for what is asked of new states only. Guards are evaluated on a copy of the state.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.machine_code.layout import Layout
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.program import Program
from ...model.language.reading.trees import function_in
from ...properties.property import Property
from ..compiling.checks import Checked, name_of_check, quantified_text
from ..compiling.generate import functions_of, only_needed, specialised, switched_on
from .beside import Measured, run_measured

OPTIONS = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=12000")
"""Spin's own reduction finds nothing in one process, so it is left out; memory in MB."""

PREFIX = "model_"
"""Begins the name of each function in C, so that none has the name of a library's."""

NOT_INSTALLED = "{} is not installed, so there is nothing to measure against: install Spin (spinroot.com) and a C compiler"


def validate_spin() -> None:
    """UsageError where Spin, or what compiles its output, is missing."""
    for name in ("spin", "gcc"):
        if shutil.which(name) is None:
            raise UsageError(NOT_INSTALLED.format(name))


def explore_with_spin(model: Model, config: Any, properties: list[Property]) -> Measured:
    """Everything reachable, by Spin's depth-first search over whole states."""
    validate_spin()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.pml").write_text(promela(model, config, properties))
        for command in (["spin", "-a", "model.pml"], ["gcc", *OPTIONS, "-o", "pan", "pan.c"]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise UsageError(f"{command[0]} fails on the model that is written for it: {(done.stderr or done.stdout)[:300]}")
        said, cpu = run_measured([os.path.join(folder, "pan"), "-E", "-m1000000", "-w24"], folder)
    counted = [re.search(rf"^\s*(\d+) {what}", said, re.MULTILINE) for what in ("states, stored", "transitions")]
    if "Search not completed" in said or "max search depth too small" in said or None in counted:
        raise UsageError(f"Spin did not finish: {said[:300]}")
    states, transitions = (int(count.group(1)) for count in counted if count is not None)
    return Measured(states - 1, transitions - 1, cpu)  # without the state before the first


def promela(model: Model, config: Any, properties: list[Property]) -> str:
    """The model under one configuration, and the properties that always hold, as Promela."""
    functions = functions_of(model, Checked.of(properties))
    on = switched_on(model, config, functions)
    whole = only_needed(specialised(model, config, functions), model, functions)
    layout = Layout(model, "exact", config)
    c = InC(whole, layout)
    asked = []
    for claim in properties:
        if claim.dimensions:
            c.add(tree.function_of(function_in(quantified_text(claim, whole, config)), whole.constants))
        asked.append(f"{PREFIX}{name_of_check(claim, whole)}(s)")
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
        self.text = ""
        self.alias: dict[str, tree.Expression] = {}
        for name in whole.functions:
            self.add(whole.function(name))

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
        names = ", ".join(part.split()[-1].lstrip("*") for part in head.group(1).split(",")[1:])
        given = f", {names}" if names else ""
        body = f"struct Held copy = *s;\nreturn {PREFIX}{name}(&copy{given});"
        self.text += f"static int can_{name}({head.group(1)}) {{\n{body}\n}}\n"

    def add(self, function: tree.Function) -> None:
        """A function: beside the state `s`, its parameters and variables are numbers, or stand for a part of the state."""
        self.alias = {}
        parameters = ["struct Held *s" if name == "s" else f"int {name}" for name in function.parameters]
        body = self.block(function.body)
        variables = "".join(f"int {name};\n" for name in sorted(tree.stored(function) - set(self.alias)))
        self.text += f"static int {PREFIX}{function.name}({', '.join(parameters)}) {{\n{variables}{body}\nreturn 0;\n}}\n"

    def block(self, body: Iterable[tree.Statement]) -> str:
        """Several statements."""
        return "\n".join(map(self.statement, body)) or ";"

    def statement(self, node: tree.Statement) -> str:
        """One statement."""
        match node:
            case tree.Do(value=value):
                return f"{self.expression(value)};"
            case tree.Return(value=value):
                return f"return {self.expression(value) if value else 0};"
            case tree.If(test=test, body=body, otherwise=otherwise):
                other = f" else {{ {self.block(otherwise)} }}" if otherwise else ""
                return f"if ({self.expression(test)}) {{ {self.block(body)} }}{other}"
            case tree.Loop(name=name, ends=ends, body=body):
                low, high = ["0", *map(self.expression, ends)][-2:]
                return f"for ({name} = {low}; {name} < {high}; {name}++) {{ {self.block(body)} }}"
            case tree.Update(target=target, sign=sign, value=value):
                return f"{self.expression(target)} {sign}= {self.expression(value)};"
            case tree.Assign(target=tree.Name(name=name), value=value) if self.is_record(value):
                self.alias[name] = value
                return ";"
            case tree.Assign(target=target, value=value):
                return f"{self.expression(target)} = {self.expression(value)};"
        assert node.construct == "Continue"
        return "continue;"

    def expression(self, node: tree.Expression) -> str:
        """An expression."""
        match node:
            case tree.Number(value=value):
                return str(int(value))
            case tree.Name(name=name):
                return self.expression(self.alias[name]) if name in self.alias else name
            case tree.Field(owner=tree.Name(name="s"), name=name):
                return f"s->{name}"
            case tree.Field(owner=owner, name=name):
                return f"{self.expression(owner)}.{name}"
            case tree.Element(owner=owner, index=index):
                return f"{self.expression(owner)}[{self.expression(index)}]"
            case tree.Joined(is_and=is_and, parts=parts):
                return "(" + (" && " if is_and else " || ").join(map(self.expression, parts)) + ")"
            case tree.Not(operand=operand):
                return f"!({self.expression(operand)})"
            case tree.Unary(sign=sign, operand=operand):
                return f"{sign}({self.expression(operand)})"
            case tree.Compared(sides=sides, signs=signs):
                texts = list(map(self.expression, sides))
                return "(" + " && ".join(f"{a} {sign} {b}" for a, sign, b in zip(texts, signs, texts[1:], strict=False)) + ")"
            case tree.Operation(left=left, sign=sign, right=right) if sign not in ("//", "%"):
                return f"({self.expression(left)} {sign} {self.expression(right)})"
            case tree.Choice(test=test, yes=yes, no=no):
                return f"({self.expression(test)} ? {self.expression(yes)} : {self.expression(no)})"
        assert isinstance(node, tree.Call)
        called = node.function if node.function in ("min", "max") else PREFIX + node.function
        return f"{called}({', '.join(map(self.expression, node.arguments))})"

    def is_record(self, node: tree.Expression) -> bool:
        """Whether an expression is a part of the state that has parts."""
        return getattr(self.type_of(node), "names", None) is not None

    def type_of(self, node: tree.Expression) -> np.dtype[Any] | None:
        """The type of a part of the state; None for what is a number by itself."""
        if isinstance(node, tree.Name):
            return self.state if node.name == "s" else self.type_of(self.alias[node.name]) if node.name in self.alias else None
        inner = self.type_of(node.owner) if isinstance(node, (tree.Field, tree.Element)) else None
        if inner is not None and isinstance(node, tree.Field):
            return inner[node.name]
        return inner.subdtype[0] if inner is not None and inner.subdtype else None
