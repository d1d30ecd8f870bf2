"""`highwater schema`: the JSON Schema of what a command writes with `--json`."""

import argparse
from typing import Any

import msgspec

from ..output.documents import DOCUMENTS
from ..output.machine_readable import write_json
from ..verdict import EXIT_HOLDS
from .parsing import Parser

SUMMARY = """Print the JSON Schema of what a command writes with --json, for programs that read it.

A field may be added in a later version; none that is here changes its meaning within one."""

EXAMPLE = "highwater schema check"

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def add_flags(parser: Parser) -> None:
    """The flags of `schema`."""
    parser.add_argument("of", metavar="COMMAND", choices=sorted(DOCUMENTS), help=f"one of {', '.join(sorted(DOCUMENTS))}")


def run(options: argparse.Namespace) -> int:
    """Print it."""
    write_json(schema_of(options.of), "-")
    return EXIT_HOLDS


def schema_of(command: str) -> dict[str, Any]:
    """The schema, with the definitions that it names."""
    some, definitions = msgspec.json.schema_components(DOCUMENTS[command], ref_template="#/$defs/{name}")
    which = some[0] if len(some) == 1 else {"anyOf": list(some)}
    return {"$schema": DRAFT, "title": f"highwater {command} --json", **which, "$defs": definitions}
