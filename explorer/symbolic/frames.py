"""What the interpreter keeps while it reads: calls, references and obligations; and copies and comparisons of wholes."""

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ...model.language.errors import LanguageError
from ...model.language.kinds import Record
from ...traces.action_notes import place_of
from .terms import Truth, both, choose, compare, either, negation

REFUSES_LATE = "a refusal after a write to the state"
"""What the obligation of a plugin's action is about: its guards come before its writes."""


class SymbolicError(LanguageError):
    """The interpreter cannot say what a construct means."""


@dataclass(frozen=True)
class Obligation:
    """Something that must hold wherever the code reads or writes: `holds`, with file, line and what it is about."""

    file: str
    line: int
    what: str
    holds: Truth

    @property
    def place(self) -> str:
        """The file, from the package on, and the line."""
        return place_of(self.file, self.line)


@dataclass
class Reference:
    """What a name or an expression points into: records or arrays, and for each when it is the one."""

    options: list[tuple[Truth, Any]]

    def unless(self, condition: Truth, other: "Reference") -> "Reference":
        """What this refers to, or, where the condition holds, what the other does."""
        rest = [(both([negation(condition), when]), part) for when, part in self.options]
        return other if condition is True else Reference([*((both([condition, w]), part) for w, part in other.options), *rest])


@dataclass
class Frame:
    """One call: its names, the conditions of the branches it is in, what it returned and when."""

    name: str
    file: str
    entry: Truth
    names: dict[str, Any]
    conditions: list[Truth] = field(default_factory=list)
    returns: list[tuple[Truth, Any]] = field(default_factory=list)
    left: list[Truth] = field(default_factory=list)
    line: int = 0

    def here(self) -> Truth:
        """The condition of the branches that this point of the function lies in."""
        return both(self.conditions)

    def writes(self) -> Truth:
        """When a write at this point takes place."""
        return both([self.entry, *self.conditions, negation(either(self.left))])

    def answer(self) -> Any:
        """What the call returns: the first return that is met."""
        answer = None
        for condition, value in reversed(self.returns):
            if isinstance(value, Reference) and (answer is None or isinstance(answer, Reference)):
                answer = value if answer is None else answer.unless(condition, value)
            elif isinstance(value, Reference) or isinstance(answer, Reference):
                raise SymbolicError(f"{self.file}:{self.line}: {self.name} returns a record on some paths only")
            elif value is None and answer is None:
                answer = None
            else:
                answer = choose(condition, False if value is None else value, False if answer is None else answer)
        return answer


# Whole records and arrays.


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
