"""`highwater releases`: where a release stands, and which revision describes it."""

import argparse
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.releases import row_of, rows_of
from ...model.language.settings import in_words
from ...properties.standing import Standing, asked_by, known_violations, prevented, standings, violated
from ..verdict import EXIT_HOLDS
from .machine_readable import conclude, refuse_unwritable
from .parsing import Parser, add_json, default_model, model_named
from .report import console
from .tables import plain_table

SUMMARY = """Say where a release stands: which revision describes it, what it still violates with a command for each,
and which repairs it lacks. Without a release: all revisions with their releases."""

EXAMPLE = "highwater releases 3.9.1"

UNBROKEN = ("releases", "revision", "under")


def add_flags(parser: Parser) -> None:
    """The flags of `releases`."""
    parser.add_argument("release", metavar="VERSION", nargs="?", help="a release, such as 2.8.1 or 3.9")
    parser.add_argument("--model", metavar="NAME", help=f"default: {default_model(parser.models)}")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print, or write JSON."""
    refuse_unwritable(options.json)
    model = model_named(options)
    if not model.releases:
        raise UsageError(f"the model {model.name} is not about releases; see highwater list revisions --model {model.name}")
    if options.release is None:
        if options.json != "-":
            print_all(model)
        return conclude(EXIT_HOLDS, options.json, lambda: list(all_rows(model)))
    found = list(standings(model, options.release)) or row_of(model, options.release)  # which refuses: no revision describes it
    documents = [as_json(model, one) for one in found if isinstance(one, Standing)]
    if options.json != "-":
        for one in documents:
            print_one(one)
    return conclude(EXIT_HOLDS, options.json, lambda: documents)


def all_rows(model: Model) -> Iterator[dict[str, Any]]:
    """Each revision that describes releases, in order; then the releases that none describes."""
    for name, one in model.revisions.items():
        for span in one.releases:
            yield {"releases": str(span), "under": span.under, "revision": name, "violated": violated(model, name)}
    none = [one for one in model.releases if not list(rows_of(model, one))]
    if none:
        yield {"releases": f"{none[0]} to {none[-1]}", "under": "", "revision": None, "violated": []}


def print_all(model: Model) -> None:
    """A table of the revisions."""
    table = plain_table("releases", "under", "revision", "violated at the default sizes", unbroken=UNBROKEN)
    for row in all_rows(model):
        told = ", ".join(row["violated"]) or "nothing"
        table.add_row(row["releases"], row["under"], row["revision"] or "none", told if row["revision"] else "not known")
    console().print(table)
    console().print("highwater releases VERSION: what a release violates beyond these sizes, and which repairs it lacks")


def as_json(model: Model, one: Standing) -> dict[str, Any]:
    """The JSON document about one release."""
    return {
        "release": one.release,
        "under": one.under,
        "revision": one.revision,
        "releases_of_the_revision": one.span,
        "what_it_changed": model.revisions[one.revision].sentence,
        "checked_by": asked_by(model, one),
        "settings": one.settings,
        "differences": [
            {"repair": d.repair.name, "source": d.repair.source, "has": d.lacking, "what": d.repair.sentence} for d in one.differs
        ],
        "violated_at_default_sizes": one.expected,
        "known_violations": [known._asdict() for known in known_violations(model, one)],
        "prevented": prevented(one),
        "lacks": [{"repair": r.name, "source": r.source, "first_release": r.release, "what": r.sentence} for r in one.lacks],
    }


def print_one(found: dict[str, Any]) -> None:
    """What people read about one release."""
    out = console()
    head = f"Kafka {found['release']} under {found['under']}"
    out.print(Text.assemble((head, "bold"), f": {found['revision']}, which describes {found['releases_of_the_revision']}"))
    if found["settings"]:
        out.print(Text(f"the release differs from it: {found['checked_by']} adds {in_words(found['settings'])}"))
    told = found["violated_at_default_sizes"]
    out.print(Text(f"violated at the default sizes: {', '.join(told) or 'nothing'}"), soft_wrap=not out.is_terminal)
    if told:
        out.print(f"  highwater check {found['checked_by']} --keep-going", soft_wrap=True)
    out.print("known violations, each at the settings of its scenario:" if found["known_violations"] else "no known violation")
    for known in found["known_violations"]:
        out.print(Text.assemble("  ", (known["scenario"], "bold"), f": {known['property']}"))
        out.print(f"    {known['command']}", soft_wrap=True)
    for name, why in found["prevented"].items():
        out.print(Text(f"the model can do {name}, and the release cannot: {why}", style="dim"), soft_wrap=not out.is_terminal)
    if found["lacks"]:
        out.print(Text("repairs that it lacks:"))
    for one in found["lacks"]:
        first = "in no release" if one["first_release"] == "none" else one["first_release"]
        out.print(Text(f"  {one['repair']} ({one['source']}, {first}): {one['what']}"), soft_wrap=not out.is_terminal)
