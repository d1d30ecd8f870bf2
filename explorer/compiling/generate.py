"""The text that is compiled for a model: its program, and what the kernels need of it.

From the declaration alone come `first_steps` and `second_steps` (Next: loops over the parameters of each
action), the dispatch of properties, and the two functions of symmetry, `signature` and `rename`. In a program for one
configuration all sizes are numbers; in the generic one they are read from the state's configuration.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.foreign import with_checks
from ...model.language.kinds import MEMBERS, Integer, Many, Member, MemberSet, One
from ...model.language.layout import Layout, Plan
from ...model.language.program import Program, program, refuse_writes
from ...model.language.settings import Settings
from ...model.language.specialise import specialise
from ...properties.property import ALWAYS, SOMETIMES, STEP, Property
from . import hash_table, kernels

HALVES = ("first_steps", "second_steps")
PREDICATES = ("broken", "broken_steps", "witnessed", "witnessed_steps")
ENTRIES = (
    *HALVES, *PREDICATES, "expand", "insert", "insert_exact", "rehash", "fingerprints", "canonise", "reveal", "wander",
)  # fmt: skip

APART = (*HALVES, "to_normal_form", "signature", "rename", "note")

HEADER = f"from {__package__}.machine_instructions import deposit_bits, extract_bits, high_product, prefetch"


@dataclass(frozen=True)
class Checked:
    """The properties that a text can check, by kind; a property's place is its bit in the masks."""

    groups: tuple[tuple[Property, ...], ...]

    @staticmethod
    def of(properties: Iterable[Property]) -> Checked:
        """Sort the properties: always, step, sometimes of a state, sometimes of a step."""
        groups: tuple[list[Property], ...] = ([], [], [], [])
        for one in properties:
            place = {ALWAYS: 0, STEP: 1, SOMETIMES: 3 if one.over_steps else 2}[one.kind]
            groups[place].append(one)
        if max(map(len, groups)) > 64:
            raise UsageError("at most 64 properties of one kind can be checked in one run; name fewer with --property")
        return Checked(tuple(map(tuple, groups)))

    def __iter__(self) -> Iterator[Property]:
        return itertools.chain(*self.groups)


def text_for(model: Model, layout: Layout, checked: Checked, config: Settings | None, symmetry: bool) -> str:
    """Everything that is compiled: for `config` alone, or for every configuration of the layout.

    Without symmetry the functions that it needs do nothing.
    """
    functions = functions_of(model, checked)
    if config is None:
        whole = checked_program(model, functions)
    else:
        whole = only_needed(specialised(model, config, functions), model, functions)
    refuse_writes(whole, [whole.name_of(p.function) for p in checked])
    parts = [
        f"STATE_WORDS = {layout.state_words}",
        *(f"{name} = {value}" for name, value in kernel_names() if name.isupper() and isinstance(value, int)),
        whole.text(),
        steps_text(model, whole, config),
        mask_text("broken(s, active)", "not {}(s)", checked.groups[0], whole),
        mask_text("broken_steps(s, t, active)", "not {}(s, t)", checked.groups[1], whole),
        mask_text("witnessed(s, active)", "{}(s)", checked.groups[2], whole),
        mask_text("witnessed_steps(s, t, active)", "{}(s, t)", checked.groups[3], whole),
        f"def to_normal_form(s):\n    {whole.name_of(model.normal_form) + '(s)' if model.normal_form else 'pass'}",
        signature_text(model if symmetry else None, config),
        rename_text(model if symmetry else None, config),
    ]
    plan = layout.plan(config) if config is not None else None
    if plan is not None and len(plan.word) <= MOST_UNROLLED:
        parts += [*kernel_texts(("pack", "unpack")), pack_text(plan, layout), unpack_text(plan, layout)]
    else:
        parts += kernel_texts(())
    return "\n\n\n".join(parts) + "\n"


def functions_of(model: Model, checked: Checked) -> tuple[Callable[..., Any], ...]:
    """What is compiled beside the actions."""
    return (*(p.function for p in checked), *([model.normal_form] if model.normal_form else ()))


@lru_cache(maxsize=4)
def checked_program(model: Model, others: tuple[Callable[..., Any], ...]) -> Program:
    """The actions and other functions; what is not Highwater's own among them runs with checks. Not to be changed."""
    functions = [*(a.function for a in model.actions), *others]
    whole = program(functions)
    return with_checks(whole, map(whole.name_of, functions), model.state, model.config)


