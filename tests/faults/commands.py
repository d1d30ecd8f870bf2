"""Signals at random moments of twelve commands: each ends, by the signal or with a code of the table, without a traceback."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter

from support.elsewhere import PROGRAM, with_support

SMALL = ["--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic"]
COMMANDS = {
    "check": ["check", *SMALL, "--brokers", "3"],
    "walk": ["walk", *SMALL, "--seconds", "30"],
    "fuzz": ["fuzz", *SMALL, "--seconds", "30"],
    "replay": ["replay", "S6"],
    "show": ["show", "S6", "--html", "x.html"],
    "list": ["list", "properties"],
    "graph": ["graph", *SMALL, "--max-epoch", "0", "--format", "dot", "--output", "x.dot"],
    "prove": ["prove", "--model", "published", "--revision", "kip-320", "--property", "hw_within_log"],
    "sweep": ["sweep", "--model", "published", "--revision", "kip-320", "--vary", "brokers=2,3", "--out", "swept"],
    "guards": ["guards", "--model", "published", "--function", "leader_write"],
    "repairs": ["repairs", "--revision", "kip-320", "--brokers", "2", "--property", "strong_isr"],
    "cost": ["cost", "--revision", "v3", "--crashes", "1", "--at", "2000"],
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
CODES = {0, 2, 11, 12, 13, 15, 16, 17, 20, 130}
PATIENCE = 60


def unheeded():
    """In the new process: signals that this one was told to ignore, as by nohup, are not ignored there."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_DFL)


def signals(folder, seed, count, until):
    """(how the commands ended, what was wrong)."""
    seen, wrong = Counter(), []
    for number in range(count):
        if time.monotonic() > until:
            break
        dice = random.Random(f"commands {seed} {number}")
        name, what = dice.choice(sorted(COMMANDS)), dice.choice(SIGNALS)
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, *COMMANDS[name]], cwd=folder, env=with_support(), text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=unheeded,
        )  # fmt: skip
        time.sleep(dice.uniform(0.0, 6.0))
        process.send_signal(what)
        try:
            _, error = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            wrong.append((name, what.name, f"it did not end in {PATIENCE} s"))
            continue
        code = process.returncode
        seen["ended by the signal" if code == -what else f"exit code {code}"] += 1
        begun = "site-packages" not in error and "Traceback" in error and "KeyboardInterrupt" in error  # while Python loads
        if (code != -what and code not in CODES) or ("Traceback" in error and not begun and what != signal.SIGINT):
            wrong.append((name, what.name, code, error[-300:]))
    return seen, wrong
