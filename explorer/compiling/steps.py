"""Next as text: loops over the parameters of each action."""

from __future__ import annotations

import ast
from math import prod

from ...model.language.actions import Model
from ...model.language.program import Program
from ...model.language.settings import Settings
from .arrays import WORD_BITS
from .candidates import candidates_text, conditions
from .shared import Shared

HALVES = ("first_steps", "second_steps")


def steps_text(model: Model, whole: Program, config: Settings | Shared | None) -> str:
    """`first_steps` and `second_steps`: Next in two halves, so that two processors can share the compiling.

    Each writes successors of row 0 to the rows from `n` on, and answers the next free row. `codes` gets the
    code of each, `taken` and `able` count the steps of each action and whether there was one.
    """
    groups = halves([(i, text_size(whole, whole.name_of(a.function))) for i, a in enumerate(model.actions)])
    parameters = "recs, rows, codes, base, taken, able"
    parts = []
    for half, indices in zip(HALVES, groups, strict=True):
        lines = [f"def {half}({parameters}, n):"]
        for index in indices:
            lines += action_lines(model, whole, config, index)
            tests = tests_of(model, whole, config, index)
            if tests:
                action = model.actions[index]
                sizes = [extent(dimension, config) for dimension in action.dimensions]
                name = f"candidates_{whole.name_of(action.function)}"
                parts.append(candidates_text(name, tests, [*map(int, sizes)], inner_from(sizes)))
        parts.append("\n".join([*lines, "    return n"]))
    return "\n\n\n".join(parts)


def text_size(whole: Program, name: str) -> int:
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


def action_lines(model: Model, whole: Program, config: Settings | Shared | None, index: int) -> list[str]:
    """Try one action with all its arguments: each success fills row `n`, and the next row is prepared."""
    action, function = model.actions[index], whole.name_of(model.actions[index].function)
    sizes = [extent(dimension, config, "recs[0]") for dimension in action.dimensions]
    tests = tests_of(model, whole, config, index)
    loops = inner_from(sizes) if tests else len(sizes)
    lines, depth, code = [f"    if base[{index}] >= 0:", "        before = n"], 2, "0"
    for place, size in enumerate(sizes[:loops]):
        lines.append("    " * depth + f"for p{place} in range({size}):")
        depth, code = depth + 1, f"({code}) * {size} + p{place}"
    arguments = [f"p{place}" for place in range(len(sizes))]
    if tests:
        lines.append("    " * depth + f"left = candidates_{function}({', '.join(['recs[0]', *arguments[:loops]])})")
        lines.append("    " * depth + "while left != np.uint64(0):")
        depth += 1
        inner = [int(size) for size in sizes[loops:]]
        if prod(inner) > 1:
            lines.append("    " * depth + "at = trailing_zeros(left)")
        lines.append("    " * depth + "left &= left - np.uint64(1)")
        for place, argument in enumerate(arguments_at(inner), loops):
            arguments[place] = argument
        code = f"({code}) * {prod(inner)} + at" if prod(inner) > 1 else code
    return [
        *lines,
        "    " * depth + f"if {function}({', '.join(['recs[n]', *arguments])}):",
        "    " * depth + f"    codes[n] = base[{index}] + {code}",
        "    " * depth + "    n += 1",
        "    " * depth + "    copy_row(rows, 0, n)",
        "        if n > before:",
        f"            taken[{index}] += n - before",
        f"            able[{index}] += 1",
    ]


def tests_of(model: Model, whole: Program, config: Settings | Shared | None, index: int) -> list[str]:
    """The conditions under which instances of an action are tried; none where sizes are not known."""
    action = model.actions[index]
    if not all(getattr(config, dimension, 0) for dimension in action.dimensions):
        return []
    return conditions(whole, whole.name_of(action.function), [f"p{place}" for place in range(len(action.dimensions))])


def inner_from(sizes: list[str]) -> int:
    """The first of the last parameters, of whose values together a word has a bit for each."""
    first = len(sizes)
    while first > 0 and prod(int(size) for size in sizes[first - 1 :]) <= WORD_BITS:
        first -= 1
    return first


def arguments_at(sizes: list[int]) -> list[str]:
    """The values of parameters at the place `at` among all of them together, the last one changing first."""
    out, below = [], prod(sizes)
    for place, size in enumerate(sizes):
        below //= size
        whole = "at" if below == 1 else f"at // {below}"
        out.append("0" if size == 1 else whole if prod(sizes[:place]) == 1 else f"({whole}) % {size}")
    return out


def extent(dimension: str, config: Settings | Shared | None, state: str = "s") -> str:
    """How large a dimension is, as text: a number where it is known."""
    size = getattr(config, dimension, None)
    return str(size) if size is not None else f"{state}.config.{dimension}"
