"""The command `highwater`: one module per command, with `SUMMARY`, `EXAMPLE`, `add_flags(parser)` and `run(options)`.

Exit codes, so that CI can trust them: 0 all properties hold and everything was explored; 12 a property is
violated, 13 one of progress; 11 deadlock; 15 a `sometimes` property was never witnessed; 16 a
property is not inductive; 17 a trace does not fit the model; 20 a bound, or a lack of memory, ended the exploration, or nothing
was checked;
2 usage; 75 the model itself failed; 130 interrupted before there was anything to report; 255 a crash.

The commands: `check`, `estimate`, `matrix`, `sweep`, `walk`, `fuzz`, `prove`, `guards`, `repairs`, `stats`, `verify`, `replay`,
`show`, `export`, `step`, `graph`, `cost`, `source`, `releases`, `where`, `init`, `new`, `list`, `schema`, `perform`, `observe`,
`bench`. What they share:

    parsing           flags and settings
    start_from        a state of a trace, as the place to begin
    failures          what ends a command without a result, in a sentence; `unattended`: what a log and --notify say of an end
    completion        what a shell may complete
    releases_pages    the pages about releases, from what `source` prints
    step_web          walking by hand in a browser

What they print and write is in `output`.
"""

import argparse
import importlib
import os
import re
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

from ...model.language.errors import UsageError, hint
from ...properties.plugins import models_with, module_of, plugins_with
from ...properties.registry import DEFAULT, Models
from ..extras import own_version
from ..output.streams import code_after, complain, tolerant_streams
from ..verdict import EXIT_CRASH, EXIT_HOLDS, EXIT_USAGE
from .failures import described
from .parsing import Finished, Parser, add_settings

COMMANDS = {
    "check": "explore one revision exhaustively and say which properties hold",
    "stats": "query a finished run: skew, actions, witnesses, near violations",
    "verify": "check that a run directory is undamaged",
    "matrix": "check every revision against every property, and compare with what is expected",
    "estimate": "say how many states a configuration has, and what exploring them takes, before it is explored",
    "sweep": "check every point of a grid of settings, and write the verdicts to one table",
    "repairs": "find which repairs each property needs, and what is violated without each",
    "prove": "prove that a property holds at any depth, by induction with lemmas",
    "walk": "take random walks where exploration would not finish",
    "fuzz": "test a cluster too large to explore with Hypothesis, and keep the violations",
    "guards": "remove each rule of the model, and say which property is violated without it",
    "replay": "run a recorded trace through the model",
    "show": "draw a recorded trace, a column for each broker",
    "step": "walk the model by hand: choose, go back, ask why a step is not enabled",
    "perform": "perform a recorded trace on real Kafka brokers, and compare",
    "observe": "decide whether the model explains what real brokers have left",
    "source": "print the model as one release runs it, or what a release changed",
    "releases": "say what is known of a release of Kafka: what it violates, what it lacks",
    "where": "find the lines of the model for a sentence of a document",
    "list": "list models, revisions, settings, properties, actions, repairs or scenarios",
    "schema": "print the JSON Schema of what a command writes with --json",
    "new": "write a small model of your own, with a test, to change",
    "init": "write highwater.toml, a workflow and an entry for pre-commit",
    "export": "write a model as a module of TLA+, for TLC",
    "graph": "export the state graph of a small configuration",
    "cost": "count what a failover costs in store operations and requests",
    "bench": "measure speed and memory, as ratios in one run",
}

ALIASES = {"explore": ["check", "--engine", "spark"], "play": ["fuzz"], "why": ["replay"]}
"""Other names of commands, and what they stand for."""

