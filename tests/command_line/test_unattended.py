"""Runs that nobody watches: a command is told of every end that the process survives, and the log says when."""

import errno
import os
import re
import shlex
import signal
import sys

import pytest
from highwater.explorer.command_line import check, main
from highwater.explorer.runs.files import LocalFiles
from support.elsewhere import refused

RUN = ["check", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--quiet", "--traces", "t"]
TELL = [sys.executable, "-c", "import os, sys; print('TOLD', sys.argv[-1], os.environ['HIGHWATER_EXIT_CODE'])"]
TOLD = ["--notify", shlex.join(TELL)]


def told(capfd, *arguments):
    """What the command was told, without the exit code, which is compared."""
    code = main([*RUN, *arguments, *TOLD])
    (found,) = re.findall(r"^TOLD (.*) (\d+)$", capfd.readouterr().out, re.MULTILINE)
    assert int(found[1]) == code
    return found[0]


def test_a_full_disk_is_told(capfd, monkeypatch):
    create = LocalFiles.create

    def full(self, name, write):
        if name == "level-0005.states":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return create(self, name, write)

    monkeypatch.setattr(LocalFiles, "create", full)
    said = told(capfd, "--run-dir", "run")
    what = "stopped at level 4: the run directory run cannot be written: No space left on device"
    assert said.startswith(f"published kip-320: {what}"), said
    assert said.endswith("; continue with the same command and --resume")


def test_a_damaged_run_is_told(capfd, tmp_path):
    assert main([*RUN, "--run-dir", "run", "--depth", "4"]) == 20
    (tmp_path / "run" / "level-0003.states").write_bytes(b"x")
    said = told(capfd, "--run-dir", "run", "--resume")
    assert said.startswith("published kip-320: stopped at level 2: run/level-0003.states was damaged or changed"), said
    assert said.endswith("continue from the last undamaged level with --resume-from 2")


def test_what_is_refused_and_what_breaks_is_told(capfd, monkeypatch):
    assert told(capfd, "--set", "brokers=x").startswith("highwater check: not begun: ")
    monkeypatch.setattr(check, "conclude", lambda *arguments: 1 / 0)
    assert re.search(": a defect of highwater, ZeroDivisionError: division by zero$", told(capfd))


def test_the_end_of_a_run_that_is_bounded(capfd):
    said = told(capfd, "--revision", "high-watermark", "--keep-going", "--depth", "12")
    assert re.match(r"published high-watermark: violated: \w+ after \d+ steps, and \d more; the bound of depth 12", said), said


def test_termination_before_there_is_a_search(capfd, monkeypatch):
    monkeypatch.setattr(check, "check", lambda *arguments: os.kill(os.getpid(), signal.SIGTERM))
    assert told(capfd) == "published kip-320: not begun: interrupted before there was anything to report"


@pytest.mark.parametrize("flags, says", [
    (["--spark"], "did you mean --engine spark?"),
    (["--engine", "spark", "--worker-memory", "1"], "must be at least 8 MB, not 1"),
    (["--engine", "spark", "--conf", "ui=on"], "--conf takes a setting of Spark's, such as spark.ui.enabled=true, not 'ui=on'"),
    (["--conf", "spark.ui.enabled=true"], "--conf needs --engine spark"),
])  # fmt: skip
def test_flags_of_spark(capsys, flags, says):
    assert says in refused(capsys, *RUN, *flags)
