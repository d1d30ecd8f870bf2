"""`highwater list`: what there is to name on the command line."""

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from rich.padding import Padding
from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError, hint
from ...properties.catalogue import claims_of
from ...properties.property import Property
from ...properties.registry import Models
from ...traces.action_notes import notes_of_version
from ...traces.families.scenarios import scenarios as golden_scenarios
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..output.tables import plain_table
from ..verdict import EXIT_HOLDS
from .parsing import GROUPS, Parser, add_json, default_model, model_named

SUMMARY = "List models, or a model's revisions, settings, properties, actions, repairs or recorded scenarios."
EXAMPLE = "highwater list properties --model kafka"

Entry = dict[str, Any]
MODELS = "models"


def add_flags(parser: Parser) -> None:
    """The flags of `list`."""
    parser.add_argument("what", choices=[MODELS, *LISTS], help="what to list")
    parser.add_argument("word", metavar="WORD", nargs="?", help="only the entry of this name, or those that contain the word")
    parser.add_argument("--model", choices=list(parser.models), help=f"default: {default_model(parser.models)}")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print a table, or JSON."""
    validate_outputs(options.json)
    models = options.models
    entries = list(every_model(models) if options.what == MODELS else LISTS[options.what](model_named(options)))
    if options.word:
        entries = with_word(entries, options.word)
    if options.json != "-":
        (print_settings if options.what == "settings" else print_entries)(entries)
    return conclude(EXIT_HOLDS, options.json, lambda: entries)


def with_word(entries: list[Entry], word: str) -> list[Entry]:
    """The entry that a word names; else those with it in their names; else anywhere. UsageError when there is none."""
    low = word.lower()
    names = [str(next(iter(entry.values()))).lower() for entry in entries]
    exact = [entry for entry, name in zip(entries, names, strict=True) if name.split()[0] == low]
    named = [entry for entry, name in zip(entries, names, strict=True) if low in name]
    anywhere = [entry for entry in entries if any(low in str(value).lower() for value in entry.values())]
    if not anywhere:
        raise UsageError(f"nothing in this list has the word {word!r:.40}; {hint(low, [name.split()[0] for name in names])}")
    return exact or named or anywhere


def print_entries(entries: list[Entry]) -> None:
    """A table when the entries are short, else a paragraph for each."""
    out = console()
    if not entries:
        out.print(Text("none", style="dim"))
        return
    if max(len(str(v)) for entry in entries for v in entry.values()) > 80:
        for entry in entries:
            name, *rest = ((heading, value) for heading, value in entry.items() if value or value == 0)
            out.print(Text(str(name[1]), style="bold"))
            for heading, value in rest:
                out.print(Padding(Text.assemble((f"{heading.replace('_', ' ')}: ", "dim"), str(value)), (0, 0, 0, 2)))
        return
    table = plain_table(*(heading.replace("_", " ") for heading in entries[0]), unbroken=("name", "kind"))
    for entry in entries:
        table.add_row(*("" if value is None else str(value) for value in entry.values()))
    out.print(table)


def print_settings(entries: list[Entry]) -> None:
    """The settings by their groups: name, default and values in a line, and the meaning below it."""
    out = console()
    for group, title in GROUPS.items():
        some = [entry for entry in entries if entry["kind"] == group]
        if some:
            out.print(Text(title, style="bold"))
        for entry in some:
            out.print(
                Padding(Text.assemble((entry["name"], "bold"), f" = {entry['default']}  ({entry['values']})"), (0, 0, 0, 2))
            )
            out.print(Padding(Text(entry["meaning"], style="dim"), (0, 0, 0, 6)))


def every_model(models: Models) -> Iterable[Entry]:
    """Every model."""
    for model in models.values():
        yield {"name": model.name, "actions": len(model.actions), "revisions": len(model.revisions), "title": model.title}


def revisions(model: Model) -> Iterable[Entry]:
    """The versions of the protocol, in order."""
    for revision in model.revisions.values():
        settings = " ".join(f"{name}={value}" for name, value in revision.settings.items())
        yield {"name": revision.name, "what_it_changed": revision.sentence, "settings": settings}


def settings(model: Model) -> Iterable[Entry]:
    """Sizes, faults and switches."""
    for name, setting in model.config.settings.items():
        names = getattr(setting, "names", None)
        values = " | ".join(names) if names else f"{setting.low}..{setting.high}"
        yield {"name": name, "kind": setting.group, "default": setting.show(setting.default), "values": values,
               "meaning": setting.doc}  # fmt: skip


def properties(model: Model) -> Iterable[Entry]:
    """The claims that can be checked."""
    for claim in claims_of(model).values():
        expected = expectation(claim, model)
        yield {"name": claim.name, "kind": claim.kind, "expected": expected, "needs": claim.where, "claim": claim.claim}


def expectation(claim: Property, model: Model) -> str:
    """In which revisions it is expected to hold at the default sizes."""
    names = list(model.revisions)
    holds = [name for name in names if claim.expected_to_hold(name, model)]
    if len(holds) == len(names):
        return "in all revisions"
    return f"in {', '.join(holds)}" if holds else "in none"


def repairs(model: Model) -> Iterable[Entry]:
    """What later releases changed, each with the setting that switches it on."""
    for repair in model.repairs:
        yield {
            "name": repair.name,
            "what": repair.sentence,
            "source": repair.source,
            "first_release": repair.release,
            "where": repair.where,
            "requirement": repair.row,
            "setting": f"{repair.setting} = {repair.value}",
        }


def actions(model: Model) -> Iterable[Entry]:
    """Next: who does what, and where it is defined."""
    for action in model.actions:
        yield {
            "name": " ".join((action.name, *action.parameters)),
            "where": ", ".join(dict.fromkeys(notes_of_version(action, version, "", "").place for version in action.versions)),
            "what": action.summary(),
            "design": action.section("Design"),
            "modifies": action.section("Modifies"),
            "reads_of_others": action.section("Reads"),
        }


def scenarios(model: Model) -> Iterable[Entry]:
    """The recorded scenarios: each name can stand after `show` and `replay`."""
    for scenario in golden_scenarios().values():
        first = next(iter(scenario.traces.values()))
        if first.model == model.name:
            yield {
                "name": scenario.name,
                "known_as": ", ".join(scenario.known_as),
                "revisions": ", ".join(scenario.traces),
                "about": first.property,
                "story": scenario.story,
            }


LISTS: dict[str, Callable[[Model], Iterable[Entry]]] = {
    "revisions": revisions,
    "settings": settings,
    "properties": properties,
    "actions": actions,
    "repairs": repairs,
    "scenarios": scenarios,
}
