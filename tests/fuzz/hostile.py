"""Hostile input for the command, drawn by a seed: flags, configuration files, traces, corpora, plugins and run directories.

A case is a list of arguments; the files that it names are written into a folder first. Every run is bounded, on the published
model with two brokers, so that a case takes milliseconds.
"""

import random
import re
import shutil
from pathlib import Path

from faults.damage import strike
from highwater.explorer.command_line import COMMANDS, main

GOLDEN = Path(__file__).parents[2] / "traces" / "golden"

BOUNDED = ["--model", "published", "--generic", "--depth", "3", "--states", "5000", "--seconds", "2", "--threads", "1", "--quiet"]
TAILS = {
    "check": [*BOUNDED, "--traces", "t"],
    "walk": ["--model", "published", "--generic", "--walks", "2", "--length", "5", "--traces", "t", "--threads", "1"],
    "fuzz": ["--model", "published", "--brokers", "2", "--runs", "1", "--rules", "1", "--seconds", "1", "--corpus", "corpus"],
    "graph": ["--model", "published", "--brokers", "1", "--most-states", "50"],
    "replay": [], "show": [], "list": [], "verify": [],
}  # fmt: skip
"""What bounds each command that is fuzzed: it stands last, so that it wins."""

WORDS = (
    "", "-", "--", "---", "--5", "0", "-1", "1", "2", "3", "9" * 30, "1e3", "0x10", "nan", "inf", "\u0663", "None", "true",
    "kip-320", "KIP_279", "kip-101", "high-watermark", "published", "kafka", "raft", "strong_isr", "weak_isr", ".",
    "/dev/null", "nowhere/x", "/proc/x", "a" * 300, "\x00", "\x1b[31m", "\ud800", "é", "%s%n", "{0}", "*", "'", '"', "a=b",
    "--=", "=", "properties", "h.toml", "x.trace", "run",
)  # fmt: skip

FLAGS = (
    "--revision", "--property", "--config", "--brokers", "--log-size", "--max-epoch", "--max-records", "--keep-going",
    "--symmetry", "--no-symmetry", "--exact", "--deadlock", "--resume", "--resume-from", "--run-dir", "--json", "--engine",
    "--plugin", "--memory", "--shards", "--bits", "--crashes", "--format", "--help", "--version", "--seed", "--vary",
    "--allow-incomplete", "--verbose",
)  # fmt: skip

CONFIG = """model = "published"
revision = "kip-320"
properties = ["weak_isr", "strong_isr"]

[settings]
brokers = 2
max_epoch = 1

[bounds]
depth = 3
seconds = 2.5
"""

TOKENS = (
    "[", "]", "[[", "]]", "{", "}", "=", '"', "'''", "\n", "\\u0000", "\x00", "\ufeff", "1e400", "-0", "nan", "inf",
    "1979-05-27", "9" * 40, "settings", "[bounds]", "[settings.x]", "self = 1", "revision = 3", "depth = true", "a.b.c = 1",
    "#", "true", "[" * 200, "\u202e",
)  # fmt: skip


def flags(dice, folder):
    """A command with random flags and words; what writes goes below the folder."""
    command = dice.choice(list(TAILS))
    words = [dice.choice(FLAGS if dice.random() < 0.6 else WORDS) for _ in range(dice.randrange(6))]
    revision = ["--revision", "kip-320"] if dice.random() < 0.5 and "--most-states" not in words else []
    if dice.random() < 0.1:
        return [dice.choice((*WORDS, *COMMANDS)), "--help"]
    return [command, *revision, *words, *TAILS[command]]


def mutated(dice, text):
    """A text with some of it cut, doubled, exchanged or replaced."""
    data = text
    for _ in range(dice.randrange(1, 4)):
        at, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
        kind = dice.randrange(5)
        if kind == 0:
            data = data[:at] + data[min(end, at + 20) :]
        elif kind == 1:
            data = data[:at] + dice.choice(TOKENS) + data[at:]
        elif kind == 2:
            data = data[:at] + chr(dice.choice((dice.randrange(32, 127), dice.randrange(1, 0xD7FF)))) + data[at + 1 :]
        elif kind == 3:
            lines = data.split("\n")
            one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            data = "\n".join(lines)
        else:
            data = data[:at] + data[at : min(end, at + 40)] * 2 + data[min(end, at + 40) :]
    return data


def config(dice, folder):
    """A configuration file that somebody got wrong."""
    (folder / "h.toml").write_bytes(mutated(dice, CONFIG).encode("utf-8", "replace"))
    return ["check", "--config", "h.toml", *TAILS["check"]]


