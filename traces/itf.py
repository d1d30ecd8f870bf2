"""Traces for other tools: the Informal Trace Format of Apalache (ADR-015), which Quint and viewers read too.

A state's records become records, arrays become sequences, sets of members become sets, integers become
`#bigint`, which the format wants of small ones too; no member is -1, and a choice its name. Two variables say which step led to
the state.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..model.language.kinds import NO_MEMBER, Kind, Member, MemberSet, OneOf
from ..model.language.loops import fold
from .trace import Step, Trace
from .words import in_set

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"

ACTION, ARGUMENTS = "action_taken", "arguments"
"""The variables that are not the model's: the action's name, and its arguments by parameter."""


def to_itf(
    trace: Trace, states: Sequence[Any], about: Mapping[str, Any] | None = None, told: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The JSON document; `states` are the plain states of the steps that ran, the initial one first.

    `about` and `told`: more for the `#meta` of the document and of each state, which other tools leave alone.
    """
    steps: list[Step | None] = [None, *trace.steps[: len(states) - 1]]
    loop = {} if trace.cycle is None else {"loop": min(trace.cycle, len(states) - 1)}
    return {
        "#meta": {
            "format": "ITF",
            "format-description": FORMAT,
            "source": f"{trace.model} {trace.version}".strip(),
            "description": f"revision {trace.revision}" + (f", about {trace.property}" if trace.property else ""),
            "settings": {name: str(value) for name, value in trace.settings.items()},
            **(about or {}),
        },
        "params": [],
        "vars": [ACTION, ARGUMENTS, *type(states[0]).fields],
        "states": [
            {"#meta": {"index": index, **(told[index] if told else {})}, **variables_of(step), **expression(state)}
            for index, (step, state) in enumerate(zip(steps, states, strict=True))
        ],
        **loop,
    }


def variables_of(step: Step | None) -> dict[str, Any]:
    """The two variables that say which step led to a state; of the initial state, `init`."""
    arguments = step.arguments if step is not None else ()
    return {
        ACTION: step.action if step is not None else "init",
        ARGUMENTS: {"#map": [[name, number(value)] for name, value in arguments]},
    }


def expression(state: Any) -> Any:
    """The variables of a state, by their kinds."""
    return fold(type(state), state, variable, lambda kind, elements: elements, lambda kind, fields: fields)


def variable(kind: Kind, value: int) -> Any:
    """The value of one variable."""
    if isinstance(kind, MemberSet):
        return {"#set": [number(place) for place in in_set(value)]}
    if isinstance(kind, OneOf):
        return kind.text(value)
    return number(-1 if isinstance(kind, Member) and value == NO_MEMBER else value)


def number(value: int) -> dict[str, str]:
    """An integer."""
    return {"#bigint": str(value)}
