"""Next as text: loops over the parameters of each action."""

from collections.abc import Collection, Iterator
from math import prod

from ...model.language.actions import Action, Model
from ...model.language.program import Program
from ...model.language.settings import Settings
from .arrays import WORD_BITS
from .candidates import candidates_text, conditions
from .shared import Shared

LEAVES = ["if not in_ranges(recs[n]):", "    raise ValueError('an action leaves a variable outside its range')"]
UNDOES = ["else:", "    copy_row(rows, 0, n)"]
"""Behind an action that may refuse after it has written."""

REFUSES = ["elif not unchanged(rows, n):", "    raise ValueError('an action that refuses has written')"]
"""Behind an action that is not Highwater's own."""

ROOM = "recs, rows, codes, base, taken, able"


def steps_text(model: Model, whole: Program, config: Settings | Shared | None, plugin_code: Collection[str] = ()) -> str:
    """`steps`: Next, which writes the successors of row 0 to the rows from 1 on, and returns the row after the last.

    `codes` gets the code of each, `taken` and `able` count the steps of each action and whether there was one. Each action that
    the configuration has is tried by a separate function, `all_of_...`. What those of `plugin_code` do is checked (`ranges`).
    """
    parts: list[str] = []
    lines = [f"def steps({ROOM}):", "    n = 1"]
    for index, action in enumerate(model.actions):
        name = whole.name_of(action.function)
        if name in whole.functions:
            parts += action_texts(action, index, name, whole, config, name in plugin_code)
            lines += [f"    if base[{index}] >= 0:", f"        n = all_of_{name}({ROOM}, n)"]
    return "\n\n\n".join([*parts, "\n".join([*lines, "    return n"])])


def action_texts(
    action: Action, index: int, name: str, whole: Program, config: Settings | Shared | None, plugin_code: bool
) -> Iterator[str]:
    """Try one action with all its arguments: each success fills row `n`, and the next row is prepared."""
    sizes = [extent(dimension, config, "recs[0]") for dimension in action.dimensions]
    tests = tests_of(action, name, whole, config)
    loops = inner_from(sizes) if tests else len(sizes)
    lines, depth, code = [f"def all_of_{name}({ROOM}, n):", "    before = n"], 1, "0"
    for place, size in enumerate(sizes[:loops]):
        lines.append("    " * depth + f"for p{place} in range({size}):")
        depth, code = depth + 1, f"({code}) * {size} + p{place}"
    arguments = [f"p{place}" for place in range(len(sizes))]
    if tests:
        yield candidates_text(f"candidates_{name}", tests, [*map(int, sizes)], loops)
        lines.append("    " * depth + f"left = candidates_{name}({', '.join(['recs[0]', *arguments[:loops]])})")
        lines.append("    " * depth + "while left != np.uint64(0):")
        depth += 1
        inner = [int(size) for size in sizes[loops:]]
        if prod(inner) > 1:
            lines.append("    " * depth + "at = trailing_zeros(left)")
        lines.append("    " * depth + "left &= left - np.uint64(1)")
        for place, argument in enumerate(arguments_at(inner), loops):
            arguments[place] = argument
        code = f"({code}) * {prod(inner)} + at" if prod(inner) > 1 else code
    lines += [
        "    " * depth + f"if {name}({', '.join(['recs[n]', *arguments])}):",
        *(["    " * depth + f"    {line}" for line in LEAVES] if plugin_code else []),
        "    " * depth + f"    codes[n] = base[{index}] + {code}",
        "    " * depth + "    n += 1",
        "    " * depth + "    copy_row(rows, 0, n)",
        *("    " * depth + line for line in (UNDOES if action.rolls_back else REFUSES if plugin_code else [])),
        "    if n > before:",
        f"        taken[{index}] += n - before",
        f"        able[{index}] += 1",
        "    return n",
    ]
    yield "\n".join(lines)


def tests_of(action: Action, name: str, whole: Program, config: Settings | Shared | None) -> list[str]:
    """The conditions under which instances of an action are tried; none where sizes are not known."""
    if not all(getattr(config, dimension, 0) for dimension in action.dimensions):
        return []
    return conditions(whole, name, [f"p{place}" for place in range(len(action.dimensions))])


def inner_from(sizes: list[str]) -> int:
    """The first of the last parameters whose combinations of values have a bit each in one word."""
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
