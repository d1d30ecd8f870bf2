"""`highwater releases`: where a release stands, and which revision describes it."""

import argparse
from collections.abc import Iterator
from typing import cast

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.releases import release_of, row_of
from ...model.language.settings import in_words
from ...properties.checked import flag_of_model
from ...properties.standing import Standing, asked_by, known_violations, standings, violated
from ..output.documents import KnownViolation, ReleaseDocument, ReleaseRow
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..output.tables import plain_table
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_json, model_named

SUMMARY = """Say what is known of a release: which revision describes it, what it violates, with a command for each,
and which repairs it lacks. Without a release: all revisions with their releases."""

EXAMPLE = "highwater releases 3.9.1"

UNBROKEN = ("releases", "revision", "under")


def add_flags(parser: Parser) -> None:
    """The flags of `releases`."""
    parser.add_argument("release", metavar="VERSION", nargs="?", help="a release, such as 2.8.1 or 3.9")
    parser.add_argument("--model", metavar="NAME", help="default: all models that describe releases")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print, or write JSON."""
    validate_outputs(options.json)
    models = about_releases(options)
    if options.release is None:
        rows = [row for model in models for row in all_rows(model)]
        if options.json != "-":
            print_all(rows)
        return conclude(EXIT_HOLDS, options.json, lambda: rows)
    release = release_of(models[0], options.release)
    documents = [as_json(model, s) for model in models if release in model.releases for s in standings(model, release)]
    if not documents:
        row_of(models[0], release)  # which refuses: no revision describes it
    if options.json != "-":
        for document in documents:
            print_one(document)
    return conclude(EXIT_HOLDS, options.json, lambda: documents)


def about_releases(options: argparse.Namespace) -> list[Model]:
    """The model that is named, or all that describe releases."""
    if not options.model:
        return [row for row in options.models.values() if row.releases]
    model = model_named(options)
    if not model.releases:
        raise UsageError(f"the model {model.name} is not about releases; see highwater list revisions --model {model.name}")
    return [model]


def all_rows(model: Model) -> Iterator[ReleaseRow]:
    """Each revision that describes releases, in order."""
    for name, revision in model.revisions.items():
        for span in revision.releases:
            told = violated(model, name)
            yield {"releases": str(span), "under": span.under, "model": model.name, "revision": name, "violated": told}


def print_all(rows: list[ReleaseRow]) -> None:
    """A table of the revisions."""
    table = plain_table("releases", "under", "revision", "violated at the default sizes", unbroken=UNBROKEN)
    for row in rows:
        table.add_row(row["releases"], row["under"], row["revision"], ", ".join(row["violated"]) or "nothing")
    console().print(table)
    console().print("highwater releases VERSION: what a release violates beyond these sizes, and which repairs it lacks")


def as_json(model: Model, standing: Standing) -> ReleaseDocument:
    """The JSON document about one release."""
    return {
        "release": standing.release,
        "under": standing.under,
        "model": model.name,
        "revision": standing.revision,
        "releases_of_the_revision": standing.span,
        "what_it_changed": model.revisions[standing.revision].sentence,
        "checked_by": f"{flag_of_model(model)}{asked_by(model, standing)}",
        "settings": standing.settings,
        "differences": [
            {"repair": d.repair.name, "source": d.repair.source, "has": d.lacking, "what": d.repair.sentence}
            for d in standing.differs
        ],
        "violated_at_default_sizes": standing.expected,
        "known_violations": [cast(KnownViolation, known._asdict()) for known in known_violations(model, standing)],
        "lacks": [{"repair": r.name, "source": r.source, "first_release": r.release, "what": r.sentence} for r in standing.lacks],
    }


def print_one(found: ReleaseDocument) -> None:
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
    if found["lacks"]:
        out.print(Text("repairs that it lacks:"))
    for row in found["lacks"]:
        first = "in no release" if row["first_release"] == "none" else row["first_release"]
        out.print(Text(f"  {row['repair']} ({row['source']}, {first}): {row['what']}"), soft_wrap=not out.is_terminal)
