"""Symmetry as text, from the kinds of the fields: what tells members apart, and a state with its members renamed.

Bags, sets and maps are kept in order, which is that of their members' numbers, too: once members are renamed they are put in
order again, and what tells members apart does not depend on it.
"""

from typing import Any

from ...model.language.actions import Model
from ...model.language.kinds import NO_MEMBER, Integer, Kind, Many, Member, MemberSet, One
from ...model.language.loops import indented, loops, sorts_in
from ...model.language.reading.sorts import has_order_of_members
from ...model.language.settings import Settings
from .steps import extent

MIXING = 0x9E3779B1
WIDTH = 0xFFFFFFFFFFFF


def mixed(value: str) -> str:
    """The signature `h` with one more number in it, as text; the same in 64 bits and without bound."""
    return f"h = ((h ^ int({value})) * {MIXING}) & {WIDTH}"


def signature_text(model: Model | None, config: Settings | None) -> str:
    """`signature(s, sort, b)`: a number that depends on member `b` of a sort, and on no member's name.

    It takes in the values at `b` in arrays over its sort, whether variables elsewhere name `b`, and, of an array over members in
    which `b` is not the index, and of a bag, the sum over the others.
    """
    lines = ["h = 1"]
    for number, sort in enumerate(sorts_in(model.state) if model else ()):
        assert model is not None
        inner = sign(model.state, "s", 0, False, sort, (model, config))
        lines += [f"if sort == {number}:", *indented(inner)] if inner else []
    return "\n".join(["def signature(s, sort, b):", *indented([*lines, "return h"])])


Of = tuple[Model, Settings | None]
"""The model and, where it is known, the configuration."""


def sign(kind: Any, path: str, loop: int, own: bool, sort: str, of: Of) -> list[str]:
    """Lines that mix the value at `path` into the signature, inside this many loops; `own`: it is below the index `b`."""
    if isinstance(kind, Many):
        inner = sign(kind.element, f"{path}[x{loop}]", loop + 1, own, sort, of)
        size = extent(kind.dimension, of[1])
        if kind.dimension == sort:
            return sign(kind.element, f"{path}[b]", loop, True, sort, of) + summed(inner, loop, size)
        if kind.dimension in sorts_in(of[0].state):
            return summed(inner, loop, size)
        return [f"for x{loop} in range({size}):", *indented(inner)] if inner else []
    if isinstance(kind, Integer):
        return [mixed(f"{path} + 3")] if own else []
    if isinstance(kind, Member):
        nobody = f"(2 if {path} == {NO_MEMBER} else 3)" if own else "3"
        if kind.of == sort:
            return [mixed(f"(1 if {path} == b else {nobody})")]
        return [mixed(nobody)] if own else []
    if isinstance(kind, MemberSet):
        return [mixed(f"({path} >> b) & 1")] if kind.of == sort else []
    fields = (kind.element if isinstance(kind, One) else kind).fields
    if has_order_of_members(kind):
        inner = sign(fields["item"].element, f"{path}.item[x{loop}]", loop + 1, True, sort, of)
        return summed(inner, loop, f"{path}.length")
    return [line for name, field in fields.items() for line in sign(field, f"{path}.{name}", loop, own, sort, of)]


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
    """`rename(s, t, order, places)`: writes to `t` the state `s`, its members of each sort in that order."""
    lines = []
    if model is not None:
        numbers = {sort: number for number, sort in enumerate(sorts_in(model.state))}

        def renamed(kind: Kind, to: str, source: str) -> list[str]:
            if isinstance(kind, Member):
                return [f"{to} = places[{numbers[kind.of]}, {source}]"]
            if isinstance(kind, MemberSet):
                return [f"{to} = places_of(places, {numbers[kind.of]}, {source}, {extent(kind.of, config)})"]
            return [f"{to} = {source}"]

        lines = loops(
            model.state, ("t", "s"), renamed, lambda dimension: extent(dimension, config),
            lambda dimension, x: (x, f"order[{numbers[dimension]}, {x}]" if dimension in numbers else x),
        )  # fmt: skip
        lines += put_in_order(model.state, "t", 0, config)
    return "\n".join(["def rename(s, t, order, places):", *indented([*lines, "return"])])


def put_in_order(kind: Any, path: str, depth: int, config: Settings | None) -> list[str]:
    """Lines that put all bags, sets and maps below `path` in order again, the innermost first."""
    if isinstance(kind, Kind):
        return []
    if isinstance(kind, Many):
        lines = put_in_order(kind.element, f"{path}[x{depth}]", depth + 1, config)
        return [f"for x{depth} in range({extent(kind.dimension, config)}):", *indented(lines)] if lines else []
    lines = [line for name, field in kind.fields.items() for line in put_in_order(field, f"{path}.{name}", depth, config)]
    return [*lines, *exchanges(kind, path, depth, config)] if has_order_of_members(kind) else lines


def exchanges(kind: Any, path: str, depth: int, config: Settings | None) -> list[str]:
    """Lines that put the values of one container in order: each is exchanged with those before it as long as it is less."""
    here, before = f"{path}.item[x{depth} - x{depth + 1}]", f"{path}.item[x{depth} - x{depth + 1} - 1]"

    def each(body: list[str]) -> list[str]:
        return loops(
            kind.fields["item"].element, (here, before), lambda _, left, right: [line.format(left, right) for line in body],
            lambda dimension: extent(dimension, config, "t"), lambda _, x: (x, x), depth + 2,
        )  # fmt: skip

    return [
        f"for x{depth} in range(1, {path}.length):",
        f"    for x{depth + 1} in range(x{depth}):",
        "        first = 0",
        *indented(indented(each(["if first == 0 and {0} != {1}:", "    first = 1 if {0} < {1} else 2"]))),
        "        if first == 1:",
        *indented(indented(indented(each(["kept = {0}", "{0} = {1}", "{1} = kept"])))),
    ]