@lru_cache(maxsize=4)
def specialised(model: Model, config: Settings, others: tuple[Callable[..., Any], ...]) -> Program:
    """The actions and other functions under one configuration. Not to be changed: two callers share it."""
    return specialise(checked_program(model, others), config, model.state)


def only_needed(whole: Program, model: Model, others: Sequence[Callable[..., Any]]) -> Program:
    """The program without functions that nothing calls any more."""
    steps = [whole.name_of(a.function) for a in model.actions]
    roots = [name for name in steps if not is_never(whole, name)] + [whole.name_of(f) for f in others]
    needed: set[str] = set()
    while roots:
        name = roots.pop()
        if name in whole.functions and name not in needed:
            needed.add(name)
            roots += [n.id for n in ast.walk(whole.functions[name]) if isinstance(n, ast.Name)]
    functions = {name: tree for name, tree in whole.functions.items() if name in needed}
    return Program(functions, whole.constants, whole.files, whole.names)


def is_never(whole: Program, name: str) -> bool:
    """The action's function answers False whatever the state: the configuration has no such step."""
    answers = [node.value for node in ast.walk(whole.functions[name]) if isinstance(node, ast.Return)]
    return all(isinstance(a, ast.Constant) and not a.value for a in answers)


@cache
def switched_on(model: Model, config: Settings, others: tuple[Callable[..., Any], ...] = ()) -> tuple[bool, ...]:
    """For each action of Next whether the configuration has it: settings alone can rule it out.

    `others`: what else is specialised, when that has been done with them already.
    """
    whole = specialised(model, config, others)
    return tuple(not is_never(whole, whole.name_of(a.function)) for a in model.actions)


def steps_text(model: Model, whole: Program, config: Settings | None) -> str:
    """`first_steps` and `second_steps`: Next in two halves, so that two processors can share the compiling.

    Each writes successors of row 0 to the rows from `n` on, and answers the next free row. `codes` gets the
    code of each, `taken` and `able` count the steps of each action and whether there was one.
    """
    groups = halves([(i, reach(whole, whole.name_of(a.function))) for i, a in enumerate(model.actions)])
    parameters = "recs, rows, codes, base, taken, able"
    parts = []
    for half, indices in zip(HALVES, groups, strict=True):
        lines = [f"def {half}({parameters}, n):"]
        for index in indices:
            lines += action_lines(model, whole, config, index)
        parts.append("\n".join([*lines, "    return n"]))
    return "\n\n\n".join(parts)


def reach(whole: Program, name: str) -> int:
    """How much text an action's function and all it calls have; 0 when the configuration has no such step."""
    seen, todo, size = set(), [name], 0
    while todo:
        function = todo.pop()
        if function in whole.functions and function not in seen:
            seen.add(function)
            size += len(ast.unparse(whole.functions[function]))
            todo += [n.id for n in ast.walk(whole.functions[function]) if isinstance(n, ast.Name)]
    return size


