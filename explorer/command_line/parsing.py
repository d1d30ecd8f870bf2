"""Flags that commands share, and the configuration file. Settings become flags by their declarations."""

from __future__ import annotations

import argparse
import difflib
import os
from dataclasses import dataclass
from typing import Any, NoReturn

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.settings import Choice, Setting
from ...model.registry import MODELS, model_named
from ...properties.catalogue import default_properties, properties_of
from ...properties.property import Property
from ..budget import Bounds
from ..request import applicable
from .config_file import read_config

GROUPS = {
    "size": "sizes",
    "fault": "faults, each with a budget",
    "switch": "switches between designs",
}


class Finished(Exception):
    """The parser has done all that was asked for, such as printing the help. Not SystemExit, which a plugin may raise."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are UsageErrors of one sentence."""

    def __init__(self, command: str, summary: str, example: str) -> None:
        super().__init__(
            prog=f"highwater {command}",
            description=summary,
            epilog=f"example: {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.example = example

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what would be right."""
        raise UsageError(f"{message}{self._near(message)}; see {self.prog} --help, for example: {self.example}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Nothing is left to do."""
        raise Finished(status)

    def _near(self, message: str) -> str:
        wrong = message.removeprefix("unrecognized arguments: ").split(" ")[0].split("=")[0]
        known = [flag for action in self._actions for flag in action.option_strings]
        near = difflib.get_close_matches(wrong, known, 1) if wrong.startswith("--") else []
        return f" (did you mean {near[0]}?)" if near else ""


@dataclass
class Subject:
    """What a command is about: a model, a revision, a configuration and the properties; those that mean something."""

    model: Model
    revision: str
    config: Any
    properties: list[Property]
    named: bool
    applicable: list[Property]


def add_subject(parser: Parser, arguments: list[str]) -> None:
    """Flags for model, revision, properties and every setting of the model that the arguments name."""
    name, file = early(arguments)
    model = model_named(name or file.get("model", "kafka"))
    parser.set_defaults(file=file, model_object=model)
    parser.add_argument("--model", choices=list(MODELS), default=model.name, help="default: kafka")
    parser.add_argument("--revision", metavar="NAME", help=f"one of {', '.join(model.revisions)}")
    parser.add_argument("--property", metavar="NAME", action="append", help="check only this one; may be repeated")
    parser.add_argument("--config", metavar="FILE.toml", help="take model, revision, [settings] and [bounds] from a file")
    for group, title in GROUPS.items():
        settings = {n: s for n, s in model.config.settings.items() if s.group == group}
        if settings:
            section = parser.add_argument_group(title)
            for setting_name, setting in settings.items():
                add_setting(section, setting_name, setting)


def add_setting(section: Any, name: str, setting: Setting) -> None:
    """The flag of one setting. Its value stays as it was written, so that the setting itself judges it."""
    flag, shown = "--" + name.replace("_", "-"), setting.show(setting.default)
    text = f"{setting.doc} ({shown})".replace("%", "%%")
    if isinstance(setting, Choice):
        section.add_argument(flag, metavar="|".join(setting.names), dest=f"setting_{name}", help=text)
    elif setting.group == "switch":
        section.add_argument(flag, action=argparse.BooleanOptionalAction, dest=f"setting_{name}", help=text)
    else:
        section.add_argument(flag, metavar="N", dest=f"setting_{name}", help=text)


def early(arguments: list[str]) -> tuple[str | None, dict[str, Any]]:
    """The model that the arguments name, and what their configuration file says."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    first.add_argument("--model")
    first.add_argument("--config")
    try:
        found, _ = first.parse_known_args(arguments)
    except (argparse.ArgumentError, SystemExit):
        raise UsageError("--model and --config each need a value") from None
    return found.model, read_config(found.config) if found.config else {}


def subject_of(options: argparse.Namespace, checks: bool = True) -> Subject:
    """What the flags and the file say together; flags win. `checks`: the command needs a property that applies."""
    model, file = options.model_object, options.file
    revision = options.revision or file.get("revision")
    if revision is None:
        raise UsageError(f"--revision is missing; the model {model.name} has {', '.join(model.revisions)}")
    if revision not in model.revisions:
        near = difflib.get_close_matches(revision, model.revisions, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(model.revisions)}"
        raise UsageError(f"the model {model.name} has no revision {revision!r:.40}; {hint}")
    settings = dict(file.get("settings", {}))
    for name in model.config.settings:
        value = getattr(options, f"setting_{name}", None)
        if value is not None:
            settings[name] = value
    config = model.configure(revision, **settings)
    names = options.property or file.get("properties")
    properties, named = chosen_properties(model, names), bool(names)
    suffices = not checks or getattr(options, "deadlock", False)
    return Subject(model, revision, config, properties, named, applicable(model, properties, config, named, suffices))


def chosen_properties(model: Model, names: list[str] | None) -> list[Property]:
    """The named properties, or those that are checked when none is named."""
    if not names:
        return list(default_properties(model.name))
    known = {p.name: p for p in properties_of(model.name)}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "see highwater list properties"
            raise UsageError(f"the model {model.name} has no property {name!r:.60}; {hint}")
    return [known[name] for name in dict.fromkeys(names)]


def add_bounds(parser: Parser) -> None:
    """Flags that end an exploration early."""
    section = parser.add_argument_group("bounds; a run that reaches one is incomplete and exits with 20")
    section.add_argument("--depth", metavar="N", type=positive, help="levels; the initial states are level 1")
    section.add_argument("--states", metavar="N", type=positive, help="distinct states")
    section.add_argument("--seconds", metavar="S", type=seconds, help="wall time")
    section.add_argument("--memory", metavar="MB", type=positive, help="memory of the process")
    section.add_argument("--allow-incomplete", action="store_true", help="exit with 0 when a bound was reached")


def bounds_of(options: argparse.Namespace) -> Bounds:
    """The bounds of the flags and of the file."""
    file = options.file.get("bounds", {})

    def bound(name: str) -> Any:
        value = getattr(options, name, None)
        return file.get(name) if value is None else value

    memory = bound("memory")
    return Bounds(bound("depth"), bound("states"), bound("seconds"), None if memory is None else memory << 20)


def add_output(parser: Parser) -> None:
    """Flags for machine-readable output."""
    parser.add_argument("--json", metavar="PATH|-", help="write the result as JSON, to a file or to standard output")
    parser.add_argument("--junit", metavar="PATH", help="write the result as JUnit XML")
    parser.add_argument("--sarif", metavar="PATH", help="write violations as SARIF 2.1.0, for code scanning")
    parser.add_argument("--github", action="store_true", help="print annotations and write a step summary for GitHub Actions")


def positive(text: str) -> int:
    """A whole number above zero."""
    if not text.isdecimal() or len(text) > 18 or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0, not {text[:40]!r}")
    return int(text)


def number(text: str) -> int:
    """A whole number, zero or more."""
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text[:40]!r}")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds above zero."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, not {text[:40]!r}")
    return value


def add_threads(parser: Parser) -> None:
    """How many threads explore."""
    parser.add_argument("--threads", metavar="T", type=positive, help="default: one per core")


def threads_of(options: argparse.Namespace) -> int:
    """The threads asked for, or one per core that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(int(options.threads or cores), 64)
