"""The document from which pictures are drawn: a trace, its violations explained, and the same steps in another revision."""

from typing import Any

from ..model.language.actions import Model
from ..traces.action_notes import enabled
from ..traces.compared import compare_revisions
from ..traces.replay import Replayed, replay
from ..traces.trace import Trace
from ..traces.trace_document import document
from ..traces.why import why
from .catalogue import claims_of
from .explain import explain
from .property import Property


def applicable(model: Model, config: Any) -> dict[str, Property]:
    """The properties that apply to a configuration, by name."""
    return {name: claim for name, claim in claims_of(model).items() if claim.applies(config)}


def document_of(trace: Trace, model: Model, result: Replayed | None = None, choices: bool = True) -> dict[str, Any]:
    """The document of a trace. `result`: of replaying it, if that is known; `choices`: add what is enabled and refused.

    A property that no revision is expected to keep is left out, unless the trace is about it.
    """
    claims = applicable(model, model.configure(trace.revision, **trace.settings))
    result = result or replay(trace, model, [claim for claim in claims.values() if not claim.of_progress])
    told = [name for name in result.broken if name == trace.property or (name in claims and claims[name].by_default)]
    about = trace.property if trace.property in told else min(told, key=lambda name: result.broken[name], default="")
    ran = trace.with_steps(trace.steps[: len(result.states) - 1])
    found = explain(ran, model, claims.get(about), result.states) if about else None
    violations = [
        found.why if found and name == about else why(claims[name], model, result.states, result.broken[name]) for name in told
    ]
    lines = list(found.lines())[1:] if found else []
    repair = found.repair if found else ""
    return document(trace, model, result.states, violations, lines, result.mismatch, choices, repair)


def document_under(trace: Trace, model: Model, revision: str, states: list[Any]) -> dict[str, Any]:
    """The document of the same steps under another revision, as far as they run; `mismatch`: why the next one is refused."""
    there = compare_revisions(trace, model, states, revision)
    claims = applicable(model, there.states[0].config)
    about = [claim for name, claim in claims.items() if name == trace.property and not claim.of_progress]
    found = replay(there.trace, model, about)
    violations = [why(claims[name], model, found.states, step) for name, step in found.broken.items()]
    mismatch = f"{there.refused} is not enabled: {there.guard}" if there.refused else ""
    out = document(there.trace, model, there.states, violations, [there.sentence], mismatch, choices=False)
    if there.refused:
        out["states"][-1]["#meta"]["enabled"] = enabled(model, there.states[-1])
    return out
