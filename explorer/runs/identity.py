"""What determines the verdict of a run on disk. A run is resumed only with the same model, properties and settings.

`keep_going` is not part of it: it says when to stop, not what is found, and a run may be resumed either way.
"""

import hashlib
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.kinds import cells, walk
from ...model.language.reading import beginnings
from ...model.language.reading.beginnings_compiled import beginning_text
from ...model.language.reading.faults import counters
from ...model.language.reading.program import program
from ...properties.property import Property
from ...traces.replay import replay
from ...traces.trace import LostPath, version_of
from ...traces.words import plural
from ..compiling.compiled import Compiled
from ..extras import own_version
from ..request import Request
from ..search import DEADLOCK, Search
from ..verdict import NO_DEADLOCK

DIGEST = 16
"""Hexadecimal digits of a digest."""


def identity_of(
    compiled: Compiled | Request, revision: str, properties: Iterable[Property], deadlock: bool
) -> dict[str, Any]:
    """What a run is about, for its manifest; a request that is not compiled yet says the same. Programs are told apart by
    digests of their text."""
    model, config = compiled.model, compiled.config
    return {
        "model": model.name,
        "revision": revision,
        "settings": config.shown(),
        "highwater": own_version(),
        "model_version": version_of(model),
        "declarations": digest(declarations_of(model, config)),
        "initial_states": begins_of(model, config),
        "fairness": digest(fairness_of(model, config)),
        "properties": {claim.name: named_by_text(claim) for claim in properties},
        "deadlock": deadlock,
        "symmetry": compiled.symmetry,
    }


def text_of(claim: Property) -> Any:
    """The text of a property: its program, the ranges of its parameters, and what implies it."""
    text = program(claim.functions).text(), claim.dimensions
    return (*text, [named_by_text(part) for part in claim.given]) if claim.given else text


def named_by_text(claim: Property) -> str:
    """The kind of a property, and a digest of its text: two of the same name may differ."""
    return f"{claim.kind} {digest(text_of(claim))}"


def programs_of(model: Model, config: Any, properties: Iterable[Property]) -> str:
    """A digest of what a model and its properties do."""
    return digest([version_of(model), declarations_of(model, config), [(p.name, named_by_text(p)) for p in properties]])


def begins_of(model: Model, config: Any) -> str:
    """A digest of the initial states; of many, of the first and of the text that makes them."""
    if (text := beginnings.text_of(model)) is None:
        return digest([cells(state) for state in beginnings.made(model, config)])
    states = list(islice(beginnings.in_turn(model, config), beginnings.MOST + 1))
    if len(states) > beginnings.MOST:
        return digest([[cells(state) for state in states], beginning_text(text, config)])
    return digest([cells(state) for state in states])


def declarations_of(model: Model, config: Any) -> list[Any]:
    """The variables of a state with their ranges, the numbers that the configuration derives, and the lines of Next."""
    variables = [
        (path, type(kind).__name__, kind.span(config), kind.normal_span(config))
        for path, kind, _ in walk(model.state, model.state(config))
    ]
    lines = [(action.name, action.parameters, action.dimensions) for action in model.actions]
    return [variables, sorted(config.numbers()), lines]


def fairness_of(model: Model, config: Any) -> list[Any]:
    """What is demanded of each action, and the variables that count what is paid for faults: they decide what is progress."""
    fairness = [(action.name, action.fairness, *filter(None, [action.fair_with])) for action in model.actions]
    return [fairness, sorted(counters(model, config))]


def digest(value: Any) -> str:
    """A digest of a value's printed form."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:DIGEST]


def validate_same_run(place: object, found: dict[str, Any], identity: dict[str, Any]) -> None:
    """UsageError when the run in a directory, which `found` tells of, is another one."""
    for key, mine in identity.items():
        if found.get(key) != mine:
            raise UsageError(
                f"{place} holds a run that differs in its {key.replace('_', ' ')} ({_brief(found.get(key), mine)});"
                f" give the same model, revision, settings and properties, or name another directory"
            )


def is_readable(about: dict[str, Any], model: Model, config: Any, properties: Iterable[Property]) -> bool:
    """Whether the states of a run on disk are those of the model as it is now, and its properties these."""
    states = [version_of(model), digest(declarations_of(model, config))]
    texts = {claim.name: named_by_text(claim) for claim in properties}
    return bool([about.get("model_version"), about.get("declarations")] == states and about.get("properties") == texts)


def _brief(theirs: Any, mine: Any) -> str:
    """How two parts of an identity differ, in a few words."""
    if isinstance(theirs, dict) and isinstance(mine, dict):
        keys = [k for k in {**theirs, **mine} if theirs.get(k) != mine.get(k)]
        return ", ".join(f"{k}: {str(theirs.get(k))[:40]} there, {str(mine.get(k))[:40]} here" for k in keys[:3])
    return f"{str(theirs)[:80]} there, {str(mine)[:80]} here"


def prove_again(search: Search, revision: str, properties: Iterable[Property], place: object) -> None:
    """Replay the trace to each finding of a run that is resumed; UsageError when the plain model does not confirm one."""
    known = {claim.name: claim for claim in properties}
    for name, found in search.found.items():
        field = known.get(name)
        if field is None and name != DEADLOCK:
            raise _unproved(place, name, "the run does not check it")
        try:
            trace = search.trace_of(found, revision, field)
        except LostPath as error:
            raise _unproved(place, name, str(error)) from None
        result = replay(trace, search.compiled.model, [] if field is None else [field])
        if field is None:
            shown = not any(search.compiled.model.enabled(result.states[-1]))
        else:
            shown = {**result.broken, **result.witnessed}.get(name) == len(trace.steps)
        if not shown or found.depth != len(trace.steps) + 1:
            raise _unproved(place, name, f"its trace of {plural(len(trace.steps), 'step')} does not show it")


def _unproved(place: object, name: str, why: str) -> UsageError:
    about = NO_DEADLOCK if name == DEADLOCK else name
    return UsageError(
        f"{place} notes a finding about {about:.60} that the model does not confirm ({why}): it was damaged or changed;"
        f" start a new run"
    )
