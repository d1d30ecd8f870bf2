"""Next, from one line per action: a function or a rule, and what its parameters range over."""

from collections.abc import Mapping, Sequence
from typing import Any

from .around import rolling_back
from .costs import Declared
from .errors import UsageError
from .settings import length_named
from .steps import FAULT, STRONG, WEAK, Action, Function, Group, Rule, parameters_of


def actions(
    domains: Mapping[str, Any],
    functions: Sequence[Function | Rule],
    weak: Sequence[Any] = (),
    strong: Sequence[Any] = (),
    faults: Sequence[Any] = (),
    costs: Mapping[Any, Declared] | None = None,
    rollback: Sequence[Any] = (),
) -> tuple[Action, ...]:
    """Next, from one line per action; `domains` maps a parameter's name to its dimension; for the rest see WEAK and `costs`.

    `rollback`: the actions that may refuse after they have written.
    """
    groups = {id(version): group for group in (*weak, *strong) if isinstance(group, Group) for version in group.functions}
    weak, strong = ungrouped(weak), ungrouped(strong)
    validate_fairness(functions, {"weak": weak, "strong": strong, "faults": faults})
    validate_fairness(functions, {"rollback": rollback})
    declared = {id(f): word for word, some in ((WEAK, weak), (STRONG, strong), (FAULT, faults)) for f in some}
    lines = []
    for function in functions:
        names = parameters_of(function)
        validate_parameters(function.__name__, names, domains)
        dimensions = tuple(length_named(domains[n]) for n in names)
        fairness, cost, group = declared.get(id(function), ""), (costs or {}).get(function), groups.get(id(function))
        rolls_back = any(function is version for version in rollback)
        if rolls_back and isinstance(function, Rule):
            raise UsageError(f"rollback names {function.__name__}, a rule; only a function can refuse after it has written")
        function = rolling_back(function) if rolls_back else function
        fair = (group.__name__, group.each) if group else ("", ())
        lines.append(Action(function.__name__, function, names, dimensions, fairness, cost, rolls_back, *fair))
    return tuple(lines)


def ungrouped(some: Sequence[Any]) -> list[Any]:
    """The actions, those of groups one by one."""
    return [function for given in some for function in (given.functions if isinstance(given, Group) else [given])]


def validate_fairness(functions: Sequence[Any], fairness: Mapping[str, Sequence[Any]]) -> None:
    """UsageError when something is demanded of what is none of the actions, such as a rule's version, or two things of one."""
    seen: dict[int, str] = {}
    for word, some in fairness.items():
        for version in some:
            name = getattr(version, "__name__", str(version))
            if not any(version is function for function in functions):
                raise UsageError(f"{word} names {name!r:.60}, which is not among the actions that are added; add it to them")
            if id(version) in seen:
                raise UsageError(f"the action {name} is in {seen[id(version)]} and in {word}; leave it in one of them")
            seen[id(version)] = word


def validate_parameters(action: str, names: Sequence[str], domains: Mapping[str, str]) -> None:
    """UsageError when a parameter of an action has a name that ranges over nothing, or is the name of a state."""
    for name in names:
        if name in ("s", "t"):
            raise UsageError(f"the action {action} has a parameter {name!r}, the name of a state; give it another name")
        if name not in domains:
            raise UsageError(f"the action {action} has a parameter {name!r:.40}, and {ranges_over(domains, name)}")


def ranges_over(domains: Mapping[str, str], name: str) -> str:
    """Over what a model ranges, which is not this; and how it would."""
    known = ", ".join(domains) or "nothing"
    return f"the model ranges over {known}; domains={{..., {name!r:.40}: SETTING}} says how many values it has"
