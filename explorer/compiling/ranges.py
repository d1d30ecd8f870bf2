"""What is demanded of a plugin's actions: each variable stays within its range, and an action that refuses has written nothing.

A key has room for the declared ranges alone: a value beyond would be cut, and its state taken for another. That our own actions
keep to both is tested (`tests/model/test_actions.py`). A plugin's are looked at after each step, and a failure ends the run.
"""

from collections.abc import Iterator

from ...model.language.actions import Model
from ...model.language.kinds import NO_MEMBER, Integer, Kind, Member, indented, loops
from ...model.language.settings import Settings
from .shared import Shared
from .steps import extent

DEMANDS = ("in_ranges", "unchanged")
"""The functions that say so of a state and of a row, whose names no function of a program gets."""

UNCHANGED = """def unchanged(rows, at):
    for w in range(STATE_WORDS):
        if rows[at, w] != rows[0, w]:
            return False
    return True"""


def demands_text(model: Model, config: Settings | Shared | None) -> Iterator[str]:
    """`in_ranges`, whether all variables of a state are in their ranges, and `unchanged`, whether a row is as row 0."""

    def body(kind: Kind, path: str) -> list[str]:
        if isinstance(kind, Member):
            bad = f"{path} != {NO_MEMBER} and ({path} < 0 or {path} >= {extent('members', config)})"
        elif isinstance(kind, Integer):
            low, high = (str(end) if isinstance(end, int) else extent(end, config) for end in (kind.low, kind.high))
            bad = f"{path} < {low} or {path} > max({low}, {high})"
        else:
            bad = f"{path} < 0 or {path} >> {extent('members', config)} != 0"
        return [f"if {bad}:", "    return False"]

    lines = loops(model.state, ["s"], body, lambda dimension: extent(dimension, config), lambda _, x: [x])
    yield "\n".join(["def in_ranges(s):", *indented(lines), "    return True"])
    yield UNCHANGED
