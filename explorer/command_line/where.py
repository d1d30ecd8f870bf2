"""`highwater where`: from a sentence of a document to the lines of the model that say it."""

import argparse
import inspect
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.reading.python_files import Written, functions_written
from ...properties.catalogue import claims_of
from ...properties.property import Property
from ...properties.registry import Models
from ...traces.action_notes import place_of
from ...traces.families.scenarios import scenarios
from ..output.documents import Found
from ..output.machine_readable import conclude, validate_outputs
from ..output.report import console
from ..verdict import EXIT_HOLDS
from .parsing import Parser, add_json, default_model, model_named, positive
from .source import in_kafka

SUMMARY = """Find the lines of the model for a sentence of a design document, or for a method of Kafka.

The words are compared with the names, the docstrings and the code of every function of the model, and with its properties and
repairs; rare words count most. A section, such as `V3 A.3.2` or `T2`, is found where a docstring names it."""

EXAMPLE = 'highwater where "truncate the log to r.hw"'

COMMON_WORDS = """
a an and are as at be by for from has if in into is it its not of on or so than that the then this to with
"""
ISSUE = r"(KAFKA|KIP)-\d+"
COMMON = frozenset(COMMON_WORDS.split())


class Unit(NamedTuple):
    """Something that can be found: its name, where it is, its first sentence, its words with their weights, and its text."""

    name: str
    place: str
    sentence: str
    words: Counter[str]
    text: str = ""