def trace(dice, folder):
    """A trace that was damaged, or made up."""
    text = dice.choice(sorted(GOLDEN.glob("s*.trace"))).read_text()
    (folder / "x.trace").write_bytes(mutated(dice, text).encode("utf-8", "replace"))
    return [dice.choice(("replay", "show")), "x.trace"]


def corpus(dice, folder):
    """A corpus in which something else lies."""
    (folder / "corpus").mkdir(exist_ok=True)
    trace(dice, folder / "corpus")
    return ["fuzz", "--revision", "kip-320", "--allow-incomplete", *TAILS["fuzz"]]


PLUGIN = """
from highwater.model.language import Revision
from highwater.properties.extended import extended
from highwater.properties.property import always, sometimes, step
from support.toys import COUNTERS, total

def helper(s, counter):
    return s.count[counter]

def claim(s):
    '''A claim.'''
    number = 0
    for counter in range(s.config.members):
        if helper(s, counter) > 1:
            number += 2 * s.count[counter] - total(s) // 3
    return number <= s.config.top * 9

def grows(s, t):
    '''Another.'''
    return t.count[0] + t.count[1] >= s.count[0]

def register(models):
    second = Revision("second", "it counts less", {"top": 2}, violates=("claim",))
    return [extended(COUNTERS, revisions=[second], properties=[always(claim, "only"), step(grows, None)])]
"""

PIECES = (
    "s.count[0] = 1", "while True: pass", "return 1 // 0", "return s.count[9]", "s.counts", "1 << -1", "1 << 99", "import os",
    "exit()", "raise SystemExit(0)", "raise KeyboardInterrupt", "lambda: 0", "yield s", "global x", "s.config.tops", "-", "~",
    "0", "None", "return", "return 0", "print(s)", "s.count[total(s)]", "% 0", "total(s, s)", "helper", "for x in s.count: pass",
    '""', "()", "9" * 30, "only", "always", "\x00", "def claim(s): return True", "    ", "@step", "nonlocal s", "del s",
    "s.count.append(1)", "t", "*s", "assert 0",
)  # fmt: skip

WITHIN = (
    "s", "t", "0", "1", "2", "9", "total", "helper", "counter", "number", "count", "config", "members", "top", "s.config",
    "s.count",
)  # fmt: skip


def plugin(dice, folder):
    """A plugin in which somebody edited; under another name each time, for a module is imported once."""
    name = f"plugin_{dice.getrandbits(64):x}"
    parts = re.split(r"(\w+)", PLUGIN) if dice.random() < 0.7 else re.split("([ ])", PLUGIN)
    for _ in range(dice.choice((1, 1, 1, 2))):
        at = 1 + 2 * dice.randrange(len(parts) // 2) if len(parts[1]) > 1 else 2 * dice.randrange(len(parts) // 2)
        parts[at] = dice.choice((dice.choice(PIECES), dice.choice(WITHIN), parts[at] + " " + dice.choice(PIECES), ""))
    text = "".join(parts)
    (folder / f"{name}.py").write_text(text, "utf-8", "replace")
    words = ["--plugin", name, "--model", "counters"]
    if dice.random() < 0.3:
        return ["list", *words, "properties"]
    words += ["--revision", dice.choice(("only", "second")), "--counters", "2", "--top", "2"]
    if dice.random() < 0.5:
        return ["graph", *words, "--most-states", "100"]
    return ["check", *words, "--traces", "t", "--quiet", "--states", "50"]


SUBJECT = [
    "check", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--traces", "t", "--threads", "1",
]  # fmt: skip


def run_directory(dice, folder):
    """A run that was kept, and was damaged since."""
    kept, copy = folder / "kept", folder / "run-copy"
    if not kept.exists():
        assert main([*SUBJECT, "--quiet", "--depth", "9", "--run-dir", str(kept)]) == 20
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(kept, copy)
    strike(dice, copy)
    if dice.random() < 0.3:
        return ["verify", copy.name]
    from_level = ["--resume-from", str(dice.randrange(1, 12))] if dice.random() < 0.3 else []
    return [*SUBJECT, "--json", "-", "--run-dir", copy.name, "--resume", *from_level]


KINDS = {"flags": flags, "config": config, "trace": trace, "corpus": corpus, "plugin": plugin, "run": run_directory}
SHARES = {"flags": 10, "config": 6, "trace": 6, "corpus": 1, "plugin": 3, "run": 3}
"""Of so many cases together."""


def cases(seed, count, folder, kinds):
    """So many cases of some kinds, each with its kind; the files are those of the case when it comes."""
    drawn = [kind for kind in kinds for _ in range(SHARES[kind])]
    for number in range(count):
        dice = random.Random(f"{seed} {number}")
        kind = dice.choice(drawn)
        shutil.rmtree(folder / "corpus", ignore_errors=True)
        yield number, kind, KINDS[kind](dice, folder)
