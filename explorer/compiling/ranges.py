"""Checks on a plugin: each variable stays in its range, in the normal form too, and an action that refuses has written nothing.

A key has room for the declared ranges alone: a value beyond would be cut, and its state taken for another. That our own actions
keep to both is tested (`tests/model/test_actions.py`). A plugin's are looked at after each step, and a failure ends the run.
"""

from collections.abc import Iterator

from ...model.language.actions import Model
from ...model.language.kinds import NO_MEMBER, Integer, Kind, Member, indented, loops
from ...model.language.settings import Settings
from .shared import Shared
from .steps import extent

DEMANDS = ("in_ranges", "in_normal_ranges", "unchanged")
"""The functions that say so of a state and of a row, whose names no function of a program gets."""

BEYOND = """
    if not in_normal_ranges(s):
        raise ValueError('a state in its normal form does not fit into a key')"""
"""At the end of `to_normal_form`."""

UNCHANGED = """def unchanged(rows, at):
    for w in range(STATE_WORDS):
        if rows[at, w] != rows[0, w]:
            return False
    return True"""


def demands_text(model: Model, config: Settings | Shared | None) -> Iterator[str]:
    """`in_ranges`: all variables of a state are in their ranges; `in_normal_ranges`; `unchanged`: a row is as row 0."""
    for name, normal in (("in_ranges", False), ("in_normal_ranges", True)):
        lines = range_lines(model, config, normal)
        yield "\n".join([f"def {name}(s):", *indented(lines), "    return True"])
    yield UNCHANGED


def range_lines(model: Model, config: Settings | Shared | None, normal: bool) -> list[str]:
    """Lines that return False from a function of a state `s` with a variable outside its range, or that of its normal form."""

    def body(kind: Kind, path: str) -> list[str]:
        if isinstance(kind, Member):
            bad = f"{path} != {NO_MEMBER} and ({path} < 0 or {path} >= {extent('members', config)})"
        elif isinstance(kind, Integer):
            low, high = (str(end) if isinstance(end, int) else extent(end, config) for end in (kind.low, kind.high))
            bad = f"{path} < {low} or {path} > max({low}, {high})"
            if normal and kind.normal_high is not None:
                most = str(kind.normal_high) if isinstance(kind.normal_high, int) else extent(kind.normal_high, config)
                bad += f" or {path} > {most}"
        else:
            bad = f"{path} < 0 or {path} >> {extent('members', config)} != 0"
        return [f"if {bad}:", "    return False"]

    return loops(model.state, ["s"], body, lambda dimension: extent(dimension, config), lambda _, x: [x])
