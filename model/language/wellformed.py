"""Mistakes in how a model is put together, said in a sentence when it is registered: later they end in an engine's own code."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .actions import Model
from .completed import is_subclass
from .errors import UsageError, hint
from .kinds import Integer, Many, Member, MemberSet, State, declared
from .settings import Settings

ACTION, PARAMETER = re.compile("[a-z_0-9]{1,60}"), re.compile("[a-z_]{1,30}")
"""The names of actions and of their parameters, as traces have them (`traces.text`)."""


def validate_model(model: Model) -> None:
    """UsageError, in a sentence, when the parts of a model do not fit each other."""
    if not is_subclass(model.state, State) or model.state is State or not is_subclass(model.config, Settings):
        raise UsageError(f"the model {model.name} must have a class of State as its state, and a class of Settings as its config")
    names = [action.name for action in model.actions]
    for action in model.actions:
        validate_names_in_traces(action.name, action.parameters)
        if names.count(action.name) > 1:
            raise UsageError(f"the model {model.name} has two actions {action.name!r}, which a trace cannot tell apart")
    for name in {"s", "t"} & set(model.domains):
        raise UsageError(f"the domains of the model {model.name} have a parameter {name!r}, the name of a state; rename it")
    validate_numbers(model)
    validate_capacities(model)


def validate_names_in_traces(action: str, parameters: Sequence[str]) -> None:
    """UsageError when a trace could not hold the name of an action, or of a parameter."""
    if not ACTION.fullmatch(action):
        raise UsageError(f"an action is called {action!r:.70}: a name has up to 60 small letters of ASCII, digits and '_'")
    for name in parameters:
        if not PARAMETER.fullmatch(name):
            raise UsageError(
                f"the action {action} has a parameter {name!r:.40}: such a name has up to 30 small letters of ASCII and '_'"
            )


def validate_numbers(model: Model) -> None:
    """UsageError when a bound, the length of an array or a domain names no setting; or a promise about faults no budget."""
    for path, kind in declared(model.state):
        if isinstance(kind, Integer) and isinstance(kind.low, int) and isinstance(kind.high, int) and kind.low > kind.high:
            raise UsageError(f"the range of {path} of the model {model.name} ends at {kind.high}, below {kind.low}, its start")
    known = (*model.config.settings, *model.config.computed)
    for what, name in numbers_named(model):
        if name not in known:
            raise UsageError(f"{what} of the model {model.name} names {name!r:.40}, which is not a setting; {hint(name, known)}")
    budgets = [name for name, setting in model.config.settings.items() if setting.group == "fault"]
    for name in model.own_budgets:
        if name not in budgets:
            near = hint(name, budgets, "it has none")
            raise UsageError(f"own_budgets of the model {model.name} name {name!r:.40}, no budget of faults; {near}")
    for name, value in model.finest.items():
        if name not in model.config.settings:
            near = hint(name, model.config.settings)
            raise UsageError(f"finest of the model {model.name} names {name!r:.40}, which is not a setting; {near}")
        model.config.settings[name].parse(name, value)


def numbers_named(model: Model) -> Iterator[tuple[str, str]]:
    """What is given by the name of a setting: what it is, and the name."""
    for path, kind in declared(model.state):
        if isinstance(kind, Integer):
            for bound in (kind.low, kind.high, kind.normal_high):
                if isinstance(bound, str):
                    yield f"the range of {path}", bound
        elif isinstance(kind, Many):
            yield f"the length of {path}", kind.dimension
        elif isinstance(kind, (Member, MemberSet)):
            yield f"the range of {path}", kind.of
    for name, dimension in model.domains.items():
        yield f"the domain of the parameter {name}", dimension


def validate_capacities(model: Model) -> None:
    """UsageError when there is no small layout, or a layout does not say how long an array of the state may be."""
    if "small" not in model.capacities:
        raise UsageError(
            f"the model {model.name} has no layout 'small' among its capacities; give it one that says how long each array may"
            " be, such as {'small': {'members': 5}}"
        )
    for layout, room in model.capacities.items():
        for path, kind in declared(model.state):
            if isinstance(kind, Many) and not is_length(room.get(kind.dimension)):
                raise UsageError(
                    f"the layout {layout!r:.40} of the model {model.name} does not say how long {path} may be; give"
                    f" {kind.dimension!r:.40} a number among its capacities"
                )
        for name in room:
            if name not in model.config.settings and name not in model.config.computed:
                known = (*model.config.settings, *model.config.computed)
                raise UsageError(f"the capacities of the model {model.name} name {name!r:.40}, no setting; {hint(name, known)}")


def initial_states(model: Model, config: Any) -> list[Any]:
    """The initial states under a configuration; UsageError when they are not a list of states."""
    states = model.initial_states(config)
    is_list = isinstance(states, (list, tuple))
    wrong = [state for state in states if not isinstance(state, model.state)] if is_list else [states]
    if wrong:
        raise UsageError(
            f"initial_states of the model {model.name} must return a list of states, {model.state.__name__}, not"
            f" {'one with ' if is_list else ''}{described(wrong[0])}"
        )
    return list(states)


def described(value: Any) -> str:
    """What a value is, in a word or two."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


def is_length(room: Any) -> bool:
    """Whether an array may be as long as this."""
    return isinstance(room, int) and room > 0
