"""Flags that commands share. Settings become flags by their declarations, those of all models together."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NoReturn

from ...model.language.actions import Model
from ...model.language.errors import UsageError, hint, is_number
from ...model.language.releases import release_of, row_of, rows_of, settings_of_release
from ...model.language.revisions import is_release
from ...model.language.settings import Named, Setting, in_words
from ...properties.catalogue import claims_named, default_properties, progress_of
from ...properties.property import Property
from ...properties.registry import DEFAULT, MODELS
from ..budget import MOST_OF_IT, Bounds
from ..config_files import BoundsTable, ConfigFile, read
from ..machine import MOST_THREADS, available_memory, cores, threads_for
from ..output.streams import complain
from ..request import Request, revision_named, validate_applicable

GROUPS = {"size": "sizes", "fault": "faults, each with a budget", "switch": "switches between designs"}
OF_A_JOB = 512 << 20
"""Bytes without which no further process is begun by default."""

SHOWN_SETTINGS = 20  # more of them are not part of --help: nobody reads so many


class Finished(Exception):
    """The parser has done all that was asked for, such as printing the help. Not SystemExit, which a plugin may raise."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are UsageErrors of one sentence.

    `about`: it takes a subject, so settings become flags. `models`: those that can be named. `meant`: for a flag that does not
    exist, but that people expect, what they mean.
    """

    def __init__(self, summary: str = "", example: str = "", **rest: Any) -> None:
        epilog = f"example: {example}" if example else rest.pop("epilog", None)
        formatter = partial(argparse.RawDescriptionHelpFormatter, max_help_position=27)
        super().__init__(description=summary, epilog=epilog, formatter_class=formatter, allow_abbrev=False, **rest)
        self.example, self.about, self.models = example, False, MODELS
        self.meant: dict[str, str] = {}

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what would be right."""
        example = f", for example: {self.example}" if self.example else ""
        raise UsageError(f"{message}{self._near(message)}; see {self.prog} --help{example}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Nothing is left to do."""
        raise Finished(status)

    def taken_late(self, options: argparse.Namespace, unknown: list[str]) -> list[str]:
        """What is left when a last word that may be absent is found behind flags: argparse looks for it before them only."""
        for action in self._actions:
            late = not action.option_strings and action.nargs == "?" and getattr(options, action.dest, "") is None
            if late and unknown and not unknown[0].startswith("-"):
                setattr(options, action.dest, unknown[0])
                return unknown[1:]
        return unknown

    def validate_valueless_flags(self, arguments: Sequence[str], unknown: Sequence[str]) -> None:
        """UsageError when one of the unknown words stands behind a flag that takes none."""
        alone = {flag: action for action in self._actions if action.nargs == 0 for flag in action.option_strings}
        for flag, word in pairwise(arguments):
            if flag in alone and word in unknown and not self.is_late_file(word):
                said = "" if alone[flag].help == argparse.SUPPRESS else f": {alone[flag].help}"
                self.error(f"{flag} takes no value, such as {word:.60}{said}")

    def is_late_file(self, word: str) -> bool:
        """Whether a word that has no place is a model's file, which comes before all flags."""
        return self.about and word.partition(":")[0].endswith(".py")

    def _near(self, message: str) -> str:
        wrong = message.removeprefix("unrecognized arguments: ").split(" ")[0].split("=")[0]
        if self.is_late_file(wrong):
            return f" (the model's file comes first: {self.prog} {wrong:.60})"
        if wrong in self.meant:
            return f" (did you mean {self.meant[wrong]}?)"
        known = [flag for action in self._actions for flag in action.option_strings if flag != "--help"]
        near = hint(wrong, known, " ") if wrong.startswith("--") and wrong not in known else " "
        return f" ({near})" if near.strip() else ""


# What a command is about.


def add_subject(parser: Parser) -> None:
    """Flags for model, revision and properties; `add_settings` follows when all others are known."""
    parser.about = True
    parser.usage = f"{parser.prog} [FILE.py | MODULE:MODEL] [FLAGS]"
    models, default = parser.models, default_model(parser.models)
    others = "; `highwater list revisions --model NAME` has those of others" if len(models) > 1 else ""
    revisions = f"{', '.join(models[default].revisions)}{others}; or a release" if default else "a revision of the model"
    parser.add_argument("--model", metavar="NAME", help=f"{', '.join(models)} (default: {default})")
    parser.add_argument("--revision", metavar="NAME", help=revisions)
    parser.add_argument("--release", metavar="VERSION", help="such as 3.9.1: its revision, with its own repairs")
    parser.add_argument("--property", metavar="NAME", action="append", help="check only this one; may be repeated")
    known = len(settings_by_name(models))
    listed = "below" if known <= SHOWN_SETTINGS else "`highwater list settings` has them"
    text = f"a size, a fault or a switch ({listed}); may be repeated; --NAME VALUE is the same"
    parser.add_argument("--set", metavar="NAME=VALUE", action=SetSetting, default=argparse.SUPPRESS, help=text)
    parser.add_argument("--config", metavar="FILE.toml", help="has model, revision, [settings] and [bounds]")


def settings_by_name(models: Mapping[str, Model]) -> dict[str, dict[str, Setting]]:
    """Every setting of every model by its name, and by the model."""
    known: dict[str, dict[str, Setting]] = {}
    for model in models.values():
        for name, setting in model.config.settings.items():
            known.setdefault(name, {})[model.name] = setting
    return known


def add_settings(parser: Parser) -> None:
    """A flag for every setting of every model; none of them is a flag of a command already (`properties.flags`)."""
    known = settings_by_name(parser.models)
    for group, title in GROUPS.items():
        section = parser.add_argument_group(title)
        for name, settings in known.items():
            if next(iter(settings.values())).group == group:
                add_setting(section, name, settings, len(parser.models), len(known) <= SHOWN_SETTINGS)


class SetSetting(argparse.Action):
    """`--set NAME=VALUE` is what `--NAME VALUE` is."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, text: Any, option_string: str | None = None) -> None:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise UsageError(f"--set takes NAME=VALUE, not {text!r:.60}, for example: --set brokers=2")
        setattr(namespace, f"setting_{name.replace('-', '_')}", value)


def flag_of(name: str) -> str:
    """The flag of a setting."""
    return "--" + name.replace("_", "-")


def add_setting(section: Any, name: str, settings: dict[str, Setting], models: int, shown: bool) -> None:
    """The flag of one setting, from its declarations in models; `shown`: in the help. The setting itself checks its value."""
    standing = next(iter(settings.values()))
    defaults = {model: str(setting.show(setting.default)) for model, setting in settings.items()}
    alike = len(set(defaults.values())) == 1
    default = defaults.popitem()[1] if alike else ", ".join(f"{model}: {value}" for model, value in defaults.items())
    only = "" if len(settings) == models else f"{', '.join(settings)}: "
    text = f"{only}{standing.doc} ({default})".replace("%", "%%") if shown else argparse.SUPPRESS
    if all(setting.group == "switch" and not isinstance(setting, Named) for setting in settings.values()):
        section.add_argument(flag_of(name), action=argparse.BooleanOptionalAction, dest=f"setting_{name}", help=text)
    else:
        metavar = "|".join(standing.names) if isinstance(standing, Named) else "N"
        section.add_argument(flag_of(name), metavar=metavar, dest=f"setting_{name}", help=text)


def default_model(models: Mapping[str, Model]) -> str:
    """The model that is meant where none is named: Kafka's, or the only one of a user's file; empty where that has several."""
    return DEFAULT if DEFAULT in models else next(iter(models)) if len(models) == 1 else ""


def model_named(options: argparse.Namespace, otherwise: str | None = None) -> Model:
    """The model that a command is about; UsageError when there is none of this name, or a file has several and none is named."""
    name = options.model or otherwise or describing(options) or default_model(options.models)
    if not name:
        raise UsageError(f"--model is missing; the file has {', '.join(options.models)}")
    return options.models[name]  # type: ignore[no-any-return]


def describing(options: argparse.Namespace) -> str:
    """The model that describes the release that is asked for, or alone has the revision, where the default one does not."""
    release, revision, default = (
        getattr(options, "release", None),
        getattr(options, "revision", None),
        default_model(options.models),
    )
    having: list[str] = [name for name, model in options.models.items() if revision in model.revisions]
    if len(having) == 1 and default and not release:
        return having[0]
    asked = release or (revision if revision and is_release(revision) else "")
    if not asked or not default or asked in options.models[default].revisions:
        return ""
    known = [name for name in (default, *options.models) if options.models[name].releases]
    return next((name for name in known if list(rows_of(options.models[name], release_of(options.models[name], asked)))), "")


def settings_of(options: argparse.Namespace, model: Model) -> dict[str, Any]:
    """The settings that the flags give; UsageError for one that the model does not have."""
    prefix = "setting_"
    given = {n.removeprefix(prefix): v for n, v in vars(options).items() if n.startswith(prefix) and v is not None}
    for name in given:
        if name not in model.config.settings:
            near = hint(name, model.config.settings, "see highwater list settings")
            raise UsageError(f"{flag_of(name)}: the model {model.name} has no setting {name:.40}; {near}")
    return given


def request_of(options: argparse.Namespace, checks: bool = True, progress: bool = False, **how: Any) -> Request:
    """What the flags and the file say together; flags win. `checks`: the command needs a property that applies.

    `progress`: the command can decide properties of progress, and counts the states of a model that has no others.
    """
    file = read(options.config, ConfigFile) if options.config else ConfigFile()
    model = model_named(options, file.model)
    revision, own = subject_of(options, model, file.revision)
    config = model.configure(revision, **{**own, **file.settings, **settings_of(options, model)})
    names = options.property or file.properties
    chosen = chosen_properties(model, names)
    if getattr(options, "progress", False):
        more = [claim for claim in progress_of(model) if claim.applies(config) and claim.name not in names]
        chosen = [*(chosen if names else []), *more]
    request = Request(model, revision, config, [p for p in chosen if not p.of_progress], named=bool(names), **how)
    request.progress = [p for p in chosen if p.of_progress]
    if request.progress and not progress:
        raise UsageError(f"{request.progress[0].name} is a property of progress; only highwater check decides those")
    request.bounds = bounds_of(options, file.bounds)
    validate_applicable(request, checks, counts=progress)
    return request


def subject_of(options: argparse.Namespace, model: Model, otherwise: str | None = None) -> tuple[str, dict[str, Any]]:
    """The revision that `--revision` or `--release` names, and the settings in which the release differs from it.

    What a release has been taken for is said on standard error.
    """
    if options.release and options.revision:
        raise UsageError("--release and --revision exclude each other; --release chooses the revision")
    named = options.release or options.revision or otherwise or only_revision(model)
    if named is None:
        more = "; or name a --release" if model.releases else ""
        raise UsageError(f"--revision is missing; the model {model.name} has {', '.join(model.revisions)}{more}")
    if not options.release and (named in model.revisions or not is_release(named)):
        return revision_named(model, named), {}
    release, revision, span = row_of(model, named)
    own = settings_of_release(model, release, revision)
    more = f", with its own {in_words(own)}" if own else ""
    if own and not options.release:
        more = f", which is checked; {release} itself has {in_words(own)}: --release {release}"
    others = [
        f"; under {setting.under} by {name}: --model {other.name} --release {release}"
        for other in options.models.values() if other is not model and release in other.releases
        for name, setting in rows_of(other, release)
    ]  # fmt: skip
    complain(f"Kafka {release} is described by {revision} ({span} under {span.under}){more}{''.join(others)}")
    return revision, own if options.release else {}


def only_revision(model: Model) -> str | None:
    """The revision of a model that has one."""
    return next(iter(model.revisions)) if len(model.revisions) == 1 else None


def chosen_properties(model: Model, names: list[str]) -> list[Property]:
    """The named properties, or those that are checked when none is named."""
    return claims_named(model, names) if names else list(default_properties(model))


# Bounds, threads, output.


def add_bounds(parser: Parser) -> None:
    """Flags that end an exploration early."""
    section = parser.add_argument_group("bounds (a run that reaches one is incomplete and exits with 20)")
    section.add_argument("--depth", metavar="N", type=positive, help="levels; the initial states are level 1")
    section.add_argument("--states", metavar="N", type=positive, help="distinct states")
    section.add_argument("--seconds", metavar="S", type=seconds, help="wall time")
    section.add_argument("--memory", metavar="MB", type=positive, help="of the process, on Spark of the driver (all free memory)")
    section.add_argument("--allow-incomplete", action="store_true", help="exit with 0 also when a bound was reached")


def bounds_of(options: argparse.Namespace, file: BoundsTable) -> Bounds:
    """The bounds of the flags and of the file."""
    given = {name: getattr(options, name, None) for name in ("depth", "states", "seconds", "memory")}
    return BoundsTable(**{n: getattr(file, n) if v is None else v for n, v in given.items()}).bounds()


def add_json(parser: Parser) -> None:
    """The flag for the result as JSON."""
    parser.add_argument("--json", metavar="PATH|-", help="write the result as JSON (-: to standard output)")


def add_against(parser: Parser) -> None:
    """The flag of commands that tell a counterexample."""
    parser.add_argument("--against", metavar="REVISION", help="run the steps under another revision, and compare")
    parser.add_argument("--beside", dest="against", help=argparse.SUPPRESS)  # its name until 0.2.0


def add_output(parser: Parser) -> None:
    """Flags for machine-readable output."""
    add_json(parser)
    parser.add_argument("--junit", metavar="PATH|-", help="write the result as JUnit XML")
    parser.add_argument("--sarif", metavar="PATH|-", help="write violations as SARIF, for code scanning")


def positive(text: str) -> int:
    """A whole number above zero."""
    if not is_number(text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0{limit_of(text)}, not {text[:40]!r}")
    return int(text)


def number(text: str) -> int:
    """A whole number, zero or more."""
    if not is_number(text):
        raise argparse.ArgumentTypeError(f"must be 0 or a whole number above 0{limit_of(text)}, not {text[:40]!r}")
    return int(text)


def limit_of(text: str) -> str:
    """How long a number may be, for one that is longer."""
    return " of at most 17 digits" if text.isascii() and text.isdecimal() and len(text) > 17 else ""


def above_zero(what: str) -> Callable[[str], float]:
    """The type of a number above zero, which is this."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError(f"must be a {what} above 0, not {text[:40]!r}")
        return value

    return parse


seconds = above_zero("number of seconds")


def add_threads(parser: Parser, text: str = f"at most {MOST_THREADS} (default: one per core)") -> None:
    """How many threads explore."""
    parser.add_argument("--threads", metavar="T", type=positive, help=text)


def threads_of(options: argparse.Namespace) -> int:
    """The threads asked for, or one per core that this process may use."""
    return threads_for(options.threads)


def add_jobs(section: Any) -> None:
    """How many processes explore."""
    section.add_argument("--jobs", metavar="J", type=positive, help="parallel processes (one per core, while memory allows)")


def jobs_of(options: argparse.Namespace, memory: int | None = None) -> int:
    """The processes asked for, or one per core, as far as there is memory for so many. `memory`: the bound that they share."""
    room = memory or int(MOST_OF_IT * available_memory())
    return int(options.jobs or max(1, min(cores(), room // OF_A_JOB)))
