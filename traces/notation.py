"""How states are described: for each part of the system a few facts, in the words of the model's `notation`.

A description is a mapping from parts ("broker 1") to facts ("log" -> "0a|"); a step is described by the facts that it
changed. Facts that are whole sentences are printed without their name, and for facts that have ended the trace says what
that means.
"""

import textwrap
from collections.abc import Iterator
from typing import Any

from ..model.language.actions import Model
from ..model.language.kinds import Kind, Many
from ..model.language.notation import Facts, Notation
from ..model.language.reading.shapes import is_container
from ..model.language.sequences import is_ordered

PART, LINE = 12, 116
"""The widths of a part's name and of a line, which a file indents by four."""


def describe_variables(s: Any) -> Facts:
    """A model without a notation: every variable by its path, and what is in each queue, bag, set and map."""
    facts: Facts = {}
    for path, text in texts_below(type(s), s, ""):
        part, _, rest = path.partition(".")
        facts.setdefault(part, {})[rest or "value"] = text
    return facts


def texts_below(kind: Any, value: Any, path: str) -> Iterator[tuple[str, str]]:
    """The path and the text of every variable and container below a value."""
    if isinstance(kind, Kind) or is_container(type(value)):
        yield path, in_words(kind, value)
    elif isinstance(kind, Many):
        for index, element in enumerate(value):
            yield from texts_below(kind.element, element, f"{path}[{index}]")
    else:
        for name, field in kind.fields.items():
            yield from texts_below(field, getattr(value, name), f"{path}.{name}" if path else name)


def in_words(kind: Any, value: Any) -> str:
    """A value as people read it: `[1 2]` of a queue, `{kind vote, to 1; kind vote, to 2}` of a bag, `{1: idle}` of a map."""
    if isinstance(kind, Kind):
        return kind.text(value)
    if is_container(type(value)):
        element = type(value).fields["item"].element
        texts = [in_words(element, item) for item in value.values()]
        inside = (" " if isinstance(element, Kind) else "; ").join(texts)
        return f"{{{inside}}}" if is_ordered(type(value)) else f"[{inside}]"
    if isinstance(kind, Many):
        return f"[{' '.join(in_words(kind.element, item) for item in value)}]"
    if list(kind.fields) == ["key", "value"]:
        return f"{in_words(kind.fields['key'], value.key)}: {in_words(kind.fields['value'], value.value)}"
    return ", ".join(f"{name} {in_words(field, getattr(value, name))}" for name, field in kind.fields.items())


def describe(model: Model, state: Any) -> Facts:
    """The facts of a plain state of the model."""
    return (model.notation.describe or describe_variables)(state)


def differences(notation: Notation, before: Facts | None, after: Facts) -> Iterator[tuple[str, str, str]]:
    """What a step changed, as (part, fact, phrase): the phrase is the fact as it is written in a trace."""
    for part, facts in after.items():
        old = (before or {}).get(part, {})
        ends = notation.ends(old, facts)
        for fact, text in old.items():
            if fact not in facts and (not ends or split_name(fact)[1] in ends) and (told := farewell(notation, fact, text)):
                yield part, fact, told
        for fact, text in facts.items():
            if old.get(fact) != text:
                yield part, fact, phrase(notation, fact, text)


def split_name(fact: str) -> tuple[str, str]:
    """The partition before a fact's name, with a blank behind it, and the name itself."""
    first, _, rest = fact.partition(" ")
    if first[:1] == "p" and first[1:].isdigit() and rest:
        return first + " ", rest
    return "", fact


def farewell(notation: Notation, fact: str, text: str) -> str:
    """How the end of a fact is written whose last text was `text`; empty if another fact says it."""
    partition, name = split_name(fact)
    told = notation.gone(name, text)
    return f"{partition}{f'no more {name}' if told is None else told}" if told != "" else ""


def phrase(notation: Notation, fact: str, text: str) -> str:
    """A fact as it is written: `log 0a|`, `p1 leads in epoch 2, isr {0 1} v3`."""
    partition, name = split_name(fact)
    return f"{partition}{text}" if name in notation.unlabelled else f"{fact} {text}"


def change_lines(model: Model, states: list[Any]) -> Iterator[list[str]]:
    """For the initial state and after each step, the lines that describe what changed, part by part."""
    before: Facts | None = None
    for state in states:
        after = describe(model, state)
        by_part: dict[str, list[str]] = {}
        for part, _, told in differences(model.notation, before, after):
            by_part.setdefault(part, []).append(told)
        yield [line for part, told in by_part.items() for line in part_lines(part, told)]
        before = after


def part_lines(part: str, told: list[str]) -> list[str]:
    """The changes of one part, on as many lines as needed; a line breaks between facts if possible."""
    lines = [f"{part:<{PART}} "]
    for number, text in enumerate(told):
        text += ";" if number + 1 < len(told) else ""
        if lines[-1].strip() != part and len(lines[-1]) + len(text) > LINE:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * (PART + 1))
        lines[-1] += text + " "
    wrapped = (textwrap.wrap(line.rstrip(), LINE, subsequent_indent=" " * (PART + 3), break_on_hyphens=False) for line in lines)
    return [line for some in wrapped for line in some]