def halves(sizes: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The actions that exist, in order, in two groups of about the same size."""
    total, so_far = sum(size for _, size in sizes), 0
    first: list[int] = []
    second: list[int] = []
    for index, size in sizes:
        if size:
            (first if so_far < total / 2 else second).append(index)
        so_far += size
    return first, second


def action_lines(model: Model, whole: Program, config: Settings | None, index: int) -> list[str]:
    """Try one action with all its arguments: each success fills row `n`, and the next row is prepared."""
    action = model.actions[index]
    lines, depth, code = ["    before = n", f"    if base[{index}] >= 0:"], 2, "0"
    for place, dimension in enumerate(action.dimensions):
        size = extent(dimension, config, "recs[0]")
        lines.append("    " * depth + f"for p{place} in range({size}):")
        depth, code = depth + 1, f"({code}) * {size} + p{place}"
    arguments = ", ".join(["recs[n]", *(f"p{place}" for place in range(len(action.dimensions)))])
    return [
        *lines,
        "    " * depth + f"if {whole.name_of(action.function)}({arguments}):",
        "    " * depth + f"    codes[n] = base[{index}] + {code}",
        "    " * depth + "    n += 1",
        "    " * depth + "    copy_row(rows, 0, n)",
        f"    taken[{index}] += n - before",
        f"    able[{index}] += 1 if n > before else 0",
    ]


def extent(dimension: str, config: Settings | None, state: str = "s") -> str:
    """How large a dimension is, as text."""
    return str(getattr(config, dimension)) if config is not None else f"{state}.config.{dimension}"


def mask_text(head: str, test: str, properties: Sequence[Property], whole: Program) -> str:
    """A function that answers with the mask of the properties for which the test is true."""
    lines = [f"def {head}:", "    found = np.uint64(0)"]
    for place, one in enumerate(properties):
        bit = f"np.uint64({1 << place})"
        call = test.format(whole.name_of(one.function))
        lines += [f"    if active & {bit} != np.uint64(0) and {call}:", f"        found |= {bit}"]
    return "\n".join([*lines, "    return found"])


def kernel_names() -> list[tuple[str, Any]]:
    """What the files of kernels define: functions and constants."""
    modules = (hash_table, kernels)
    names = {n: v for module in modules for n, v in vars(module).items()}
    own = {module.__name__ for module in modules}
    return [(n, v) for n, v in names.items() if not inspect.isfunction(v) or v.__module__ in own]


def kernel_texts(without: Collection[str]) -> Iterator[str]:
    """The functions of `kernels`, without annotations and docstrings; some are generated instead."""
    for name, value in kernel_names():
        if inspect.isfunction(value) and name not in without:
            tree = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
            assert isinstance(tree, ast.FunctionDef)
            tree.returns = None
            for argument in tree.args.args:
                argument.annotation = None
            tree.body = tree.body[1:] or [ast.Pass()]
            yield ast.unparse(tree)


MOST_UNROLLED = 128
"""Words of a row up to which packing is straight-line code: beyond that compiling it takes too long."""

# Packing for one configuration: the loops of `kernels.pack` and `kernels.unpack`, unrolled.

ALL_BITS = (1 << 64) - 1


def pack_text(plan: Plan, layout: Layout) -> str:
    """`pack`, with the plan as constants; it gives the same keys."""
    high = layout.high_bits
    lines = ["def pack(rows, at, word, mask, bias, bits, high, keys, to):", "    gathered = np.uint64(0)"]
    filled, k = 0, 0
    for word, mask, bias, bits in zip(*(map(int, a) for a in (plan.word, plan.mask, plan.bias, plan.bits)), strict=True):
        if bits:
            lines.append(f"    x = rows[at, {word}]")
            if bias:
                sum_of_lanes = f"((x & {u64(~high)}) + {u64(bias & ~high)})"
                lines.append(f"    x = {sum_of_lanes} ^ ((x ^ {u64(bias)}) & {u64(high)})")
            lines += [f"    x = extract_bits(x, {u64(mask)})", f"    gathered |= x << {u64(filled)}"]
            filled += bits
            if filled >= 64:
                filled -= 64
                rest = f"x >> {u64(bits - filled)}" if filled else u64(0)
                lines += [f"    keys[to, {k}] = gathered", f"    gathered = {rest}"]
                k += 1
    if k < plan.key_words:
        lines.append(f"    keys[to, {k}] = gathered")
    return "\n".join(lines)


def unpack_text(plan: Plan, layout: Layout) -> str:
    """`unpack`, with the plan as constants."""
    high, used = layout.high_bits, 0
    lines = ["def unpack(keys, at, word, mask, bias, post, bits, high, rows, to):"]
    columns = (plan.word, plan.mask, plan.bias, plan.post, plan.bits)
    for word, mask, bias, post, bits in zip(*(map(int, a) for a in columns), strict=True):
        k, shift = divmod(used, 64)
        lines.append(f"    x = keys[at, {k}] >> {u64(shift)}" if bits else f"    x = {u64(0)}")
        if shift + bits > 64:
            lines.append(f"    x |= keys[at, {k + 1}] << {u64(64 - shift)}")
        lines.append(f"    x = deposit_bits(x, {u64(mask)})")
        if bias:
            difference = f"((x | {u64(high)}) - {u64(bias & ~high)})"
            lines.append(f"    x = {difference} ^ ((x ^ {u64(~bias)}) & {u64(high)})")
        lines.append(f"    rows[to, {word}] = x & {u64(post)}")
        used += bits
    return "\n".join(lines)


def u64(value: int) -> str:
    """A 64-bit constant, as text."""
    return f"np.uint64({value & ALL_BITS})"


# Symmetry, from the kinds of the fields.

MIXING = 0x9E3779B1
WIDTH = 0xFFFFFFFFFFFF


def mixed(value: str) -> str:
    """The signature `h` with one more number in it, as text; the same in 64 bits and without bound."""
    return f"h = ((h ^ int({value})) * {MIXING}) & {WIDTH}"


def signature_text(model: Model | None, config: Settings | None) -> str:
    """`signature(s, b)`: a number that depends on member `b`, and on no member's name.

    It takes in what stands at `b` in arrays over members, whether variables elsewhere name `b`, and, of
    an array over members in which `b` is not the index, the sum over the others.
    """
    lines = ["def signature(s, b):", "    h = 1"]
    for name, kind in model.state.fields.items() if model else ():
        lines += sign(kind, f"s.{name}", 1, 0, False, config)
    return "\n".join([*lines, "    return h"])


def sign(kind: Any, path: str, depth: int, loops: int, own: bool, config: Settings | None) -> list[str]:
    """Lines that mix what stands at `path` into the signature; `own`: it stands below the index `b`."""
    indent = "    " * depth
    if isinstance(kind, Many):
        if kind.dimension == MEMBERS:
            lines = sign(kind.element, f"{path}[b]", depth, loops, True, config)
            if own or holds_members(kind.element):
                inner = sign(kind.element, f"{path}[x{loops}]", depth + 1, loops + 1, own, config)
                lines += summed(inner, indent, loops, extent(MEMBERS, config))
            return lines
        inner = sign(kind.element, f"{path}[x{loops}]", depth + 1, loops + 1, own, config)
        return [f"{indent}for x{loops} in range({extent(kind.dimension, config)}):", *inner] if inner else []
    if isinstance(kind, Integer):
        return [indent + mixed(f"{path} + 3")] if own else []
    if isinstance(kind, Member):
        value = f"(1 if {path} == b else (2 if {path} == 15 else 3))" if own else f"(1 if {path} == b else 3)"
        return [indent + mixed(value)]
    if isinstance(kind, MemberSet):
        return [indent + mixed(f"({path} >> b) & 1")]
    record = kind.element if isinstance(kind, One) else kind
    lines = []
    for name, inside in record.fields.items():
        lines += sign(inside, f"{path}.{name}", depth, loops, own, config)
    return lines


def summed(inner: list[str], indent: str, loops: int, size: str) -> list[str]:
    """Mix the sum over all members of what the inner lines make of each."""
    if not inner:
        return []
    return [
        f"{indent}sum{loops} = 0",
        f"{indent}kept{loops} = h",
        f"{indent}for x{loops} in range({size}):",
        f"{indent}    h = 7",
        *inner,
        f"{indent}    sum{loops} = (sum{loops} + h) & {WIDTH}",
        f"{indent}h = kept{loops}",
        indent + mixed(f"sum{loops}"),
    ]


def holds_members(kind: Any) -> bool:
    """Some variable below is a member, a set of members or an array over them."""
    if isinstance(kind, (Member, MemberSet)):
        return True
    if isinstance(kind, Many):
        return kind.dimension == MEMBERS or holds_members(kind.element)
    if isinstance(kind, Integer):
        return False
    record = kind.element if isinstance(kind, One) else kind
    return any(holds_members(inside) for inside in record.fields.values())


def rename_text(model: Model | None, config: Settings | None) -> str:
    """`rename(s, t, old, new, image, index)`: writes to `t` the state `s`, renamed by that permutation."""
    lines = ["def rename(s, t, old, new, image, index):"]
    for name, kind in model.state.fields.items() if model else ():
        lines += renamed(kind, f"t.{name}", f"s.{name}", 1, 0, config)
    return "\n".join([*lines, "    return"])


def renamed(kind: Any, to: str, source: str, depth: int, loops: int, config: Settings | None) -> list[str]:
    """Lines that copy what stands at `source` to `to`, renamed."""
    indent = "    " * depth
    if isinstance(kind, Many):
        index = f"x{loops}"
        there = f"old[index, {index}]" if kind.dimension == MEMBERS else index
        inner = renamed(kind.element, f"{to}[{index}]", f"{source}[{there}]", depth + 1, loops + 1, config)
        return [f"{indent}for {index} in range({extent(kind.dimension, config)}):", *inner]
    if isinstance(kind, Integer):
        return [f"{indent}{to} = {source}"]
    if isinstance(kind, Member):
        return [f"{indent}{to} = new[index, {source}]"]
    if isinstance(kind, MemberSet):
        return [f"{indent}{to} = image[index, {source}]"]
    record = kind.element if isinstance(kind, One) else kind
    lines = []
    for name, inside in record.fields.items():
        lines += renamed(inside, f"{to}.{name}", f"{source}.{name}", depth, loops, config)
    return lines
