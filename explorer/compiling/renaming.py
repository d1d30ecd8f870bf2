"""Symmetry as text, from the kinds of the fields: what tells members apart, and a state with its members renamed."""

from typing import Any

from ...model.language.actions import Model
from ...model.language.kinds import MEMBERS, NO_MEMBER, Integer, Kind, Many, Member, MemberSet
from ...model.language.loops import indented, loops
from ...model.language.settings import Settings
from .steps import extent

MIXING = 0x9E3779B1
WIDTH = 0xFFFFFFFFFFFF


def mixed(value: str) -> str:
    """The signature `h` with one more number in it, as text; the same in 64 bits and without bound."""
    return f"h = ((h ^ int({value})) * {MIXING}) & {WIDTH}"


def signature_text(model: Model | None, config: Settings | None) -> str:
    """`signature(s, b)`: a number that depends on member `b`, and on no member's name.

    It takes in the values at `b` in arrays over members, whether variables elsewhere name `b`, and, of
    an array over members in which `b` is not the index, the sum over the others.
    """
    lines = ["h = 1", *(sign(model.state, "s", 0, False, config) if model else []), "return h"]
    return "\n".join(["def signature(s, b):", *indented(lines)])


def sign(kind: Any, path: str, loop: int, own: bool, config: Settings | None) -> list[str]:
    """Lines that mix the value at `path` into the signature, inside this many loops; `own`: it is below the index `b`."""
    if isinstance(kind, Many):
        inner = sign(kind.element, f"{path}[x{loop}]", loop + 1, own, config)
        if kind.dimension == MEMBERS:
            return sign(kind.element, f"{path}[b]", loop, True, config) + summed(inner, loop, extent(MEMBERS, config))
        return [f"for x{loop} in range({extent(kind.dimension, config)}):", *indented(inner)] if inner else []
    if isinstance(kind, Integer):
        return [mixed(f"{path} + 3")] if own else []
    if isinstance(kind, Member):
        return [mixed(f"(1 if {path} == b else (2 if {path} == {NO_MEMBER} else 3))" if own else f"(1 if {path} == b else 3)")]
    if isinstance(kind, MemberSet):
        return [mixed(f"({path} >> b) & 1")]
    return [line for name, field in kind.fields.items() for line in sign(field, f"{path}.{name}", loop, own, config)]


def summed(inner: list[str], loop: int, size: str) -> list[str]:
    """Mix the sum over all members of what the inner lines make of each."""
    if not inner:
        return []
    return [
        f"sum{loop} = 0",
        f"kept{loop} = h",
        f"for x{loop} in range({size}):",
        *indented(["h = 7", *inner, f"sum{loop} = (sum{loop} + h) & {WIDTH}"]),
        f"h = kept{loop}",
        mixed(f"sum{loop}"),
    ]


def rename_text(model: Model | None, config: Settings | None) -> str:
    """`rename(s, t, old, new, image, index)`: writes to `t` the state `s`, renamed by that permutation."""
    lines = []
    if model is not None:
        lines = loops(
            model.state, ("t", "s"), renamed, lambda dimension: extent(dimension, config),
            lambda dimension, x: (x, f"old[index, {x}]" if dimension == MEMBERS else x),
        )  # fmt: skip
    return "\n".join(["def rename(s, t, old, new, image, index):", *indented([*lines, "return"])])


def renamed(kind: Kind, to: str, source: str) -> list[str]:
    """The line that copies a variable, renamed."""
    if isinstance(kind, Member):
        return [f"{to} = new[index, {source}]"]
    return [f"{to} = image[index, {source}]" if isinstance(kind, MemberSet) else f"{to} = {source}"]
