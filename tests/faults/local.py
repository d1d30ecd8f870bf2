"""The local engine under faults: a small run of the published model, resumed after damage or kills."""

import random
import shutil
import subprocess
import sys
import time
from collections import Counter

from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.model.language import UsageError
from highwater.model.published.next import PUBLISHED
from highwater.properties.catalogue import properties_of
from support.exploring import told

from .damage import strike

SIZES = {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}
DEPTH = 8

PROGRAM = """
import sys
from faults.local import run
print("begins", flush=True)
run(sys.argv[1], resume=sys.argv[2] == "resume")
"""


def run(path=None, resume=False, bounds=None, **options):
    """The outcome of a run, in a directory when `path` names one."""
    config = PUBLISHED.configure("kip-101", **SIZES)
    directory = None if path is None else str(path)
    request = Request(
        PUBLISHED, "kip-101", config, list(properties_of("published")), generic=True, keep_going=True, bounds=bounds or Bounds(),
        run_directory=directory, resume=resume, **options,
    )  # fmt: skip
    return check(request)


def damage_many(folder, seed, count):
    """(what came of so many damages, those that changed a count): each strikes a copy of the same unfinished run."""
    whole, unfinished = told(run()), folder / "unfinished"
    run(unfinished, bounds=Bounds(depth=DEPTH))
    seen, wrong = Counter(), []
    for number in range(count):
        dice, copy = random.Random(f"{seed} {number}"), folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(unfinished, copy)
        what = strike(dice, copy)
        try:
            same = told(run(copy, resume=True)) == whole
        except UsageError as error:
            seen["refused"] += 1
            if "\n" in str(error):
                wrong.append((number, what, str(error)))
        else:
            seen["went on"] += 1
            if not same:
                wrong.append((number, what, "another count"))
    return seen, wrong


def kill_many(folder, seed, count, environment):
    """(kills that struck a run, runs that ended in other counts): a run is killed again and again until it is over."""
    whole, dice, struck, wrong = told(run()), random.Random(f"kills {seed}"), 0, []
    while struck < count:
        path = folder / "run"
        shutil.rmtree(path, ignore_errors=True)
        over = False
        while not over and struck < count:
            resume = "resume" if (path / "manifest" / "0001.json").exists() else "begin"
            if resume == "begin":
                shutil.rmtree(path, ignore_errors=True)
            command = [sys.executable, "-c", PROGRAM, str(path), resume]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
            process.stdout.readline()
            time.sleep(dice.uniform(0, 1.2))
            process.kill()
            process.communicate()
            over = process.returncode == 0
            struck += not over
        resume = (path / "manifest" / "0001.json").exists()
        if not resume:
            shutil.rmtree(path, ignore_errors=True)
        if told(run(path, resume=resume)) != whole:
            wrong.append(struck)
    return struck, wrong
