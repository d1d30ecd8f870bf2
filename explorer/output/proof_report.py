"""What people and programs read of a proof."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...model.language.kinds import fill
from ...model.language.settings import in_words
from ...properties.property import Property
from ...properties.ranked import Ranking
from ...traces.notation import change_lines
from ...traces.words import plural
from ..request import Request
from ..symbolic.bounded import Bounded
from ..symbolic.frames import REFUSES_LATE
from ..symbolic.induction import Counterexample, worst
from ..symbolic.proof import VERDICTS, Proof
from ..symbolic.ranking import IN_BOUNDS, KEPT, LED_DOWN, Asked, Refuted
from ..symbolic.solving import BROKEN, PROVED, UNKNOWN
from ..verdict import INCOMPLETE, VIOLATED
from .documents import AnySize, GuardEntry, Proved, ProvedBounded, RankedEntry
from .machine_readable import head_of
from .report import by_promises, print_head
from .tables import plain_table

QUESTIONS = {
    IN_BOUNDS: "places of its functions proved to be in bounds",
    LED_DOWN: "values from which a helpful step decreases the ranking",
    KEPT: "steps that keep the ranking, or decrease it",
}
"""What is checked of a ranking, in words."""

MAX_NAMES = 5
"""Lemmas that a line of the table names; more are counted, and named in the JSON document."""

STYLES = {PROVED: "green", BROKEN: "bold red", UNKNOWN: "yellow"}


def print_proof(out: Console, proof: Proof, quiet: bool = False) -> None:
    """The whole report of one proof."""
    request = proof.request
    print_head(out, request.model, request.revision, request.config)
    if proof.decidable is not None:
        out.print(Text("the sizes above are those of the counterexamples; what is proved is proved for any"))
    for goal, ranking in request.progress:
        measures, helpful = ", ".join(m.__name__ for m in ranking.measures), ", ".join(ranking.helpful)
        out.print(Text(f"progress: {goal.name}; decreasing: {measures}; by {helpful}"))
    if request.properties:
        out.print(Text(f"claims: {', '.join(p.name for p in request.properties)}"))
    if request.lemmas:
        out.print(Text(f"lemmas: {', '.join(p.name for p in request.lemmas)}"))
    false = [goal.name for goal in proof.initial if goal.verdict != PROVED]
    out.print(Text(f"initial states: {'all claims hold' if not false else 'false: ' + ', '.join(false)}"))
    out.print(action_table(proof))
    print_bounds(out, proof)
    for name, asked in proof.ranked.items():
        print_ranked(out, name, asked)
    if proof.decidable is not None:
        out.print(Text("questions: {} of {} lie in a decidable fragment".format(*proof.decidable)))
        if proof.cutoff and proof.verdict == PROVED:
            out.print(Text(f"cutoff: to prove them with {proof.cutoff} members or fewer is to prove them with any number"))
    if proof.second is not None:
        out.print(Text("cvc5: {} of {} questions that Z3 proved are proved again".format(*proof.second)))
    if proof.unread:
        assumed = "taken for anything that lies in its array, or in the range of its variable"
        out.print(Text(f"not read, and {assumed}: {len(proof.unread)} places, such as {proof.unread[0]}"))
    if proof.vacuous:
        out.print(Text(f"enabled in no state that satisfies the claims: {', '.join(proof.vacuous)}", style="yellow"))
    if proof.guards:
        out.print(guard_table(proof))
    if not quiet:
        for counterexample in proof.counterexamples:
            out.print(Text("\n" + "\n".join(lines_of(counterexample, proof))), soft_wrap=True)
        for name, asked in proof.ranked.items():
            first = next((answer.refuted for answer in asked if answer.refuted is not None), None)
            if first is not None:
                out.print(Text("\n" + "\n".join(lines_of_refuted(name, first, proof))), soft_wrap=True)
    out.print(Text(f"\n{verdict_line(proof)}", style=STYLES[proof.verdict]))


def print_ranked(out: Console, name: str, asked: Sequence[Asked]) -> None:
    """What was found of a ranking: where it is led down, and which steps do not keep it."""
    for question, what in QUESTIONS.items():
        some = [item for item in asked if item.question == question]
        proved = sum(item.verdict == PROVED for item in some)
        if some:
            style = "" if proved == len(some) else STYLES[worst(item.verdict for item in some)]
            out.print(Text(f"{name}: {proved} of {len(some)} {what}", style=style))
    for answer in asked:
        if answer.step and answer.verdict != PROVED:
            out.print(Text(f"  {answer.step}: {VERDICTS[answer.verdict] if answer.verdict == UNKNOWN else 'does not keep it'}"))


def action_table(proof: Proof) -> Table:
    """One line per action: proved, or what it breaks; the lemmas that Z3 used."""
    headings = ("action", "verdict", "seconds", "breaks, or lemmas used")
    table = plain_table(*headings, right=("seconds",), unbroken=("action", "verdict"))
    for action in proof.actions:
        names = action.broken or action.used
        if not action.broken and len(names) > MAX_NAMES:
            names = [f"{len(names)} of {len(proof.request.properties) + len(proof.request.lemmas)} claims"]
        shown = Text(VERDICTS[action.verdict], style=STYLES[action.verdict])
        table.add_row(action.name, shown, f"{action.seconds:.2f}", ", ".join(names))
    return table


def print_bounds(out: Console, proof: Proof) -> None:
    """In how many places an index is looked up, how many actions of plugins may refuse, and what of that is not proved."""
    refusals, indices = refusals_of(proof), indices_of(proof)
    out.print(Text(f"indices: {proved_of(indices)} places proved to be in bounds"))
    if refusals:
        out.print(Text(f"refusals: {proved_of(refusals)} actions of plugins proved to write nothing where they refuse"))
    for place, verdict in proof.bounds.items():
        if verdict != PROVED:
            out.print(Text(f"  {place}: {fault_at(place) if verdict == BROKEN else verdict}", style=STYLES[verdict]))


def proved_of(places: dict[str, str]) -> str:
    """`11 of 12`."""
    return f"{sum(verdict == PROVED for verdict in places.values())} of {len(places)}"


def refusals_of(proof: Proof) -> dict[str, str]:
    """For each action of a plugin: whether it is proved that it writes nothing where it refuses."""
    return {place: verdict for place, verdict in proof.bounds.items() if place.endswith(REFUSES_LATE)}


def indices_of(proof: Proof) -> dict[str, str]:
    """For each place with an index: whether it is proved to be in bounds."""
    return {place: verdict for place, verdict in proof.bounds.items() if not place.endswith(REFUSES_LATE)}


def fault_at(place: str) -> str:
    """What is not proved to be impossible at a place."""
    return "is possible" if place.endswith(REFUSES_LATE) else "may be out of bounds"


def guard_table(proof: Proof) -> Table:
    """One line per guard: whether the claims and the other guards imply it."""
    table = plain_table("action", "refuses when", "guard")
    for guard, verdict in proof.guards.items():
        table.add_row(guard.action, Text(guard.test), verdict)
    return table


def verdict_line(proof: Proof) -> str:
    """The verdict in one sentence."""
    if proof.verdict == PROVED:
        sizes = "at these sizes" if proof.decidable is None else f"for any {any_of(proof)}"
        rests = by_promises(proof.promises)
        return f"proved in {proof.seconds:.1f} s{rests}: in every reachable state, at any depth, {sizes}"
    if proof.verdict == UNKNOWN:
        return f"unknown after {proof.seconds:.1f} s: Z3 left a question open; each may take --timeout {proof.request.timeout:g}"
    weak = [name for name, some in proof.ranked.items() if worst(answer.verdict for answer in some) == BROKEN]
    if weak and not any(action.verdict == BROKEN for action in proof.actions):
        return f"not proved: the ranking of {', '.join(weak)} does not show that the goal is reached ({proof.seconds:.1f} s)"
    at = [action.name for action in proof.actions if action.verdict == BROKEN]
    return f"not inductive: {', '.join(at) or 'see above'} ({proof.seconds:.1f} s)"


def any_of(proof: Proof) -> str:
    """The sizes that a proof for any size leaves open, and the faults that it does not."""
    config = proof.request.config
    names = [n.replace("_", " ") for n, s in config.settings.items() if s.group == "size" and s.high > 1]
    faults = in_words({n: v for n, v in config.sizes().items() if config.settings[n].group == "fault"})
    sizes = ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
    return f"{sizes}, with {faults}" if faults else sizes


def lines_of(counterexample: Counterexample, proof: Proof) -> list[str]:
    """A counterexample to induction: two states and the action between them."""
    action = proof.request.model.action(counterexample.action)
    what = "is not preserved" if counterexample.after else fault_at(counterexample.goal)
    lines = [f"counterexample to induction: {counterexample.goal} {what}", *where_met(counterexample, proof)]
    first, *rest = both_states(counterexample, proof)
    lines += ["a state in which every claim holds:", *(f"  {line}" for line in first)]
    if rest:
        return [*lines, f"after {action.label(counterexample.arguments)}:", *(f"  {line}" for line in rest[0])]
    return [*lines, f"in {action.label(counterexample.arguments)}"]


def lines_of_refuted(name: str, refuted: Refuted, proof: Proof) -> list[str]:
    """A counterexample to a ranking: a state in which the property waits, and the step that breaks the rule."""
    request = proof.request
    goal, ranking = next((goal, ranking) for goal, ranking in request.progress if goal.name == name)
    about = " ".join(f"{parameter}={value}" for parameter, value in zip(goal.parameters, refuted.binding, strict=True))
    numbers = ", ".join(f"{m.__name__} {n}" for m, n in zip(ranking.measures, refuted.measures, strict=True))
    first, *rest = both_states(refuted, proof)
    lines = [
        f"counterexample to the ranking of {name}{' for ' + about if about else ''} (the state need not be reachable)",
        "a state in which the lemmas hold and the goal is not yet reached:",
        *(f"  {line}" for line in first),
        f"  {numbers}",
    ]
    if not refuted.step:
        return [*lines, f"no step of {', '.join(ranking.helpful)} decreases the ranking from here"]
    then = ", ".join(f"{m.__name__} {n}" for m, n in zip(ranking.measures, refuted.measures_after, strict=True))
    same = "nothing is larger, but the wait has ended elsewhere, or a helpful step is no longer enabled"
    ended = [same] if refuted.measures_after <= refuted.measures else []
    return [*lines, f"after {refuted.step}:", *(f"  {line}" for line in rest[0]), f"  {then}", *ended]


def both_states(counterexample: Counterexample | Refuted, proof: Proof) -> Iterator[list[str]]:
    """The lines of the first state, and of what changed to the second, if there is one."""
    empty = proof.request.model.state(proof.request.config)
    states = [fill(empty.copy(), numbers) for numbers in (counterexample.before, counterexample.after) if numbers]
    return iter(change_lines(proof.request.model, states))


def where_met(met: Counterexample, proof: Proof) -> list[str]:
    """Whether the first state can be reached, as far as is known."""
    if met.action not in proof.met:
        return ["(the first state need not be reachable)"]
    level = proof.met[met.action]
    if met.goal in proof.violated:
        return [f"(the run violates {met.goal} after {plural(proof.violated[met.goal], 'step')}: no lemma can prove it)"]
    if level is None:
        known = f"the first state is none of the {proof.explored:,} that were explored"
        return [f"({known}: if these are all, a lemma is missing that rules it out)"]
    return [f"(the exploration reached the first state on level {level}: this is a bug)"]


def proof_as_json(proof: Proof) -> Proved:
    """The JSON document of a proof."""
    request = proof.request
    return {
        **head_of(request.model, request.revision, request.config, "z3 induction"),
        "verdict": VERDICTS[proof.verdict],
        "promises": proof.promises,
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
                "goal": counterexample.goal,
                "step": request.model.action(counterexample.action).label(counterexample.arguments),
                "met_on_level": proof.met.get(counterexample.action),
                "violated_in_run_after": proof.violated.get(counterexample.goal),
                "told": lines_of(counterexample, proof),
            }
            for counterexample in proof.counterexamples
        ],
        "indices": {place: VERDICTS[verdict] for place, verdict in indices_of(proof).items()},
        "refusals": {place: VERDICTS[verdict] for place, verdict in refusals_of(proof).items()},
        "progress": [ranked_as_json(goal, ranking, proof) for goal, ranking in request.progress],
        "any_size": None if proof.decidable is None else AnySize(
            decidable=proof.decidable[0], questions=proof.decidable[1], unread=list(proof.unread)
        ),
        "guards": [
            GuardEntry(action=g.action, line=g.line, test=g.test, guard=verdict) for g, verdict in proof.guards.items()
        ],
    }


def ranked_as_json(goal: Property, ranking: Ranking, proof: Proof) -> RankedEntry:
    """What was found of one ranking."""
    asked = proof.ranked[goal.name]
    return {
        "name": goal.name,
        "verdict": VERDICTS[worst(answer.verdict for answer in asked)],
        "measures": [measure.__name__ for measure in ranking.measures],
        "helpful": list(ranking.helpful),
        "seconds": round(sum(answer.seconds for answer in asked), 4),
        "questions": len(asked),
        "fails_at": [answer.step or answer.question for answer in asked if answer.verdict != PROVED],
        "counterexamples": [lines_of_refuted(goal.name, answer.refuted, proof) for answer in asked if answer.refuted is not None],
    }


# Bounded search.


def print_bounded(out: Console, found: Sequence[Bounded], subject: Request, quiet: bool = False) -> None:
    """What was found of each property, and the path to the first violation."""
    print_head(out, subject.model, subject.revision, subject.config)
    for answer in found:
        out.print(Text(bounded_line(answer), style=STYLES[BROKEN if answer.depth else UNKNOWN]))
        if answer.depth is not None and not quiet:
            titles = ["initially", *(instance.label for instance in answer.taken)]
            for title, lines in zip(titles, change_lines(subject.model, answer.states), strict=True):
                out.print(Text("\n".join([title, *(f"  {line}" for line in lines)])), soft_wrap=True)


def bounded_line(bounded: Bounded) -> str:
    """The verdict on one property."""
    name = bounded.property.name
    if bounded.depth is not None:
        return f"violated: {name} after {plural(bounded.depth - 1, 'step')} ({bounded.seconds:.1f} s)"
    why = "Z3 left a question open; each may take --timeout" if bounded.unknown else "the bound was reached"
    return f"incomplete: {name} holds for {plural(bounded.complete - 1, 'step')}; {why} ({bounded.seconds:.1f} s)"


def bounded_as_json(found: Sequence[Bounded], subject: Request, steps: int) -> ProvedBounded:
    """The JSON document of a bounded search; depths are levels, the initial states are level 1."""
    return {
        **head_of(subject.model, subject.revision, subject.config, "z3 bounded"),
        "steps": steps,
        "properties": [
            {
                "name": answer.property.name,
                "verdict": VIOLATED if answer.depth else INCOMPLETE,
                "depth": answer.depth,
                "complete_to": answer.complete,
                "seconds": round(answer.seconds, 4),
                "steps": [instance.label for instance in answer.taken],
            }
            for answer in found
        ],
    }
