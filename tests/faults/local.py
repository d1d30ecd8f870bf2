"""The local engine under faults: a small run of the published model, resumed after whatever struck it."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from math import inf

from highwater.explorer.budget import Bounds
from highwater.model.language import UsageError
from support.runs import numbers_in

from .damage import strike
from .runner import CALLS, ERRORS, Runner, counts, run

DEPTH = 8
"""Levels of the run that is damaged."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSTOP)


def damages(folder, seed, count, kinds=None, go=lambda path, **how: counts(run(path, **how)), depth=DEPTH, until=inf):
    """(what came of so many damages, those that changed a count): each strikes a copy of the same unfinished run.

    `go` makes a run, in a directory if one is given, and says what must be the same; none begins after the moment `until`.
    """
    whole, unfinished = go(None), folder / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    go(unfinished, bounds=Bounds(depth=depth))
    seen, wrong = Counter(), []
    for number in range(count):
        if time.monotonic() > until:
            break
        dice, copy = random.Random(f"{seed} {number}"), folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(unfinished, copy)
        what = strike(dice, copy, kinds)
        try:
            same = go(copy, resume=True) == whole
        except UsageError as error:
            seen["refused"] += 1
            if "\n" in str(error):
                wrong.append((number, what, str(error)))
        else:
            seen["went on to the same counts"] += 1
            if not same:
                wrong.append((number, what, "another count"))
    return seen, wrong


def committed(path):
    """How many levels a run has committed: manifests, but for the run's own."""
    return max(0, len(numbers_in(path)) - 1)


class Disturbed:
    """A run that is struck again and again until it is over. `wrong` holds whatever must not be."""

    def __init__(self, folder):
        self.path, self.seen, self.wrong = folder / "run", Counter(), []
        self.whole, self.levels = counts(run()), 0
        shutil.rmtree(self.path, ignore_errors=True)
        begun = time.monotonic()
        run(self.path)
        self.seconds = time.monotonic() - begun
        self.fresh()

    def fresh(self):
        """The next run starts from nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.levels = 0

    def resumable(self):
        """Whether something is committed; what is there otherwise is removed, as a person would."""
        if committed(self.path):
            return True
        self.fresh()
        return False

    def ended(self, code, said, refusal=""):
        """Judge how a run ended; a complete one is followed by a new one. `refusal`: words that a refusal must have."""
        now = committed(self.path)
        if now < self.levels:
            self.wrong.append(f"{self.levels} levels were committed, {now} are there")
        self.levels = now
        if "counts" in said:
            self.seen["complete"] += 1
            if said["counts"] != self.whole:
                self.wrong.append("another count")
            self.fresh()
        elif "refused" in said:
            self.seen["refused"] += 1
            if not refusal or refusal not in said["refused"] or "\n" in said["refused"]:
                self.wrong.append(said["refused"])
        elif "stopped" in said:
            self.seen["stopped"] += 1
        elif code < 0:
            self.seen["killed"] += 1
        else:
            self.wrong.append(f"exit code {code}, {said}")


def kills(folder, seed, count):
    """Signal 9 at random moments; counted are those that met a run."""
    dice, answer = random.Random(f"kills {seed}"), Disturbed(folder)
    with Runner() as runner:
        while answer.seen["killed"] < count and not answer.wrong:
            process = runner.begin(answer.path, answer.resumable())
            time.sleep(dice.uniform(0, 1.2 * answer.seconds))
            send(process, signal.SIGKILL)
            answer.ended(*runner.end())
    return answer.seen, answer.wrong


def send(process, number):
    """A signal to a process that may have ended."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def signals(folder, seed, count):
    """Other signals at random moments: some end the run, some let it end by itself, one only makes it wait."""
    dice, answer = random.Random(f"signals {seed}"), Disturbed(folder)
    with Runner() as runner:
        for _ in range(count):
            process, number = runner.begin(answer.path, answer.resumable()), dice.choice(SIGNALS)
            time.sleep(dice.uniform(0, 1.2 * answer.seconds))
            send(process, number)
            if number == signal.SIGSTOP:
                time.sleep(0.01)
                send(process, signal.SIGCONT)
            code, said = runner.end()
            if "defect" in said and "KeyboardInterrupt" in said["defect"]:
                code, said = -number, {}  # before the run listens for it: the command says that, in one sentence
            answer.ended(code, said)
    return answer.seen, answer.wrong


def failing_calls(folder, seed, count):
    """The system refuses one of its calls from some moment on: no space, a broken disk, too many open files."""
    dice, one = random.Random(f"calls {seed}"), Disturbed(folder)
    with Runner() as runner:
        for _ in range(count):
            failing = [dice.choice(CALLS), dice.randrange(120), dice.choice(ERRORS)]
            runner.begin(one.path, one.resumable(), failing)
            one.ended(*runner.end(), refusal=os.strerror(failing[2]))
            if dice.random() < 0.2:
                runner.begin(one.path, one.resumable())
                one.ended(*runner.end())
    return one.seen, one.wrong


def disks(folder, seed, count):
    """A disk of random size fills up, grows, and the run goes on. Nothing where no file system may be mounted."""
    dice, disk = random.Random(f"disks {seed}"), folder / "disk"
    with small_disk(disk) as mounted:
        if not mounted:
            return Counter({"no file system may be mounted": count}), []
        one = Disturbed(disk)
        with Runner() as runner:
            for _ in range(count):
                resume = one.resumable()
                used = sum(file.stat().st_size for file in one.path.rglob("*") if file.is_file())
                resized(disk, used + dice.randrange(4 << 10, 300 << 10))
                runner.begin(one.path, resume)
                one.ended(*runner.end(), refusal=os.strerror(ERRORS[0]))
    return one.seen, one.wrong


@contextmanager
def small_disk(path):
    """A file system at `path`, whether it could be mounted."""
    path.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", path]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", path], check=True)


def resized(path, size):
    """The disk has so many bytes, at least those that it holds."""
    subprocess.run(["mount", "-o", f"remount,size={size}", path], check=False, capture_output=True)


def writers(folder, seed, count):
    """Two processes begin or resume one directory at nearly the same moment; sometimes the first is killed."""
    dice, answer = random.Random(f"writers {seed}"), Disturbed(folder)
    with Runner() as first, Runner() as second:
        for _ in range(count):
            resume = answer.resumable()
            process = first.begin(answer.path, resume)
            time.sleep(dice.uniform(0, 0.3 * answer.seconds))
            second.begin(answer.path, resume or committed(answer.path) > 0)
            if dice.random() < 0.5:
                time.sleep(dice.uniform(0, 0.5 * answer.seconds))
                send(process, signal.SIGKILL)
            judge_both(answer, first.end(), second.end())
    return answer.seen, answer.wrong


def judge_both(one, *ends):
    """Of two runs in one directory, those that came to an end are right; who was refused was told of the other."""
    complete = [said for _, said in ends if "counts" in said]
    for code, said in ends:
        if "refused" in said and not complete and "is in use by" not in said["refused"] and "add --resume" not in said["refused"]:
            one.wrong.append(said["refused"])
        if "defect" in said or (not said and code >= 0):
            one.wrong.append((code, said))
        one.seen[next(iter(said), "killed")] += 1
        if said.get("counts", one.whole) != one.whole:
            one.wrong.append("another count")
    if complete:
        one.fresh()


PARTS = {
    "kills": kills, "damages": damages, "signals": signals, "calls": failing_calls, "disks": disks, "writers": writers,
}  # fmt: skip
