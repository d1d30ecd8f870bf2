"""What a verdict does not speak of, because its settings leave it out: derived from the settings and the golden scenarios."""

import re
from typing import Any, NamedTuple

from ..model.language.actions import Model
from ..model.language.releases import touches
from ..traces.families.scenarios import Story, scenarios

ISSUE = re.compile(r"(KAFKA|KIP)-\d+")


class LeftOut(NamedTuple):
    """A fault that never happens, or steps that are one; `issues`: known bugs whose scenarios need it. `setting`: a name."""

    setting: str
    needs: str
    issues: tuple[str, ...]

    def __str__(self) -> str:
        return self.setting.replace("_", "-") + (f" {self.needs}" if self.needs else "")


def left_out(model: Model, config: Any) -> list[LeftOut]:
    """What never happens under a configuration: faults without a budget, and steps that are not taken apart."""
    shown = config.shown()
    absent = {name: "" for name, setting in config.settings.items() if setting.group == "fault" and not shown[name]}
    absent |= {name: value for name, value in model.finest.items() if str(shown[name]) != value}
    stories = [story for story in scenarios().values() if next(iter(story.traces.values())).model == model.name]
    return [LeftOut(name, value, tuple(issues_that_need(name, value, stories))) for name, value in absent.items()]


def issues_that_need(name: str, value: str, stories: list[Story]) -> list[str]:
    """The issues all of whose traces have a setting: a fault with a budget, or this value."""
    needing = []
    for story in stories:
        given = [str(trace.settings.get(name, "0")) for trace in story.traces.values()]
        if all(row == value if value else row != "0" for row in given):
            needing += [known for known in story.known_as if ISSUE.fullmatch(known)]
    return needing


def briefly(absent: list[LeftOut]) -> list[str]:
    """The same for people: each issue once, with what the fewest others need."""
    where = {issue: row for row in sorted(absent, key=lambda row: -len(row.issues)) for issue in row.issues}
    named = {row: [issue for issue in row.issues if where[issue] is row] for row in absent}
    return [f"{row} ({', '.join(issues)})" if issues else str(row) for row, issues in named.items()]


def unmodelled(model: Model, revision: str) -> list[str]:
    """The issues that the releases of a revision had, and that are in no revision of the model."""
    return [bug.issue for bug in model.unmodelled if touches(bug, model, revision)]


def says_nothing_of(model: Model, revision: str, config: Any) -> str:
    """What a `holds` says nothing of, in a sentence: faults that never happen, steps that are one, what the model lacks."""
    absent, bugs = briefly(left_out(model, config)), unmodelled(model, revision)
    parts = [f"{', '.join(absent)}, which these settings leave out"] if absent else []
    parts += [f"{', '.join(bugs)}, which no revision has (docs/known-bugs.md)"] if bugs else []
    parts += [f"{', '.join(model.absent)}, which {model.name} does not have"] if model.absent else []
    return f"it says nothing of {'; nor of '.join(parts)}" if parts else ""