EPILOG = """example: highwater check --revision kip-279
highwater help COMMAND describes a command; other names: explore is check --engine spark, play is fuzz, why is replay
exit codes: 0 holds, 12 violated, 13 no progress, 11 deadlock, 15 never witnessed, 16 not inductive, 17 trace does not fit,
20 incomplete, 2 usage, 75 the model failed, 130 interrupted"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    with tolerant_streams() as out:
        return code_after(out, guarded(sys.argv[1:] if arguments is None else arguments))


def prepare(arguments: list[str]) -> None:
    """Import the command that the arguments name, so that what cannot be imported is not taken for a failure of the command."""
    name = next((word for word in arguments if word in COMMANDS or word in ALIASES), "")
    if name:
        importlib.import_module(f".{ALIASES.get(name, [name])[0]}", __name__)


def guarded(arguments: list[str]) -> int:
    """Run one command; whatever goes wrong is a sentence and an exit code. Or tell a shell how its line can go on."""
    plugins: tuple[str, ...] = ()
    asked = ASKED in os.environ
    arguments = words_to_complete() if asked else arguments
    try:
        early, rest = common_flags().parse_known_args(arguments)
        file = file_among(rest)
        plugins = plugins_with(map(module_of, [*early.plugin, *file]))
        models = models_with(plugins)
        if file:
            arguments, rest = without(file[0], arguments), without(file[0], rest)
            models = Models({name: model for name, model in models.items() if plugins[-1] in model.plugins})
        return complete(rest, models) if asked else dispatch(arguments, rest, models)
    except Finished as finished:
        return finished.code
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return failed(error, plugins)


def file_among(words: list[str]) -> list[str]:
    """`lease.py` or `lease.py:MODEL` after the name of a command, or last for `list` and `where`: a plugin, and the only models
    that the command knows."""
    at = next((place for place, word in enumerate(words) if not word.startswith("-")), len(words))
    following = words[at + 1 : at + 2]
    if re.fullmatch(r"(?!-).*\.py(:\w+)?|\w+(\.\w+)*:(?!\d)\w+", (following or [""])[0]):
        return following
    later = words[at + 2 :] if words[at : at + 1] in (["list"], ["where"]) else []  # which begin with another word
    return [word for word in later if re.fullmatch(r"(?!-).*\.py(:\w+)?", word) and Path(word.partition(":")[0]).is_file()][:1]


def without(word: str, arguments: list[str]) -> list[str]:
    """The arguments without this one, where it is first."""
    at = arguments.index(word)
    return arguments[:at] + arguments[at + 1 :]


def common_flags() -> Parser:
    """The flags that every command has: plugins are loaded before the rest is parsed, since their models bring flags."""
    common = Parser(add_help=False)
    common.add_argument("--plugin", metavar="MODULE", action="append", default=[], help="load a module, or FILE.py")
    return common


def dispatch(arguments: list[str], rest: list[str], models: Models) -> int:
    """Parse, and run the command; `rest`: the arguments without plugins, whose models are among `models`."""
    words = [word for word in rest if not word.startswith("-")]
    if words[:1] == ["help"]:
        arguments, words = [*words[1:2], "--help"], words[1:]
    name = words[0] if words else ""
    if name in ALIASES:
        at = arguments.index(name)
        arguments = [*arguments[:at], *ALIASES[name], *arguments[at + 1 :]]
        name = ALIASES[name][0]
    if name and name not in COMMANDS:
        raise UsageError(f"there is no command {name!r:.40}; {hint(name, [*COMMANDS, *ALIASES])}")
    whole, chosen = parser_for(name, models)
    options, unknown = whole.parse_known_args(arguments, argparse.Namespace(models=models))
    unknown = (chosen or whole).taken_late(options, unknown)
    if unknown:
        (chosen or whole).validate_valueless_flags(arguments, unknown)
        (chosen or whole).error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.version:
        print(f"highwater {own_version()}")
        return EXIT_HOLDS
    if not name:
        whole.print_help()
        return EXIT_USAGE
    return int(importlib.import_module(f".{name}", __name__).run(options))


ASKED = "_ARGCOMPLETE"
"""The variable of the environment by which a shell asks how a line can go on."""


def words_to_complete() -> list[str]:
    """The words of that line, without the program's name."""
    line, point = os.environ.get("COMP_LINE", ""), os.environ.get("COMP_POINT", "")
    return line.encode()[: int(point) if point.isdecimal() else None].decode(errors="ignore").split()[1:]


def complete(rest: list[str], models: Models) -> int:
    """Tell the shell how the line can go on, which ends the process."""
    from .completion import complete as tell  # only here: no run needs it

    name = next((word for word in rest if word in COMMANDS or word in ALIASES), "")
    if name in ALIASES:  # argcomplete reads the line itself
        line, longer = os.environ["COMP_LINE"], " ".join(ALIASES[name])
        os.environ["COMP_LINE"] = line.replace(f" {name}", f" {longer}", 1)
        os.environ["COMP_POINT"] = str(int(os.environ.get("COMP_POINT", len(line))) + len(longer) - len(name))
    tell(*parser_for(ALIASES.get(name, [name])[0], models), models)
    return EXIT_HOLDS


def parser_for(name: str, models: Models) -> tuple[Parser, Parser | None]:
    """The whole parser, in which only the named command has flags; and the parser of that command."""
    common = common_flags()
    about = "A model checker for Kafka's replication, under ZooKeeper and under KRaft."
    whole = Parser(about, prog="highwater", epilog=EPILOG, parents=[common])
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(metavar="COMMAND", title="commands")
    chosen = None
    for command, text in COMMANDS.items():
        if command != name:
            commands.add_parser(command, help=text)
            continue
        module = importlib.import_module(f".{command}", __name__)
        example = module.EXAMPLE if DEFAULT in models else ""  # examples are about Kafka
        chosen = commands.add_parser(command, help=text, summary=module.SUMMARY, example=example, parents=[common])
        chosen.models = models
        module.add_flags(chosen)
        if chosen.about:
            add_settings(chosen)
    return whole, chosen


def failed(error: BaseException, plugins: Iterable[str]) -> int:
    """Say what ended a command without a result; its exit code."""
    code, sentence = described(error, plugins)
    if code == EXIT_CRASH:
        traceback.print_exc(limit=-8)
    complain(sentence)
    return code
