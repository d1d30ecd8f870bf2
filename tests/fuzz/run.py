"""Runs cases through the command's main function, and judges how each ended."""

import contextlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from highwater.explorer.command_line import main
from highwater.model.language.machine_code.loader import load
from highwater.properties.plugins import models_with

from .hostile import cases

CODES = {0, 2, 11, 12, 15, 16, 17, 20, 75}
STATES = 5973
"""Of the run whose directory is damaged."""


def try_all(folder, seed, count, kinds):
    """Run the cases: (how often a kind ended in a code, those that ended in another way than they may, with what was said)."""
    before, seen, wrong = Path.cwd(), Counter(), []
    os.chdir(folder)
    try:
        for number, kind, arguments in cases(seed, count, folder, kinds):
            out, error = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), forgotten():
                code = main(arguments)
            seen[kind, code] += 1
            if not is_clean(kind, code, out.getvalue(), error.getvalue()):
                wrong.append((number, kind, arguments, code, error.getvalue()[-600:]))
    finally:
        os.chdir(before)
    return seen, wrong


def is_clean(kind, code, out, error):
    """Whether a case ended as it may."""
    if code == 130:  # a plugin may raise what an interruption raises
        return kind == "plugin" and "interrupted" in error
    if code not in CODES or "Traceback" in error:
        return False
    if code == 2 and not out:
        return error.splitlines()[-1].startswith("highwater: ") and "\x1b" not in error
    if kind == "run" and out.startswith("{"):
        found = json.loads(out)
        return not found["complete"] or found["distinct_states"] == STATES
    return True


@contextlib.contextmanager
def forgotten():
    """What a plugin brings within the block is forgotten afterwards."""
    path = list(sys.path)
    yield
    models_with.cache_clear()
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


TEXT = "def triple(n):\n    return 3 * n\n"


def damage_cache(seed, count):
    """Damage the cache of a small compiled function, and load it: those damages after which it said something else."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder, as_cache(Path(folder) / "cache") as cache:
        load_triple()
        shutil.copytree(cache, Path(folder) / "whole")
        for number in range(count):
            dice = random.Random(f"cache {seed} {number}")
            shutil.rmtree(cache)
            shutil.copytree(Path(folder) / "whole", cache)
            path = dice.choice(sorted(file for file in cache.rglob("*") if file.is_file()))
            data = bytearray(path.read_bytes())
            for _ in range(dice.randrange(1, 4)):
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            path.write_bytes(data[: dice.randrange(len(data))] if dice.random() < 0.3 else data)
            try:
                said = load_triple()
            except Exception as error:
                said = repr(error)
            if said != 42:
                wrong.append((number, path.name, said))
    return wrong


@contextlib.contextmanager
def as_cache(folder):
    """The folder is the cache of compiled code."""
    before = os.environ.get("HIGHWATER_CACHE")
    os.environ["HIGHWATER_CACHE"] = str(folder)
    try:
        yield folder
    finally:
        if before is None:
            del os.environ["HIGHWATER_CACHE"]
        else:
            os.environ["HIGHWATER_CACHE"] = before


def load_triple():
    """What the function answers, loaded as another process would."""
    for name in [name for name in sys.modules if name.startswith("highwater_fuzz_")]:
        del sys.modules[name]
    return load("fuzz", TEXT, ["triple"]).triple(14)
