"""The pages on rules and what each is for: one that a person reads, with what survived and why, and the whole table."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ...model.language.settings import in_words
from ..mutation.analysis import BY_CATALOGUE, FEWER, KILLED, MORE, OPEN, WORDS, Size

ROW = re.compile(r"^\| `(\w+)` \| (guard|constant|least or greatest|effect) `(.*)` \| (\S.*) \| (\d+|all) \|$", re.M)
"""A row of the table."""

UNEXPLAINED = (FEWER, MORE, OPEN)
"""What needs a sentence in the model's source."""


class Row(NamedTuple):
    """A rule, and what is without it; `size` is the number of the size that decided, from 0, or -1 for all of them."""

    function: str
    kind: str
    rule: str
    verdict: str
    detail: str
    note: str
    size: int

    @property
    def outcome(self) -> str:
        """`violated: strong_isr after 9 steps`."""
        return f"{self.verdict}: {self.detail}" if self.detail else self.verdict

    @property
    def explained(self) -> bool:
        """It is killed, or the counts say that nothing new is reached without it, or a sentence says why it survives."""
        return self.verdict not in UNEXPLAINED or bool(self.note)

    @property
    def name(self) -> str:
        """The rule as text."""
        return f"{self.kind} `{self.rule}`"


def page(
    model: str,
    rows: Sequence[Row],
    sizes: Sequence[Size],
    left_out: Sequence[str],
    whole: str,
    enough: int,
    of: int = 0,
    command: str = "docs/guards.md",
) -> str:
    """What a person reads; `whole` is the file of the whole table, `enough` how many states of a survivor were seen.

    `of`: how many rules the model has; 0: those of `rows`. `command`: how the command that writes the page ends.
    """
    counts = Counter(row.verdict for row in rows)
    killed, by_catalogue = (sum(counts[verdict] for verdict in verdicts) for verdicts in (KILLED, BY_CATALOGUE))
    lines = [
        f"# What each rule of the {model} model is for",
        "",
        f"A rule is one reason of a guard, a `+ 1`, a min or max, or a call. The model has {of or len(rows)}.",
        *([f"This page is about {len(rows)} of them."] if len(rows) < of else []),
        "`highwater guards` breaks each by itself and explores small sizes:",
        f"{killed} of these mutants are killed, {len(rows) - killed} survive.",
        "This page says which survive and, where it is known, why.",
        f"The catalogue of properties (`highwater list properties`) kills {by_catalogue} of them.",
        f"[The whole table]({whole}) says what kills each of the others.",
        "",
        "| rules | verdict | what it means |",
        "| --- | --- | --- |",
        *(f"| {counts[verdict]} | {verdict} | {meaning} |" for verdict, meaning in WORDS.items()),
        "",
        "The first five verdicts kill a mutant, the first three by the catalogue. The rules of single steps are a second",
        "specification: they state again what the design documents prescribe.",
        "",
        "## What survives, and why",
        "",
        *survivors(rows),
        "## Method",
        "",
        f"`highwater guards --model {model} --markdown {command}` writes this page and the table; do not edit them.",
        "The sizes below are explored one after the other until the catalogue kills the mutant. A mutant that it does not kill",
        f"is explored at all of them, or until at least {enough:,} states were seen. A size at which the mutant is the same",
        "program as the model, with the settings folded in, is left out. With `--record FILE` a later run explores only what is",
        "new.",
        "The sentence about a survivor is a comment in the model's source, beside its rule (`Without it, ...`).",
        "",
        f"Left out, because they do not see the configuration: {', '.join(f'`{name}`' for name in left_out)}.",
        "",
        *table_of_sizes(sizes),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def survivors(rows: Sequence[Row]) -> Iterator[str]:
    """For each verdict the rules that survive, those with a sentence one by one."""
    for verdict, meaning in WORDS.items():
        some = [row for row in rows if row.verdict == verdict]
        if verdict in KILLED or not some:
            continue
        yield f"### {verdict}: {meaning}"
        yield ""
        for function, group in groupby(some, lambda row: row.function):
            yield from of_function(function, list(group))
        yield ""


def of_function(function: str, rows: Sequence[Row]) -> Iterator[str]:
    """The rules of a function, those without a sentence together."""
    for row in rows:
        if row.note or not row.explained:
            yield f"- `{function}`, {row.name}: {row.note or 'no explanation yet.'}"
    rest = [row.name for row in rows if row.explained and not row.note]
    if rest:
        yield f"- `{function}`, {'; '.join(rest)}"


def table_of_sizes(sizes: Sequence[Size]) -> Iterator[str]:
    """The sizes with their numbers."""
    yield "| size | revision | settings |"
    yield "| --- | --- | --- |"
    for number, (revision, settings) in enumerate(sizes, 1):
        yield f"| {number} | {revision} | {in_words(settings) or 'the defaults'} |"


def command_in(text: str) -> str:
    """How the command ends that wrote a page."""
    found = re.search(r"--markdown (.*)` writes this page", text)
    return found[1] if found else ""


def rows_in(text: str) -> list[Row]:
    """The rows of a table that was written before."""
    rows = []
    for function, kind, rule, outcome, size in ROW.findall(text):
        told, sentence, note = outcome.partition(". Without it")
        verdict, _, detail = told.partition(": ")
        number = -1 if size == "all" else int(size) - 1
        rows.append(Row(function, kind, rule.replace(r"\|", "|"), verdict, detail, (sentence + note)[2:], number))
    return rows


def table(model: str, rows: Sequence[Row], summary: str) -> str:
    """Every rule, with what is without it and the number of the size that decided."""
    lines = [
        f"# Every rule of the {model} model, broken by itself",
        "",
        f"Generated with [the page on it]({summary}), where the sizes are; do not edit.",
        "",
        "| where | rule | without it | size |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        size = row.size + 1 if row.size >= 0 else "all"
        outcome = f"{row.outcome}. {row.note}" if row.note else row.outcome
        lines.append(f"| `{row.function}` | {row.kind} `{row.rule.replace('|', chr(92) + '|')}` | {outcome} | {size} |")
    return "\n".join(lines) + "\n"
