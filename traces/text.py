"""The file format of traces: lines that can be read aloud.

    highwater trace 1
    model: kafka 3f2a90c11b7d
    revision: kip-101
    settings: brokers=2 max_epoch=3
    property: log_prefix_convergence
    initial: 1 @5ad0c9e1f203
    cycle: 9
    # What the trace shows.

    # Comments tell the story.
    1 produce partition=0 leader=1 batch=0 @90b1c7a2e4d5
        broker 1  log 0a

Indented lines say what changed; they are for people, and are not read back. `cycle` stands in a trace that never ends: with which
step the part begins that is repeated for ever; the number after the last one: that nothing more happens. Comments that stand
before the first empty line below the headings are the trace's own, others belong to the step that follows.
"""

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..model.language.errors import UsageError, reason_of
from .trace import Step, Trace
from .visible import visible

FIRST_LINE = "highwater trace 1"
LARGEST_FILE = 4 << 20
MAX_STEPS = 100_000

HEADINGS = ("model", "plugins", "revision", "settings", "property", "initial", "cycle")
LONGEST_LINE = 120

BEGINS, AGAIN, NO_MORE = "what follows is repeated for ever", "and again from step {}", "and nothing more happens"
"""Where a cycle begins and ends."""

STEP = re.compile(r"([0-9]{1,6}) ([a-z_0-9]{1,60})((?: [a-z_]{1,30}=-?[0-9]{1,6}){0,8})(?: @([0-9a-f]{1,64}))?")
INITIAL = re.compile(r"([0-9]{1,6})(?: @([0-9a-f]{1,64}))?")
SETTING = re.compile(r"([A-Za-z_0-9]{1,60})=([A-Za-z0-9_.-]{1,60})")


def write(trace: Trace, changes: Iterable[Iterable[str]] = ()) -> str:
    """The text of a trace; `changes` are the lines to print below the start and below each step."""
    told = iter([list(lines) for lines in with_marks(trace, changes)])
    settings = textwrap.wrap(
        " ".join(f"{name}={value}" for name, value in trace.settings.items()),
        LONGEST_LINE - len("settings: "),
        break_on_hyphens=False,
    )
    out = [FIRST_LINE, f"model: {trace.model} {trace.version}"]
    out += [f"plugins: {' '.join(trace.plugins)}"] if trace.plugins else []
    out += [f"revision: {trace.revision}"]
    out += [f"settings: {line}" for line in settings]
    out += [f"property: {trace.property}"] if trace.property else []
    out += [f"initial: {trace.initial}" + (f" @{trace.start_digest}" if trace.start_digest else "")]
    out += [f"cycle: {trace.cycle}"] if trace.cycle is not None else []
    out += [f"# {line}".rstrip() for line in trace.comment]
    out += [f"    {line}" for line in next(told, [])]
    for number, step in enumerate(trace.steps, 1):
        out += ["", *(f"# {line}".rstrip() for line in step.comment)]
        out.append(f"{number} {step.label}" + (f" @{step.digest}" if step.digest else ""))
        out += [f"    {line}" for line in next(told, [])]
    return "\n".join(out) + "\n"


def with_marks(trace: Trace, changes: Iterable[Iterable[str]]) -> Iterable[Iterable[str]]:
    """What changed, and where the part begins that is repeated for ever, and ends."""
    for number, lines in enumerate(changes, 1):
        marks = [BEGINS] if trace.cycle == number <= len(trace.steps) else []
        if trace.cycle is not None and number == len(trace.steps) + 1:
            marks = [AGAIN.format(trace.cycle) if trace.cycle < number else NO_MORE]
        yield [*lines, *marks]


