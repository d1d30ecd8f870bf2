"""The command `highwater`: one module per command, each with `run(arguments)`, which answers the exit code.

Exit codes, so that CI can trust them: 0 all properties hold and everything was explored; 12 a property is
violated; 11 deadlock; 15 a `sometimes` property was never witnessed; 16 a
property is not inductive; 17 a trace does not fit the model; 20 a bound ended the exploration; 2 usage; 75 the
model itself failed; 255 a crash.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
import traceback

from ...model.language.errors import UsageError
from ...properties.plugins import load_plugins
from ..verdict import EXIT_CRASH, EXIT_MODEL, EXIT_USAGE
from .parsing import Finished

COMMANDS = {
    "check": "explore one revision exhaustively and say which properties hold",
    "explore": "the same in shards on Spark, where one machine is too small",
    "stats": "ask a finished run on Spark: skew, actions, witnesses, near violations",
    "matrix": "check every revision against every property, beside what is expected",
    "prove": "prove that a property holds at any depth, by induction with lemmas",
    "walk": "take random walks where exploration would not end",
    "play": "have Hypothesis play a cluster too large to explore, and keep what falls",
    "guards": "take each guard out of the model, and say what falls without it",
    "replay": "run a recorded trace through the model",
    "show": "draw a recorded trace, a column for each broker",
    "perform": "perform a recorded trace on real Kafka brokers, and compare",
    "observe": "say whether the model explains what real brokers have left",
    "list": "list models, revisions, settings, properties or actions",
    "graph": "export the state graph of a small configuration",
    "bench": "measure speed and memory, as ratios in one run",
}

USAGE = """usage: highwater COMMAND [--help]

{commands}

example: highwater check --revision kip-279
with every command: --plugin MODULE loads revisions and properties of your own
exit codes: 0 holds, 12 violated, 11 deadlock, 15 never witnessed, 16 not inductive, 17 trace does not fit,
20 incomplete, 2 usage"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        return dispatch(arguments)
    except Finished as finished:
        return finished.code
    except UsageError as error:
        print(f"highwater: {error}", file=sys.stderr)
        return EXIT_USAGE
    except SystemExit:
        print("highwater: a plugin ended the process; it must not call exit", file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_CRASH
    except KeyboardInterrupt:
        print("highwater: interrupted before there was anything to report", file=sys.stderr)
        return 130
    except MemoryError:
        print("highwater: there is not enough memory; bound it with --memory, or choose smaller sizes", file=sys.stderr)
        return EXIT_CRASH
    except Exception as error:
        return failed(error)


def dispatch(arguments: list[str]) -> int:
    """Find the command's module and run it."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        width = max(map(len, COMMANDS))
        print(USAGE.format(commands="\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())))
        return 0 if arguments else EXIT_USAGE
    arguments, plugins = without_plugins(arguments)
    load_plugins(plugins)
    name = arguments[0] if arguments else ""
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
        raise UsageError(f"there is no command {name!r:.40}; {hint}")
    module = importlib.import_module(f".{name}", __name__)
    return int(module.run(arguments[1:]))


def without_plugins(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments without every `--plugin MODULE`, which all commands take, and those modules."""
    rest: list[str] = []
    plugins: list[str] = []
    given = iter(arguments)
    for argument in given:
        if argument == "--plugin":
            plugins.append(next(given, ""))
        elif argument.startswith("--plugin="):
            plugins.append(argument.removeprefix("--plugin="))
        else:
            rest.append(argument)
    if "" in plugins:
        raise UsageError("--plugin needs the name of a module, such as my_package.my_plugin")
    return rest, plugins


def failed(error: Exception) -> int:
    """What was not foreseen: of the model when its own code raised it, else of the tool."""
    from ...model.language.errors import ModelError
    from ...model.language.layout import LayoutError
    from ...model.language.program import LanguageError
    from ..failure import place, sentence

    if isinstance(error, (LayoutError, LanguageError, ModelError)) or place(error):
        print(f"highwater: the model itself failed: {sentence(error)}", file=sys.stderr)
        return EXIT_MODEL
    traceback.print_exc(limit=-8)
    print("highwater: this is a defect of highwater; please report it with the lines above", file=sys.stderr)
    return EXIT_CRASH
