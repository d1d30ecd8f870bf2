"""Next as text: loops over the parameters of each action."""

from collections.abc import Collection, Iterator

from ...model.language.actions import Model
from ...model.language.loops import indented, nested
from ...model.language.reading.program import Program
from ...model.language.settings import Settings
from ...model.language.steps import Action
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
    ranges, code = [(f"p{place}", extent(size, config, "recs[0]")) for place, size in enumerate(action.dimensions)], "0"
    for argument, size in ranges:
        code = f"({code}) * {size} + {argument}"
    taken = [f"codes[n] = base[{index}] + {code}", "n += 1", "copy_row(rows, 0, n)"]
    body = [
        f"if {name}({', '.join(['recs[n]', *(argument for argument, _ in ranges)])}):",
        *indented([*(LEAVES if plugin_code else []), *taken]),
        *(UNDOES if action.rolls_back else REFUSES if plugin_code else []),
    ]
    counted = ["if n > before:", f"    taken[{index}] += n - before", f"    able[{index}] += 1", "return n"]
    yield "\n".join([f"def all_of_{name}({ROOM}, n):", *indented(["before = n", *nested(ranges, body), *counted])])


def extent(dimension: str, config: Settings | Shared | None, state: str = "s") -> str:
    """How large a dimension is, as text: a number where it is known."""
    size = getattr(config, dimension, None)
    return str(size) if size is not None else f"{state}.config.{dimension}"
