"""Runs that nobody watches: the log says of every end that the process survives when it was, and how to go on."""

import argparse

import pytest
from highwater.explorer.command_line.unattended import Ending, unattended
from highwater.explorer.output.progress_line import ProgressLine
from highwater.model.language.errors import UsageError
from support.elsewhere import refused

RUN = ["check", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--quiet", "--traces", "t"]


@pytest.mark.parametrize("depth, error, says", [
    (0, KeyboardInterrupt(), "not begun: interrupted before there was anything to report"),
    (4, UsageError("the disk is full"), "stopped at level 4: the disk is full; continue with the same command and --resume"),
    (4, UsageError("continue with --resume-from 3"), "stopped at level 4: continue with --resume-from 3"),
    (4, ZeroDivisionError("division by zero"), "stopped at level 4: a defect of highwater, ZeroDivisionError: division by zero"),
])  # fmt: skip
def test_a_log_that_has_begun_says_how_the_run_ends(capfd, depth, error, says):
    progress = ProgressLine()
    progress.depth = depth
    options = argparse.Namespace(run_dir="run", engine="spark", plugin=[])
    with pytest.raises(type(error)), unattended(options, progress) as ending:
        ending.say("begins")
        raise error
    first, last = capfd.readouterr().err.splitlines()
    assert first.endswith(" highwater check begins")
    assert last.partition(" ends: ")[2].startswith(says)


def test_what_is_refused_before_it_begins_is_one_sentence(capfd):
    ending = Ending(argparse.Namespace(run_dir=None, engine="local", plugin=[]), ProgressLine())
    ending.failure(UsageError("no"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("flags, says", [
    (["--spark"], "did you mean --engine spark?"),
    (["--engine", "spark", "--worker-memory", "1"], "must be at least 8 MB, not 1"),
    (["--engine", "spark", "--conf", "ui=on"], "--conf takes a setting of Spark's, such as spark.ui.enabled=true, not 'ui=on'"),
    (["--conf", "spark.ui.enabled=true"], "--conf needs --engine spark"),
])  # fmt: skip
def test_flags_of_spark(capsys, flags, says):
    assert says in refused(capsys, *RUN, *flags)
