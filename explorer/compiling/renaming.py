"""Symmetry as text, from the kinds of the fields: what tells members apart, and a state with its members renamed."""

from __future__ import annotations

from typing import Any

from ...model.language.actions import Model
from ...model.language.kinds import MEMBERS, Integer, Many, Member, MemberSet, One
from ...model.language.settings import Settings
from .steps import extent

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
