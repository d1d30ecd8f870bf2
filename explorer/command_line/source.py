"""`highwater source`: the model as one release runs it, without a switch."""

import argparse
import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

from rich.syntax import Syntax

from ...model.language.errors import UsageError, hint
from ...model.language.reading.source import Piece, files_of, source_of
from ...traces.action_notes import place_of
from ..output.documents import FunctionEntry
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..request import revision_named
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_json, default_model, model_named, only_revision, settings_of

SUMMARY = """Print the model as one revision runs it: its switches are resolved, docstrings and comments are kept.

Actions that it does not have are left out, and so is what nothing calls. Sizes and fault budgets keep their names, except those
that are given as flags; with --as-checked all have the values that `check` takes. NAME is an action, another function, or
Kafka's name for it. With --against the difference from another revision is printed, as a patch."""

EXAMPLE = "highwater source --revision kip-320-2.1.1 expand_isr --against kip-279"


def add_flags(parser: Parser) -> None:
    """The flags of `source`."""
    parser.about = True
    revisions = "; ".join(f"{name}: {', '.join(model.revisions)}" for name, model in parser.models.items())
    parser.add_argument("names", metavar="NAME", nargs="*", help="only this: expand_isr, Partition.maybeExpandIsr (default: all)")
    parser.add_argument("--model", metavar="NAME", help=f"{', '.join(parser.models)} (default: {default_model(parser.models)})")
    parser.add_argument("--revision", metavar="NAME", help=revisions)
    parser.add_argument("--against", metavar="REVISION", help="print the difference from this revision, as a patch")
    parser.add_argument("--as-checked", action="store_true", help="decide sizes and fault budgets too, as check does")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the text, or write JSON."""
    validate_outputs(options.json)
    model = model_named(options)
    named = options.revision or only_revision(model)
    if named is None:
        raise UsageError(f"--revision is missing; the model {model.name} has {', '.join(model.revisions)}")
    settings = settings_of(options, model)
    decided = [name for name in model.config.settings if options.as_checked or name in settings]
    revisions = [revision_named(model, name) for name in (options.against, named) if name]
    sources = [source_of(model, model.configure(name, **settings), tuple(decided)) for name in revisions]
    if options.names:
        known = [action.name for action in model.actions]
        validate_names(options.names, [piece for pieces in sources for piece in pieces], known, " or ".join(revisions))
        sources = [tuple(piece for piece in pieces if names_of(piece) & {*options.names}) for pieces in sources]
    same = f"# {', '.join(options.names) or 'everything'} has the same text under {' and '.join(revisions)}"
    text = ("\n".join(patch(sources[0], sources[-1], *revisions)) or same) if options.against else whole(sources[-1])
    if options.json != "-":
        show(text, "diff" if options.against else "python")
    return conclude(EXIT_HOLDS, options.json, lambda: [entry(piece) for piece in sources[-1]])


def show(text: str, language: str) -> None:
    """Print a text, in colours on a terminal."""
    out = console()
    if out.is_terminal:
        out.print(Syntax(text, language, theme="ansi_dark", background_color="default", word_wrap=True))
    else:
        out.print(text, soft_wrap=True)


def validate_names(names: Sequence[str], pieces: Sequence[Piece], actions: Sequence[str], revisions: str) -> None:
    """UsageError for a name of nothing that runs."""
    known = {name for piece in pieces for name in names_of(piece)}
    for name in names:
        if name not in known and name in actions:
            raise UsageError(f"the action {name} never happens under {revisions} with these settings; highwater list actions")
        if name not in known:
            near = hint(name, sorted(known), "see highwater list actions")
            raise UsageError(f"no function that runs under {revisions} is called {name!r:.60}; {near}")


def names_of(piece: Piece) -> set[str]:
    """Its name, and Kafka's for it, with and without the class."""
    found = kafka_names(piece)
    return {piece.name, *found, *(name.rpartition(".")[2] for name in found)}


def kafka_names(piece: Piece) -> list[str]:
    """Kafka's classes and methods that a function's docstring names after `Kafka:`."""
    return re.findall(r"\b[A-Z]\w+(?:\.\w+)+", in_kafka(piece.docstring))


def in_kafka(docstring: str) -> str:
    """What a docstring says after `Kafka:`; else empty."""
    section = re.search(r"\bKafka:\s*(.*?)(?:\n\s*\n|\n\s*[A-Z]\w+:|\"\"\"|\Z)", docstring, re.S)
    return section[1] if section else ""


def whole(pieces: Sequence[Piece]) -> str:
    """The functions, file by file."""
    files = files_of(pieces).items()
    return "\n\n".join(f"# {named(file)}\n\n\n" + "\n\n".join(piece.text for piece in some) for file, some in files)


def named(file: str) -> str:
    """A file as reports name it; what has no file is a rule."""
    return place_of(file, 0).rpartition(":")[0] if file else "rules"


def patch(before: Sequence[Piece], after: Sequence[Piece], old: str, new: str) -> Iterator[str]:
    """What the second has instead of the first, as a patch of the files."""
    left, right = files_of(before), files_of(after)
    for file in dict.fromkeys([*right, *left]):
        texts = [lines_of(part.get(file, [])) for part in (left, right)]
        headings = [heading for heading, _ in texts[0]]
        first, second = ([line for _, line in text] for text in texts)
        for line in difflib.unified_diff(first, second, f"{old}/{named(file)}", f"{new}/{named(file)}", lineterm=""):
            found = re.match(r"@@ -(\d+)", line)
            yield f"{line} {headings[min(int(found[1]), len(headings)) - 1]}".rstrip() if found and headings else line


def lines_of(pieces: Iterable[Piece]) -> list[tuple[str, str]]:
    """The lines of a file's functions, each with the first line of its function."""
    found = []
    for piece in pieces:
        text = piece.text.splitlines()
        found += [(text[0], line) for line in [*text, "", ""]]
    return found


def entry(piece: Piece) -> FunctionEntry:
    """A function as JSON."""
    return {
        "name": piece.name, "action": piece.is_action, "file": named(piece.file), "line": piece.line, "kafka": kafka_names(piece),
        "text": piece.text,
    }  # fmt: skip
