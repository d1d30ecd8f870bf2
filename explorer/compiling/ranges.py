"""Checks on a plugin: each variable stays in its range, in the normal form too, and an action that refuses has written nothing.

A key has room for the declared ranges alone: a value beyond would be cut, and its state taken for another. That our own actions
keep to both is tested (`tests/model/test_actions.py`). A plugin's are looked at after each step, and a failure ends the run.
"""

from collections.abc import Iterator

from ...model.language.actions import Model
from ...model.language.kinds import NO_MEMBER, Integer, Kind, Member, MemberSet
from ...model.language.loops import indented, loops
from ...model.language.settings import Settings
from .shared import Shared
from .steps import extent

RANGE_CHECKS = ("in_ranges", "in_normal_ranges", "unchanged")
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


def range_checks_text(model: Model, config: Settings | Shared | None) -> Iterator[str]:
    """`in_ranges`: all variables of a state are in their ranges; `in_normal_ranges`; `unchanged`: a row is as row 0."""
    for name, normal in (("in_ranges", False), ("in_normal_ranges", True)):
        lines = range_lines(model, config, normal)
        yield "\n".join([f"def {name}(s):", *indented(lines), "    return True"])
    yield UNCHANGED


def range_lines(model: Model, config: Settings | Shared | None, normal: bool) -> list[str]:
    """Lines that return False from a function of a state `s` with a variable outside its range, or that of its normal form."""

    def body(kind: Kind, path: str) -> list[str]:
        return [f"if {outside(kind, path, config, normal)}:", "    return False"]

    return loops(model.state, ["s"], body, lambda dimension: extent(dimension, config), lambda _, x: [x])


def outside(kind: Kind, path: str, config: Settings | Shared | None, normal: bool = False) -> str:
    """That the variable at a path has a value outside its range, or that of its normal form, as text."""
    if isinstance(kind, Member):
        return f"{path} != {NO_MEMBER} and ({path} < 0 or {path} >= {extent(kind.of, config)})"
    if isinstance(kind, MemberSet):
        return f"{path} < 0 or {path} >= 1 << {extent(kind.of, config)}"
    assert isinstance(kind, Integer)
    ends = (kind.low, kind.high, kind.normal_high)
    low, high, most = (extent(end, config) if isinstance(end, str) else str(end) for end in ends)
    beyond = f" or {path} > {most}" if normal and kind.normal_high is not None else ""
    return f"{path} < {low} or {path} > max({low}, {high}){beyond}"


def ends_in_lanes(kind: Kind, config: Settings) -> dict[str, int]:
    """As `outside`, in numbers: the least value, how far others may be above it, also in the normal form, and the one beside."""
    low, high = kind.span(config)
    if isinstance(kind, Member):
        return {"least": 0, "span": high, "normal_span": high, "other": NO_MEMBER}
    return {"least": low, "span": high - low, "normal_span": min(high, kind.normal_span(config)[1]) - low, "other": low}
