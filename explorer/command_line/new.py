"""`highwater new NAME`: a small model of one's own, with a test and scenarios, to change."""

import argparse
import keyword
import re
from importlib.util import find_spec
from pathlib import Path

from ...model.language.errors import UsageError
from ..files import write_file
from ..output.report import console
from ..verdict import EXIT_HOLDS
from .parsing import Parser

SUMMARY = """Write a small model in a file NAME.py, with a test, and scenarios for continuous integration, to change.

Nothing that exists is overwritten. docs/your-own-model.md describes the language."""

EXAMPLE = "highwater new counters"

MODEL = '''"""Clients count in a register: each reads it, and writes what it has read plus one. Change this to your protocol."""

from highwater.model.language import MEMBERS, Choice, Model, Record, Settings, State, derived, integer, many, one_of, size, switch
from highwater.properties.property import always, sometimes


class Phase(Choice):
    """Where a client is."""

    IDLE = "it has not begun"
    READ = "it has read the register"
    DONE = "it has written"


class Config(Settings):
    """What can be chosen, and with it the flags of the command: --clients 3, --careful."""

    clients = size(2, 1, 6, "clients, by default 2, from 1 to 6")
    careful = switch("a client reads again if the register has changed since")
    members = derived(lambda c: c.clients)


class Client(Record):
    """One client."""

    phase = one_of(Phase, "where it is")
    seen = integer(0, "clients", "what it has read")


class {state}(State):
    """A register, and clients that count in it. At first every number is 0, and every choice the first."""

    register = integer(0, "clients", "the value of the register")
    client = many(Client, MEMBERS, "the clients")


def read(s, client):
    """A client reads the register. An action returns False where it is not possible; only then does it write."""
    if s.client[client].phase is not Phase.IDLE:
        return False
    s.client[client].phase = Phase.READ
    s.client[client].seen = s.register
    return True


def write(s, client):
    """A client writes what it has read plus one."""
    me = s.client[client]
    if me.phase is not Phase.READ:
        return False
    if s.config.careful and me.seen != s.register:
        return False
    me.phase = Phase.DONE
    s.register = me.seen + 1
    return True


def read_again(s, client):
    """A client that is careful reads again, if somebody has written since."""
    me = s.client[client]
    if not s.config.careful or me.phase is not Phase.READ or me.seen == s.register:
        return False
    me.seen = s.register
    return True


def no_update_is_lost(s):
    """The register has counted every client that has written."""
    written = 0
    for client in range(s.config.clients):
        if s.client[client].phase is Phase.DONE:
            written += 1
    return s.register == written


def all_write(s):
    """Every client has written: a state in which the model is not vacuous."""
    for client in range(s.config.clients):
        if s.client[client].phase is not Phase.DONE:
            return False
    return True


MODEL = Model(
    state={state},
    config=Config,
    actions=[read, write, read_again],
    properties=[always(no_update_is_lost), sometimes(all_write)],
)
'''

TEST = '''"""What is expected of the model in {name}.py; `highwater` is a fixture that pytest has where Highwater is installed."""

from {name} import MODEL


def test_an_update_is_lost(highwater):
    found = highwater.check(MODEL, expect={{"no_update_is_lost": "violated"}})
    assert found.steps("no_update_is_lost") == 4


def test_careful_clients_lose_none(highwater):
    highwater.check(MODEL, clients=3, careful=True)
'''

SCENARIOS = """# What is checked: `pytest highwater.toml`. docs/ci.md has every key.

[[scenario]]
name = "careful clients"
model = "{model}"
revision = "only"
plugins = ["{name}"]
[scenario.settings]
clients = 3
careful = 1
"""


def add_flags(parser: Parser) -> None:
    """The flags of `new`."""
    parser.add_argument("name", metavar="NAME", help="of the model and its file, such as counters")


def run(options: argparse.Namespace) -> int:
    """Write the files, if none is there."""
    name = options.name.removesuffix(".py")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name) or keyword.iskeyword(name):
        raise UsageError(
            f"{options.name!r:.60} cannot be the name of a model: take up to 60 small letters, digits and _, such as counters"
        )
    state = "".join(part.capitalize() for part in name.split("_"))
    files = {
        f"{name}.py": MODEL.replace("{state}", state),
        f"test_{name}.py": TEST.format(name=name),
        "highwater.toml": SCENARIOS.format(name=name, model=re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", state).lower()),
    }
    there = [path for path in files if Path(path).exists()]
    if there and there != ["highwater.toml"]:
        raise UsageError(f"{', '.join(there)} is there already; nothing was written")
    if find_spec(name) is not None:
        raise UsageError(f"Python has a module {name!r}, which {name}.py would hide; take another name")
    out = console()
    for file, text in files.items():
        if file in there:
            out.print(f"{file} is there already, and was left as it is")
            continue
        write_file(file, text)
        out.print(f"wrote {file}")
    out.print(f"now: highwater check {name}.py, then --careful; pytest test_{name}.py", soft_wrap=True)
    return EXIT_HOLDS
