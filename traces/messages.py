"""Who sends what to whom in a trace: the arrows of a space-time diagram.

A message is on its way from the step that sends it to the step that receives it, or for ever. Some are variables of the state,
which the model's notation lists (`pending`). Others are one step of two actors, such as a write to the store (`at_once`). Of a
step that neither knows the facts say it: an actor that changes another part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.language.actions import Model
from ..model.language.notation import Ends, Facts, Key, Notation
from ..model.language.settings import length_named
from .trace import Step

WRITE = "store write"
"""A step by which an actor changes the first part, where the notation says nothing of it."""


@dataclass(frozen=True)
class Message:
    """A message. `sent` and `received` are numbers of steps; `received` is None if it never arrives.

    If sender and receiver are the same, it stands for a step of that actor.
    """

    sender: str
    receiver: str
    kind: str
    text: str
    sent: int
    received: int | None

    def as_json(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """As it stands in a document. `label`: the text at its arrow, in few words."""
        first, short = labels.get(self.kind, ""), self.text.partition(" in ")[0]
        return {
            "from": self.sender, "to": self.receiver, "kind": self.kind, "text": self.text, "received": self.received,
            "label": self.text if not first else first if short == first else f"{first}: {short}",
        }  # fmt: skip


def messages(model: Model, steps: Sequence[Step], states: Sequence[Any], told: Sequence[Facts]) -> list[list[Message]]:
    """The messages of a trace by the step that sends them; those of the initial state first. `told`: each state's facts."""
    post, known = Post(states, model.notation), model.notation.at_once
    post.open(0)
    for number, step in enumerate(steps[: len(states) - 1], 1):
        received = post.take(step, number)
        at_once = at_once_in(model, step, number, told[number - 1], told[number])
        asked = any(key[0] == at_once.kind == WRITE and sent == number for key, (sent, _) in post.waiting.items())
        if (not received or step.action in known) and not asked:
            post.out[number].append(at_once)
    for key in list(post.waiting):
        post.close(key, None)
    return post.out


class Post:
    """What is on its way while a trace runs. What stays in the state when it was received is received once."""

    def __init__(self, states: Sequence[Any], notation: Notation) -> None:
        self.states, self.notation = states, notation
        self.staying = {kind for kind, *_ in notation.kept.values()}
        self.out: list[list[Message]] = [[] for _ in states]
        self.waiting: dict[Key, tuple[int, Ends]] = {}
        self.obeyed: set[Key] = set()

    def pending(self, number: int) -> Mapping[Key, Ends]:
        """What is on its way after a step."""
        return self.notation.pending(self.states[number]) if self.notation.pending else {}

    def open(self, number: int) -> None:
        """Note what the state after a step has on its way that the one before had not."""
        for key, value in self.pending(number).items():
            if key not in self.waiting and key not in self.obeyed:
                self.waiting[key] = (number, value)

    def close(self, key: Key, received: int | None) -> None:
        """A message is received, or will never be."""
        sent, (sender, receiver, text) = self.waiting.pop(key)
        self.out[sent].append(Message(sender, receiver, key[0], text, sent, received))

    def take(self, step: Step, number: int) -> int:
        """Close the messages that a step receives or loses, then open those that it sends; how many it received."""
        arguments = dict(step.arguments)
        kind, *names = self.notation.kept.get(step.action, ("",))
        staying = (kind, *(arguments.get(name) for name in names))
        received = 0
        now = self.pending(number)
        for key in list(self.waiting):
            taken = key == staying if key[0] in self.staying else key not in now
            if taken and key[0] in self.notation.receives.get(step.action, ()):
                received += 1
                self.obeyed |= {key} if key in now else set()
                self.close(key, number)
            elif key not in now:
                self.close(key, None)
        self.obeyed &= set(now)
        self.open(number)
        return received


def at_once_in(model: Model, step: Step, number: int, before: Facts, after: Facts) -> Message:
    """What a step does between two actors, or one actor by itself."""
    notation, arguments = model.notation, dict(step.arguments)
    lifelines = {name: lifeline for name, value in arguments.items() if (lifeline := lifeline_of(model, name, value, after))}
    actor = next(iter(lifelines.values()), "")
    changed = [part for part, facts in after.items() if facts != before.get(part) and part not in notation.backstage]
    if step.action in notation.at_once:
        start, end, kind, text = notation.at_once[step.action]
        sender, receiver = (lifelines.get(name, name if name in after else actor) for name in (start, end))
        return Message(sender, receiver, kind, text or new_records(before, after, receiver), number, number)
    between = sides(notation, lifelines, changed)
    if between:
        return Message(*between, "step", step.action, number, number)
    first = next(iter(after), actor)
    actor = actor or (changed[0] if len(changed) == 1 else "")
    writes = bool(actor) and first != actor and before.get(first) != after.get(first)
    return Message(actor or first, first if writes else actor or first, WRITE if writes else "step", step.action, number, number)


def sides(notation: Notation, lifelines: Mapping[str, str], changed: Sequence[str]) -> tuple[str, str] | None:
    """From whom to whom a step of two actors leads: as the notation has it, or to the one of them that it changes."""
    if notation.sides:
        found = [lifelines[name] for name in notation.sides if name in lifelines]
    else:
        found = sorted(dict.fromkeys(lifelines.values()), key=lambda part: part in changed)
    return (found[0], found[1]) if len(found) == 2 and found[0] != found[1] else None


def lifeline_of(model: Model, name: str, value: int, facts: Facts) -> str:
    """The part that a parameter names, as `broker 1`, `controller` where there is one, or `node[1]`; empty if it names none."""
    if name in model.notation.actors:
        actor = model.notation.actors[name]
        return next((part for part in (f"{actor} {value}", actor) if part in facts), next(iter(facts), ""))
    length = length_named(model.domains[name]) if name in model.domains else None
    arrays = [field for field, kind in model.state.fields.items() if getattr(kind, "dimension", "") == length]
    return next((part for array in (name, *arrays) if (part := f"{array}[{value}]") in facts), "")


def new_records(before: Facts, after: Facts, part: str) -> str:
    """What a fetch brought to a follower: the records that its log has more."""
    for fact, text in after.get(part, {}).items():
        old = before.get(part, {}).get(fact, "")
        if fact.endswith("log") and text != old:
            more = text.replace("|", " ").split()[len(old.replace("|", " ").split()) :]
            return " ".join(more) or "high watermark"
    return "nothing new"
