"""The one JSON under every picture: a trace in the Informal Trace Format, with what people read in its `#meta`.

The document's `#meta` has what the whole trace is about: model, revision, property, comment, parts (the lanes of a picture),
`violations` (property, step, why, witness, file and line), and `sources`, by action. Each state's has its label, comment,
facts by part, what changed, logs, badges, the messages that its step sends, and what is enabled and refused in it. Whoever
reads ITF alone finds the variables as the format has them.
"""

from collections.abc import Sequence
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import short
from ..model.language.notation import Facts, Notation
from .action_notes import enabled, notes_of, refused, texts_of
from .itf import to_itf
from .messages import messages
from .notation import describe, differences
from .trace import Trace
from .why import Why


def document(
    trace: Trace,
    model: Model,
    states: Sequence[Any],
    violations: Sequence[Why] = (),
    explanation: Sequence[str] = (),
    mismatch: str = "",
    choices: bool = True,
    repair: str = "",
) -> dict[str, Any]:
    """The document of a trace; `states`: of the steps that ran.

    `violations`: why each property is violated, in the order of their steps; `explanation`: more sentences on the one that the
    trace is about; `repair`: of these, what keeps it;
    `mismatch`: why the next step could not run; `choices`: whether to say what is enabled and refused in each state.
    """
    scene = model.notation.scene
    facts = [describe(model, state) for state in states]
    sent = messages(model, trace.steps, states, facts)
    before = [None, *facts]
    metas = [state_meta(model.notation, trace, number, before[number], facts[number]) for number in range(len(states))]
    for meta, state, some in zip(metas, states, sent, strict=True):
        meta["messages"] = [notes.as_json(model.notation.labels) for notes in some]
        meta["scene"] = scene(state) if scene else {}
        if choices:
            meta["enabled"], meta["refused"] = enabled(model, state), list(refused(model, state))
    config = model.configure(trace.revision, **trace.settings)
    sources = source_metas(trace, model, config)
    for meta, step in zip(metas[1:], trace.steps, strict=False):
        meta |= {key: sources[step.action][key] for key in ("design", "kafka")} | {"source": sources[step.action]["place"]}
    about = {
        "model": trace.model,
        "revision": trace.revision,
        "property": trace.property,
        "comment": list(trace.comment),
        "parts": [part for part in facts[0] if part not in model.notation.backstage],
        "violations": [violation(notes) for notes in violations],
        "explanation": list(explanation),
        "repair": repair,
        "mismatch": mismatch,
        "sources": sources,
    }
    return to_itf(trace, states, about, metas)


def state_meta(notation: Notation, trace: Trace, number: int, before: Facts | None, after: Facts) -> dict[str, Any]:
    """Label, comment and facts of a state, and what its step changed: the facts' names, and how the change is written."""
    changed: dict[str, dict[str, str]] = {}
    if before is not None:
        for part, fact, text in differences(notation, before, after):
            changed.setdefault(part, {})[fact] = text
    step = trace.steps[number - 1] if number else None
    return {
        "label": step.label if step else "init",
        "comment": list(step.comment) if step else [],
        "facts": after,
        "changed": changed,
    }


def source_metas(trace: Trace, model: Model, config: Any) -> dict[str, dict[str, str]]:
    """What is known of each action of the trace, by its name."""
    known = {action.name for action in model.actions}
    out = {}
    names = tuple(dict.fromkeys(step.action for step in trace.steps if step.action in known))
    texts = texts_of(model, config, names)
    for name in names:
        notes = notes_of(model, config, name)
        out[name] = {
            "summary": notes.summary, "design": notes.design, "kafka": "" if notes.kafka == "none" else notes.kafka,
            "place": notes.place, "text": texts.get(name, notes.source),
        }  # fmt: skip
    return out


def violation(why: Why) -> dict[str, Any]:
    """A violation as JSON."""
    return {
        "property": why.property, "step": why.step, "since": why.since, "why": why.sentence, "witness": dict(why.witness),
        "source": f"{short(why.file)}:{why.line}" if why.file else "",
        "places": [f"{short(place.file)}:{place.line} {place.function}: {place.text}" for place in why.places],
    }  # fmt: skip