def read(text: str, name: str = "the trace") -> Trace:
    """The trace in a text; UsageError with the line that is wrong."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0].strip() != FIRST_LINE:
        raise UsageError(f"{name} does not begin with the line '{FIRST_LINE}': it is not a trace file")
    head: dict[str, str] = {}
    steps: list[Step] = []
    comments: list[str] = []
    opening: list[str] | None = None
    for number, line in enumerate(lines[1:], 2):
        where = f"{name}, line {number}"
        if line.startswith("#"):
            comments.append(visible(line[1:].removeprefix(" ")))
        elif not line.strip() or line.startswith("    ") or line[0].isdigit():
            if opening is None and "initial" in head:
                opening, comments = comments, []
            if line[:1].isdigit():
                steps.append(_step(line, where, len(steps) + 1, tuple(comments)))
                comments = []
        else:
            _heading(line, where, head)
    for heading in ("model", "revision", "initial"):
        if heading not in head:
            raise UsageError(f"{name} has no line '{heading}:': it was cut off or edited; record it again")
    opening = comments if opening is None else opening
    if comments and opening is not comments:
        raise UsageError(f"{name} ends with comments that belong to no step: put them before one, or below 'initial:'")
    return _assemble(head, steps, tuple(opening), name)


def _heading(line: str, where: str, head: dict[str, str]) -> None:
    """One heading; only `settings` may take several lines."""
    heading, colon, value = line.partition(":")
    if not colon or heading not in HEADINGS or (heading in head and heading != "settings"):
        raise UsageError(f"{where}: {line[:60]!r} is neither a heading ({', '.join(HEADINGS)}) nor a step")
    head[heading] = f"{head.get(heading, '')} {value.strip()}".strip()


def _step(line: str, where: str, expected: int, comment: tuple[str, ...]) -> Step:
    """One step, which must have the next number."""
    found = STEP.fullmatch(line.rstrip())
    if not found:
        raise UsageError(f"{where}: {line[:60]!r} is not a step, such as '3 fetch follower=1 leader=0 @90b1c7a2e4d5'")
    if int(found[1]) != expected:
        raise UsageError(f"{where}: step {found[1]} stands where step {expected} should: a step was removed or added")
    if expected > MAX_STEPS:
        raise UsageError(f"{where}: a trace has at most {MAX_STEPS:,} steps")
    pairs = [pair.split("=") for pair in found[3].split()]
    return Step(found[2], tuple((key, int(value)) for key, value in pairs), found[4] or "", comment)


def _assemble(head: dict[str, str], steps: list[Step], comment: tuple[str, ...], name: str) -> Trace:
    """The trace from its headings and steps."""
    model, _, version = head["model"].partition(" ")
    settings: dict[str, Any] = {}
    for item in head.get("settings", "").split():
        found = SETTING.fullmatch(item)
        if not found:
            raise UsageError(f"{name}: the setting {item[:60]!r} is not of the form name=value")
        if found[1] in settings:
            raise UsageError(f"{name}: the setting {found[1]} is given twice")
        settings[found[1]] = found[2]
    initial = INITIAL.fullmatch(head["initial"])
    if not initial:
        raise UsageError(f"{name}: 'initial:' must be a number and a digest, not {head['initial'][:60]!r}")
    cycle = head.get("cycle")
    if cycle is not None and not (cycle.isdecimal() and cycle.isascii() and 1 <= int(cycle[:9]) <= len(steps) + 1):
        raise UsageError(f"{name}: 'cycle:' must be the number of a step, or of the one after the last, not {cycle[:60]!r}")
    return Trace(
        visible(model), visible(version.strip()), visible(head["revision"]), settings, int(initial[1]), tuple(steps),
        visible(head.get("property", "")), initial[2] or "", comment, None if cycle is None else int(cycle),
        tuple(visible(head.get("plugins", "")).split()),
    )  # fmt: skip


def read_file(path: str) -> Trace:
    """The trace in a file; UsageError when it cannot be read or is not one."""
    return read(text_in(path, LARGEST_FILE, "a trace file"), path)


def text_in(path: str | Path, largest: int, what: str) -> str:
    """The text of a file that should be `what`; UsageError if the file cannot be read, is too large, or is not text."""
    try:
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {reason_of(error)}; check the path") from None
    if len(data) > largest:
        raise UsageError(f"{path} is larger than {largest >> 20} MB: it is not {what}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text: it is not {what}") from None
