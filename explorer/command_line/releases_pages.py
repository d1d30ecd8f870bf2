"""Pages of the documents about the protocol of each release: what it changed, as code, and what it runs."""

import re
from collections.abc import Mapping, Sequence

from ...model.language.actions import Model
from ...model.language.reading.source import Piece, files_of, source_of
from ...model.language.repairs import Repair, base_of
from ...model.language.settings import changed
from .source import kafka_names, named, patch

INDEX, COMMON = "index.md", "common.md"

GENERATED = "Generated from the model by `pytest tests/test_releases_pages.py --rewrite-golden`; do not edit."

Sources = Mapping[str, Sequence[Piece]]


def pages(model: Model) -> dict[str, str]:
    """The text of each page, by its name: the index, what all revisions have, and a page for each revision."""
    sources: Sources = {name: source_of(model, model.defaults(name)) for name in model.revisions}
    common = [piece for piece in sources[next(iter(sources))] if all(is_there(piece, some) for some in sources.values())]
    names = list(sources)
    out = {INDEX: index(model, sources), COMMON: common_page(common)}
    for number, name in enumerate(names):
        earlier = nearest(model, name, names[:number])
        out[f"{name}.md"] = release_page(model, name, earlier, sources, common)
    return out


def is_there(piece: Piece, pieces: Sequence[Piece]) -> bool:
    """Whether a revision runs this function with this text."""
    return any((revision.name, revision.file, revision.text) == (piece.name, piece.file, piece.text) for revision in pieces)


def nearest(model: Model, name: str, earlier: Sequence[str]) -> str | None:
    """The earlier revision that differs in the fewest settings; of several the last."""
    differences = {piece: len(changed(model.defaults(name), model.defaults(piece))) for piece in reversed(earlier)}
    return min(differences, key=differences.__getitem__, default=None)


def index(model: Model, sources: Sources) -> str:
    """The page that leads to the others, with an index from Kafka's classes and methods to the functions of the model."""
    *_, before, last = sources
    lines = [
        f"# The protocol of each release: {model.name}", "", GENERATED, "",
        "Each page shows the model as one revision runs it, without a switch, and what the revision changed, as a patch. What",
        f"all revisions run alike is in [{COMMON}]({COMMON}). Sizes and fault budgets keep their names: `s.config.log_size`.",
        "The pages leave out which variables a function modifies and reads. In a terminal,",
        f"`highwater source --model {model.name} --revision {last}` prints everything, and `--against {before}` any difference.",
        "",
        "| revision | what it is | actions | functions | lines |", "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for name, pieces in sources.items():
        actions, size = sum(piece.is_action for piece in pieces), sum(code(piece).count("\n") for piece in pieces)
        cells = f"[{name}]({name}.md) | {model.revisions[name].sentence} | {actions} | {len(pieces)} | {size}"
        lines.append(f"| {cells} |")
    lines += [
        "", "## From Kafka's class and method to the model", "",
        "| Kafka | function | place | revisions |", "| --- | --- | --- | --- |",
    ]  # fmt: skip
    return "\n".join([*lines, *index_rows(sources), ""])


def index_rows(sources: Sources) -> list[str]:
    """A row for each of Kafka's names and each function that names it."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for revision, pieces in sources.items():
        for piece in pieces:
            for name in kafka_names(piece):
                found.setdefault((name, piece.name, f"{named(piece.file)}:{piece.line}"), []).append(revision)
    rows = []
    for (name, function, place), revisions in sorted(found.items()):
        which = "all" if len(revisions) == len(sources) else ", ".join(f"[{line}]({line}.md)" for line in revisions)
        rows.append(f"| `{name}` | `{function}` | {place} | {which} |")
    return rows


def common_page(common: Sequence[Piece]) -> str:
    """The functions that all revisions run alike."""
    head = ["# What all revisions run alike", "", GENERATED, "", f"[Index]({INDEX})", ""]
    return "\n".join([*head, *code_of(common)])


def release_page(model: Model, name: str, earlier: str | None, sources: Sources, common: Sequence[Piece]) -> str:
    """The page of one revision."""
    pieces = sources[name]
    own = [piece for piece in pieces if not is_there(piece, common)]
    lines = [f"# {name}", "", GENERATED, "", f"{model.revisions[name].sentence}.", f"[Index]({INDEX})", ""]
    if earlier is not None and not changed(model.defaults(name), model.defaults(earlier)):
        lines += [f"It runs what [{earlier}]({earlier}.md) runs.", ""]
    elif earlier is not None:
        patched = list(patch(without_notes(sources[earlier]), without_notes(pieces), earlier, name))
        lines += [
            f"## What differs from {earlier}",
            "",
            *settings_table(model, name, earlier),
            "",
            "```diff",
            *patched,
            "```",
            "",
        ]
    lines += ["## All that it runs", "", f"Functions without a link are below; the others are in [{COMMON}]({COMMON}).", ""]
    for file, some in files_of(pieces).items():
        functions = [f"`{piece.name}`" if piece in own else f"[`{piece.name}`]({COMMON}#{anchor(file)})" for piece in some]
        lines.append(f"- {named(file)}: {', '.join(functions)}")
    return "\n".join([*lines, "", *code_of(own)])


def settings_table(model: Model, name: str, earlier: str) -> list[str]:
    """The settings in which two revisions differ, each with what changed it: the sentence and the issue."""
    lines = ["| setting | before | after | what it says | issue | in Kafka |", "| --- | --- | --- | --- | --- | --- |"]
    before, after = model.defaults(earlier).shown(), model.defaults(name).shown()
    for setting in changed(model.defaults(name), model.defaults(earlier)):
        why = change(model, setting, before[setting], after[setting])
        cells = why.sentence, why.source, f"`{why.where}`"
        if why.value != after[setting]:
            word = f"not before {why.release}" if why.before == after[setting] else "not any more"
            cells = f"{word}: {cells[0]}", *cells[1:]
        if not why.name:
            cells = model.config.settings[setting].doc, "", ""
        lines.append(f"| `{setting}` | {before[setting]} | {after[setting]} | {' | '.join(cells)} |")
    return lines


def change(model: Model, setting: str, before: object, after: object) -> Repair:
    """The repair that a setting's value is, or the one that is given up; without a name where it is neither."""
    mine = [repair for repair in model.repairs if repair.setting == setting]
    values = [base_of(model.config.settings[setting], mine), *(piece.value for piece in mine)] if mine else []
    for value in (after, before):
        if value in values[1:]:
            return mine[values.index(value) - 1]
    return Repair("", setting, after, "", "", "", "", "")


def without_notes(pieces: Sequence[Piece]) -> list[Piece]:
    """Functions whose docstrings do not say what they modify and read."""
    return [Piece(p.name, p.file, p.line, p.is_action, p.heading, shorter(p.docstring), p.body) for p in pieces]


def shorter(docstring: str) -> str:
    """A docstring without `Modifies:` and `Reads:`."""
    return re.sub(r"\n\s*Modifies:.*?(\n\s*\"\"\"\n)\Z", r"\1", docstring, flags=re.S)


def code(piece: Piece) -> str:
    """The text of a function on a page."""
    return piece.heading + shorter(piece.docstring) + piece.body


def code_of(pieces: Sequence[Piece]) -> list[str]:
    """A section of code for each file."""
    out: list[str] = []
    for file, some in files_of(pieces).items():
        out += [f"## {named(file)}", "", "```python", *"\n".join(map(code, some)).splitlines(), "```", ""]
    return out


def anchor(file: str) -> str:
    """The anchor of a file's section."""
    return re.sub(r"[^a-z0-9_-]", "", named(file).lower())
