"""What prefers a member by its number, found in the text of a model: a promise of symmetry is refused with file and line.

Members can be renamed where no function asks for their numbers. So each expression is a number, which renaming leaves as it
is, a member, or a set of members, and only these steps are taken with the last two:

    member   compared for equality with a member; an index of an array over members; kept in a variable for members; `1 << m`
    set      compared with a set, with none or all; `&`, `|`, `^`, `~`; `(some >> m) & 1`; kept in a variable for sets
    place    in a bag, a set or a map that holds members and so is in their order: compared with its length; an index of it

Everything else is refused: a member compared with a number, or by order, or used as truth; other arithmetic on it, unless it
gives the other one of two; a member in a variable for numbers; a number as an index over members, or where a member is written;
a member of one symmetric sort where one of another must stand.
The text is read as it is under a configuration: of the branches that settings decide the one that is taken, in every function
that is called, with what its arguments are there.

What cannot be seen in the kinds of expressions is left to `compiling/symmetry_samples.py`, which renames states that a run has
seen: two members that both range over all (parameters, loops) and are compared by order, as in a guard that names each pair once,
and a loop that keeps the first member that it finds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any

from ..actions import Model
from ..errors import short
from ..settings import Settings
from .program import Program, program
from .sorted_text import NAMED, Body, Preference
from .sorts import ANY_NUMBER, MEMBER, MIXED, NUMBER, RECORD, SET, Value, described, is_member, is_set, readings_of  # fmt: skip


def preference(model: Model, config: Settings, properties: Iterable[Any]) -> str:
    """`file.py:12: ... in function` for the first place that prefers a member by its number; empty where none does.

    Only what a function from a plugin takes part in is read: tests read Highwater's own models.
    """
    return next(preferences(model, config, properties), "")


def preferences(model: Model, config: Settings, properties: Iterable[Any], own: bool = False) -> Iterator[str]:
    """As `preference`, the first place of each action, each function of a property, and the normal form; `own`: of all."""
    entries: list[tuple[Callable[..., Any], list[Value], tuple[str, ...]]] = []
    root = Value(RECORD, kind=model.state)
    entries += [(action.version(config), [root], action.dimensions) for action in model.actions if action.exists(config)]
    for claim in properties:
        entries += [(function, [root] * (2 if claim.over_steps else 1), claim.dimensions) for function in claim.functions]
    if model.normal_form is not None:
        entries.append((model.normal_form, [root], ()))
    whole = program([function for function, _, _ in entries], settings=model.config)
    reader, plugin_code = _Texts(whole, config, model.state), whole.callers_of(whole.plugin_code)
    for function, states, dimensions in entries:
        name = whole.name_of(function)
        try:
            if own or name in plugin_code:
                reader.entry(name, states, [readings_of(dimension, model.state, config) for dimension in dimensions])
        except Preference as found:
            yield str(found)


@dataclass
class _Texts:
    """The functions of a program, each read once for what its arguments are."""

    program: Program
    config: Settings
    state: Any
    results: dict[tuple[str, tuple[Value, ...]], Value | Preference] = field(default_factory=dict)

    def entry(self, name: str, states: list[Value], parameters: Sequence[list[Value]]) -> None:
        """Read a function as an engine calls it; Preference where every reading of its parameters has one."""
        found: Preference | None = None
        for chosen in product(*parameters):
            try:
                result = self.call(name, (*states, *chosen))
            except Preference as error:
                found = found or error
                continue
            if result.sort in NAMED:
                line = self.program.functions[name].line
                raise Preference(f"{self.place(name, line)}: {described(result)} is used as true or false in {name}")
            return
        assert found is not None
        raise found

    def call(self, name: str, arguments: tuple[Value, ...]) -> Value:
        """What a call returns."""
        key = (name, arguments)
        if key not in self.results:
            function = self.program.functions[name]
            body = Body(self, name, dict(zip(function.parameters, arguments, strict=False)))
            try:
                body.run(function.body)
                self.results[key] = self.joined_all(body.returned)
            except Preference as found:
                self.results[key] = found
        result = self.results[key]
        if isinstance(result, Preference):
            raise result
        return result

    def join(self, left: Value, right: Value) -> Value:
        """What is one or the other."""
        if left == right:
            return left
        if left.sort == right.sort and (left.of == right.of or left.sort == NUMBER):
            return replace(left, number=None, ranges=left.ranges and right.ranges, of=left.of if left.of == right.of else "")
        of = left.of if left.sort != NUMBER else right.of
        if SET in (left.sort, right.sort) and is_set(left, of, self.config) and is_set(right, of, self.config):
            return Value(SET, of=of)
        return Value(MEMBER, of=of) if is_member(left, of) and is_member(right, of) else Value(MIXED)

    def joined(self, left: dict[str, Value], right: dict[str, Value]) -> dict[str, Value]:
        """What names are on one way or the other, those that both have and those that one has."""
        return {**left, **right, **{name: self.join(left[name], right[name]) for name in left.keys() & right.keys()}}

    def joined_all(self, values: Sequence[Value]) -> Value:
        """What is one of these; a number where there is none."""
        return reduce(self.join, values) if values else ANY_NUMBER

    def place(self, name: str, line: int) -> str:
        """`folder/file.py:12`."""
        return f"{short(self.program.files[name])}:{line}"
