"""The witnesses of a violation in words: what a property read when it was violated (`evidence`), by the path of each variable.

The words are the model's (`notation`); a variable without words is named by its path and its value.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.language.actions import Model
from ..model.language.choices import Choice
from ..model.language.kinds import Kind, Member, MemberSet, OneOf, declared
from ..model.language.notation import Words
from ..model.language.reading.deciding import Path
from .evidence import Evidence, kind_at
from .words import letter, member, members


def tell(model: Model, states: Sequence[Any], binding: Mapping[str, int], dimensions: Mapping[str, str], found: Evidence) -> str:
    """The witnesses in words. `dimensions`: over what each name of the binding ranges."""
    kind, notation = type(states[-1]), model.notation
    told = notation.witness(states[-1], binding, dimensions, found) if notation.witness else ""
    if not told and not notation.witness and any(without_indices(path) in notation.words for _, path in found.read):
        told = ", ".join(variables(kind, found, notation.words))
    return told or tell_variables(kind, binding, found)


MAX_VARIABLES = 8
"""How many variables a sentence names that has no words of its own for them."""


def tell_variables(kind: Any, binding: Mapping[str, int], found: Evidence) -> str:
    """Any model: the values that violate it, then the expression that decided, with what it compares and what was read."""
    parts = [f"{name.replace('_', ' ')} {value}" for name, value in binding.items()]
    if found.places[-1].text:
        operands = {text: operand_in_words(kind, text, value) for text, value in found.operands.items()}
        shown = [f"{text} = {told}" for text, told in operands.items() if told]
        parts.append(f"`{found.places[-1].text}` is {str(found.answer).lower()}" + (f" with {', '.join(shown)}" if shown else ""))
    read = list(variables(kind, found, {}))
    facts = ", ".join([*read[:MAX_VARIABLES], *([f"and {len(read) - MAX_VARIABLES} more"] if read[MAX_VARIABLES:] else [])])
    said = ", ".join(parts) + (f"; {facts}" if parts and facts else facts)
    return said or f"it returns {found.answer}"


def operand_in_words(kind: Any, text: str, value: Any) -> str:
    """The value of an operand, by the kind of the field that its text ends with; empty for a constant, whose name says it."""
    name = re.search(r"(?:^|\.)([A-Za-z_]\w*)(?:\[[^\]]*\])*$", text)
    if name and name[1].isupper():
        return ""
    fields = [field for path, field in declared(kind) if name and path.replace("[]", "").rpartition(".")[2] == name[1]]
    kinds = {type(field): field for field in fields if isinstance(field, Kind)}
    if len(kinds) == 1:
        return in_words(next(iter(kinds.values())), value)
    return value.text if isinstance(value, Choice) else str(value)


def variables(kind: Any, found: Evidence, words: Words) -> Iterator[str]:
    """Each variable that decided, with its value; of a step, before it and after it."""
    both = {number for number, _ in found.read}
    done: set[str] = set()
    for (number, path), value in found.read.items():
        if path in done:
            continue
        done.add(path)
        text = variable_in_words(kind, path, value, words)
        values = [in_words(kind_at(kind, path), found.read[n, path]) for n in (0, 1) if (n, path) in found.read]
        if len(both) == 1:
            yield text
        elif len(values) == 1:
            yield f"{text} {'after the step' if number else 'before the step'}"
        else:
            start = variable_in_words(kind, path, found.read[0, path], words)
            yield f"{start} before the step and {values[1]} after it"


def variable_in_words(kind: Any, path: str, value: int, words: Words) -> str:
    """One variable in words."""
    template = words.get(without_indices(path), "")
    if not isinstance(template, str):
        template = template[value]
    shown = in_words(kind_at(kind, path), value)
    indices = re.findall(r"\[(\d+)\]", path)
    try:
        return template.format(*indices, value=shown, record=letter(value) if value else "nothing") or f"{path} is {shown}"
    except IndexError:  # the variable has fewer indices than the words speak of
        return f"{path} is {shown}"


def without_indices(path: str) -> str:
    """`replica.hw` for `replica[0][1].hw`."""
    return re.sub(r"\[\d+\]", "", path)


def in_words(kind: Kind, value: int) -> str:
    """A value by its kind."""
    if isinstance(kind, MemberSet):
        return members(value)
    if isinstance(kind, Member):
        return member(value)
    return kind.text(value) if isinstance(kind, OneOf) else str(value)


def named(paths: Mapping[Path, int]) -> dict[str, int]:
    """Variables by a name: of a step, with the state before it or after it."""
    states = ("before ", "after ") if len({number for number, _ in paths}) > 1 else ("", "")
    return {states[number] + path: value for (number, path), value in paths.items()}
