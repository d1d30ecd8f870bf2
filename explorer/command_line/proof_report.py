"""What people and programs read of a proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...model.language.actions import Model
from ...model.language.kinds import fill
from ...traces.notation import change_lines
from ..symbolic.bounded import Bounded
from ..symbolic.induction import Counterexample
from ..symbolic.proof import VERDICTS, Proof
from ..symbolic.solving import BROKEN, PROVED, UNKNOWN
from .machine_readable import head_of
from .report import plain_table

MOST_NAMES = 5
"""Lemmas that a line of the table names; more are counted, and named in the JSON document."""

STYLES = {PROVED: "green", BROKEN: "bold red", UNKNOWN: "yellow"}


def print_proof(out: Console, proof: Proof, quiet: bool = False) -> None:
    """The whole report of one proof."""
    request = proof.request
    config = request.config
    sizes = [f"{n.replace('_', ' ')} {v}" for n, v in config.shown().items() if config.settings[n].group == "size"]
    sizes += [f"{n.replace('_', ' ')} {v}" for n, v in config.shown().items() if config.settings[n].group == "fault" and v]
    out.print(Text.assemble((f"{request.model.name} {request.revision}", "bold"), f" at {', '.join(sizes)}"))
    out.print(Text(f"claims: {', '.join(p.name for p in request.properties)}"))
    if request.lemmas:
        out.print(Text(f"lemmas: {', '.join(p.name for p in request.lemmas)}"))
    false = [goal.name for goal in proof.initial if goal.verdict != PROVED]
    out.print(Text(f"initial states: {'all claims hold' if not false else 'false: ' + ', '.join(false)}"))
    out.print(action_table(proof))
    print_bounds(out, proof)
    if proof.vacuous:
        out.print(Text(f"enabled in no state that satisfies the claims: {', '.join(proof.vacuous)}", style="yellow"))
    if proof.guards:
        out.print(guard_table(proof))
    if not quiet:
        for one in proof.counterexamples:
            out.print(Text("\n" + "\n".join(told(one, proof))), soft_wrap=True)
    out.print(Text(f"\n{verdict_line(proof)}", style=STYLES[proof.verdict]))


def action_table(proof: Proof) -> Table:
    """One line per action: proved, or what it breaks; the lemmas that Z3 used."""
    headings = ("action", "verdict", "seconds", "breaks, or lemmas used")
    table = plain_table(*headings, right=("seconds",), unbroken=("action", "verdict"))
    for action in proof.actions:
        names = action.broken or action.used
        if not action.broken and len(names) > MOST_NAMES:
            names = [f"{len(names)} of {len(proof.request.properties) + len(proof.request.lemmas)} claims"]
        shown = Text(VERDICTS[action.verdict], style=STYLES[action.verdict])
        table.add_row(action.name, shown, f"{action.seconds:.2f}", ", ".join(names))
    return table


def print_bounds(out: Console, proof: Proof) -> None:
    """In how many places an index is looked up, and which of them are not proved."""
    open_places = {place: verdict for place, verdict in proof.bounds.items() if verdict != PROVED}
    out.print(Text(f"indices: {len(proof.bounds) - len(open_places)} of {len(proof.bounds)} places proved to be in bounds"))
    for place, verdict in open_places.items():
        out.print(Text(f"  {place}: {'may be out of bounds' if verdict == BROKEN else verdict}", style=STYLES[verdict]))


def guard_table(proof: Proof) -> Table:
    """One line per guard: whether the claims and the other guards imply it."""
    table = plain_table("action", "refuses when", "guard")
    for guard, verdict in proof.guards.items():
        table.add_row(guard.action, Text(guard.test), verdict)
    return table


def verdict_line(proof: Proof) -> str:
    """The verdict in one sentence."""
    if proof.verdict == PROVED:
        return f"proved in {proof.seconds:.1f} s: in every reachable state, at any depth, at these sizes"
    if proof.verdict == UNKNOWN:
        return f"unknown after {proof.seconds:.1f} s: a question took longer than --timeout {proof.request.timeout:g}"
    at = [action.name for action in proof.actions if action.verdict == BROKEN]
    return f"not inductive: {', '.join(at) or 'see above'} ({proof.seconds:.1f} s)"


def told(one: Counterexample, proof: Proof) -> list[str]:
    """A counterexample to induction: two states and the action between them."""
    request = proof.request
    action = request.model.action(one.action)
    empty = request.model.state(request.config)
    states = [fill(empty.copy(), numbers) for numbers in (one.before, one.after) if numbers]
    what = "is not preserved" if one.after else "may be out of bounds"
    lines = [f"counterexample to induction: {one.goal} {what}", *where_met(one, proof)]
    first, *rest = change_lines(request.model.name, states)
    lines += ["a state in which every claim holds:", *(f"  {line}" for line in first)]
    if rest:
        return [*lines, f"after {action.label(one.arguments)}:", *(f"  {line}" for line in rest[0])]
    return [*lines, f"in {action.label(one.arguments)}"]


def where_met(one: Counterexample, proof: Proof) -> list[str]:
    """Whether the first state can be reached, as far as is known."""
    if one.action not in proof.met:
        return ["(the first state need not be reachable)"]
    level = proof.met[one.action]
    if level is None:
        return [f"(the first state is none of the {proof.explored:,} that were explored: a lemma is missing that rules it out)"]
    return [f"(the first state was met on level {level} of the exploration: this is a bug)"]


def proof_as_json(proof: Proof) -> dict[str, Any]:
    """The JSON document of a proof."""
    request = proof.request
    return {
        **head_of(request.model, request.revision, request.config, "z3 induction"),
        "verdict": VERDICTS[proof.verdict],
        "properties": [p.name for p in request.properties],
        "lemmas": [p.name for p in request.lemmas],
        "seconds": round(proof.seconds, 4),
        "initial": [{"name": g.name, "verdict": VERDICTS[g.verdict]} for g in proof.initial],
        "actions": [
            {
                "name": action.name,
                "verdict": VERDICTS[action.verdict],
                "seconds": round(action.seconds, 4),
                "breaks": action.broken,
                "lemmas_used": action.used,
                "vacuous": action.is_vacuous,
            }
            for action in proof.actions
        ],
        "counterexamples": [
            {
                "goal": one.goal,
                "step": request.model.action(one.action).label(one.arguments),
                "met_on_level": proof.met.get(one.action),
                "told": told(one, proof),
            }
            for one in proof.counterexamples
        ],
        "indices": {place: VERDICTS[verdict] for place, verdict in proof.bounds.items()},
        "guards": [
            {**vars(guard), "guard": verdict} for guard, verdict in proof.guards.items()
        ],
    }


# Bounded search.


def print_bounded(out: Console, found: Sequence[Bounded], model: Model, quiet: bool = False) -> None:
    """What was found of each property, and the way to the first violation."""
    for one in found:
        out.print(Text(bounded_line(one), style=STYLES[BROKEN if one.depth else UNKNOWN]))
        if one.depth is not None and not quiet:
            titles = ["initially", *(instance.label for instance in one.taken)]
            for title, lines in zip(titles, change_lines(model.name, one.states), strict=True):
                out.print(Text("\n".join([title, *(f"  {line}" for line in lines)])), soft_wrap=True)


def bounded_line(one: Bounded) -> str:
    """The verdict on one property."""
    name = one.property.name
    if one.depth is not None:
        return f"violated: {name} falls after {one.depth - 1} steps ({one.seconds:.1f} s)"
    why = "a question took longer than --timeout" if one.unknown else "the bound was reached"
    return f"incomplete: {name} holds for {one.complete - 1} steps; {why} ({one.seconds:.1f} s)"


def bounded_as_json(found: Sequence[Bounded], subject: Any, steps: int) -> dict[str, Any]:
    """The JSON document of a bounded search; depths are levels, the initial states are level 1."""
    return {
        **head_of(subject.model, subject.revision, subject.config, "z3 bounded"),
        "steps": steps,
        "properties": [
            {
                "name": one.property.name,
                "verdict": "violated" if one.depth else "incomplete",
                "depth": one.depth,
                "complete_to": one.complete,
                "seconds": round(one.seconds, 4),
                "steps": [instance.label for instance in one.taken],
            }
            for one in found
        ],
    }
