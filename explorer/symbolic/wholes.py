"""Whole records and arrays while a model is read symbolically: where their variables stand, copies and comparisons."""

from itertools import product
from typing import Any

from ...model.language.kinds import Record
from .frames import Reference
from .terms import Truth, both, choose, compare, either, negation


def holders(part: Any) -> list[tuple[Any, Any]]:
    """Where each variable of a record or an array stands, in the order of declaration: a dict or a list, and the key."""
    holder: Any = vars(part) if isinstance(part, Record) else part
    out: list[tuple[Any, Any]] = []
    for at in part.fields if isinstance(part, Record) else range(len(part)):
        out += holders(holder[at]) if isinstance(holder[at], (Record, list)) else [(holder, at)]
    return out


def leaves_of(part: Any) -> list[Any]:
    """The values of a record's or an array's variables."""
    return [holder[at] for holder, at in holders(part)]


def copy_whole(condition: Truth, old: Any, value: Reference) -> None:
    """Where the condition holds, `old` takes over what the other is."""
    found = [(both([condition, chosen]), leaves_of(part)) for chosen, part in value.options]
    for number, (holder, at) in enumerate(holders(old)):
        for chosen, values in found:
            holder[at] = choose(chosen, values[number], holder[at])


def compare_wholes(operator: str, left: Reference, right: Reference) -> Truth:
    """How records or arrays compare: the first variable that differs decides."""
    if operator in (">", ">="):
        return compare_wholes("<" if operator == ">" else "<=", right, left)
    if operator in ("!=", "<="):
        return negation(compare_wholes("==", left, right) if operator == "!=" else compare_wholes("<", right, left))
    found = []
    for (pair, part), (other, opposite) in product(left.options, right.options):
        said: Truth = operator == "=="
        for value, beside in reversed(list(zip(leaves_of(part), leaves_of(opposite), strict=True))):
            same = both([compare("==", value, beside), said])
            said = same if operator == "==" else either([compare("<", value, beside), same])
        found.append(both([pair, other, said]))
    return either(found)