def add_flags(parser: Parser) -> None:
    """The flags of `where`."""
    parser.add_argument("sentence", metavar="SENTENCE", nargs="+", help="words of a document, or the id of a section")
    parser.add_argument("--model", metavar="NAME", help=f"default: {default_model(parser.models)}, then those with its state")
    parser.add_argument("--most", metavar="N", type=positive, default=5, help="how many places (5)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the nearest places."""
    validate_outputs(options.json)
    first = model_named(options)
    others = [] if options.model else [m for m in options.models.values() if m.releases and m.state is first.state]
    models = [first, *(other for other in others if other is not first)]
    asked, units = " ".join(options.sentence), [*units_of(first, options.models)]
    units += [further(word, model) for model in models[1:] for word in claims_and_repairs(model)]
    units = [*{(word.name, word.place): word for word in units}.values()]
    if re.fullmatch(ISSUE, asked):
        found = [word for model in models for word in about(asked, model)]
        found += [word for word in units if re.search(rf"\b{asked}\b", word.text)]
    else:
        methods = called_in_kafka(asked, units)
        near = [word for word in nearest(asked, units, options.most, first.notation.short_for) if word not in methods]
        found = citing(asked, units) or (methods + near)[: options.most]
    if not found:
        raise UsageError(f"nothing in the model {first.name} has a word of {asked!r:.60}; see highwater list actions")
    if options.json != "-":
        out = console()
        for repair in found:
            out.print(Text.assemble((repair.name, "bold"), f"  {repair.place}"), soft_wrap=True)
            out.print(Text(f"    {repair.sentence}"), soft_wrap=True)
    return conclude(EXIT_HOLDS, options.json, lambda: [as_json(word) for word in found])


def as_json(repair: Unit) -> Found:
    """An entry of the JSON document."""
    return {"name": repair.name, "place": repair.place, "what": repair.sentence}


def further(word: Unit, model: Model) -> Unit:
    """What another model has, which is named: but for its properties, which both have."""
    return word if word.name in claims_of(model) else word._replace(place=f"{word.place}, model {model.name}")


def called_in_kafka(asked: str, units: list[Unit]) -> list[Unit]:
    """The functions that stand for a class and method of Kafka's: `Partition.makeLeader`, or `makeLeader`. Bodies come before the
    actions that call them, and what is named first before what is named beside it."""
    owner, _, method = asked.rpartition(".")
    if not re.fullmatch(r"(\w+\.)*[a-z]+[A-Z]\w*", asked):
        return []
    found = []
    for place, word in enumerate(units):
        said = in_kafka(word.text) if word.place.startswith("model/") else ""
        if (at := re.search(rf"\b{method}\b", said)) and re.search(rf"\b{owner}\b", said):
            found.append((at.start(), "Modifies:" in word.text, place))
    return [units[place] for *_, place in sorted(found)]


def about(issue: str, model: Model) -> list[Unit]:
    """What a model says nothing of, and recorded scenarios, of an issue."""
    out = [
        Unit(bug.issue, f"not in the model, {bug.span}", f"{bug.sentence}: {bug.why}", Counter())
        for bug in model.unmodelled if issue in bug.issue.split()
    ]  # fmt: skip
    for story in scenarios().values():
        if issue in story.known_as and next(iter(story.traces.values())).model == model.name:
            out.append(Unit(story.name, f"scenario; highwater show {issue}", story.story, Counter()))
    return out


def citing(asked: str, units: list[Unit]) -> list[Unit]:
    """All that cites a section, such as `V3 G` or `V3 A.3`, and its parts; none where that is not the name of one."""
    section = re.fullmatch(r"(V\d|K\d|I\d) ([A-Z](?:\.\d+)*)", asked)
    if section is None:
        return []
    name = rf"(?<![\w.]){re.escape(section[2])}(?![A-Za-z0-9])"
    document = rf"\b{section[1]} ([^;:()\n]*)"
    return [word for word in units if any(re.search(name, cited) for cited in re.findall(document, word.text))]


def nearest(sentence: str, units: list[Unit], most: int, short_for: Mapping[str, str]) -> list[Unit]:
    """The units that share most with a sentence, the nearest first: rare words count more, and long texts less."""
    asked = set(spelled(Counter(words_of(sentence)), short_for))
    told = [spelled(unit.words, short_for) for unit in units]
    among = Counter(word for words in told for word in words)
    weight = {word: math.log(1 + len(units) / count) for word, count in among.items()}
    scored = []
    for place, words in enumerate(told):
        shared = sum(weight[word] * min(words[word], 8) ** 0.5 for word in asked if word in words)
        length = sum(weight[word] ** 2 for word in words) ** 0.25
        if shared:
            scored.append((-shared / length, place))
    return [units[place] for _, place in sorted(scored)[:most]]


def spelled(words: Counter[str], short_for: Mapping[str, str]) -> Counter[str]:
    """The words with abbreviations spelled out."""
    out: Counter[str] = Counter()
    for word, count in words.items():
        for model in words_of(short_for[word]) if word in short_for else [word]:
            out[model] += count
    return out


def words_of(text: str) -> Iterator[str]:
    """The words of a text, endings cut: `truncates` and `truncation` are one."""
    for word in re.findall(r"\b[A-Z](?:\.\d+)+|[A-Z]+\d+|[A-Za-z]+|\d+", text.replace("_", " ")):
        model = word.lower()
        if model not in COMMON and (len(model) > 1 or model.isdigit()):
            yield re.sub(r"(ations|ation|ating|ions|ion|ing|ed|es|e|s)$", "", model) if len(model) > 4 else model


def units_of(model: Model, models: Models) -> Iterator[Unit]:
    """Everything in a model that has a place or a name."""
    for file in files_of(model, models):
        for function in functions_written(file.read_text(encoding="utf-8")):
            yield unit(function, file)
    yield from claims_and_repairs(model)


def claims_and_repairs(model: Model) -> Iterator[Unit]:
    """A model's properties and repairs."""
    for claim in claims_of(model).values():
        yield Unit(claim.name, where_claimed(claim), claim.claim, telling([claim.name, claim.claim], []))
    for repair in model.repairs:
        place = f"repair, {repair.release}: {repair.setting} = {repair.value}"
        said = telling([repair.name, repair.sentence, repair.source, repair.row], [])
        yield Unit(repair.name, place, repair.sentence, said, repair.source)


def where_claimed(claim: Property) -> str:
    """The lines of a property."""
    code = claim.function.__code__
    return f"property, {place_of(code.co_filename, code.co_firstlineno)}"


def unit(function: Written, file: Path) -> Unit:
    """A function of the model."""
    name, line, text, code = function
    first = " ".join(text.split("\n\n")[0].split())
    return Unit(name, place_of(str(file), line), first, telling([name, name, file.stem, text], code), text)


def telling(said: Iterable[str], code: Iterable[str]) -> Counter[str]:
    """Words with how much they say: what is said counts more than names in code."""
    out: Counter[str] = Counter()
    for text in said:
        for word in words_of(text):
            out[word] += 2
    out.update(word for name in set(code) for word in words_of(name))
    return out


def files_of(model: Model, models: Models) -> list[Path]:
    """The files of a model: those beside its state and below, without other models and the language of all of them."""
    home = Path(inspect.getfile(model.state)).parent
    others = {Path(inspect.getfile(word.state)).parent for word in models.values()} - {home}
    language = Path(inspect.getfile(Model)).parent
    own = [file for file in sorted(home.rglob("*.py")) if not {language, *others} & set(file.parents)]
    if model.plugins:
        modules = {inspect.getfile(version) for action in model.actions for version in action.versions}
        own += [Path(file) for file in sorted(modules) if Path(file) not in own]
    return own
