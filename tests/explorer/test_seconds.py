"""`--seconds` count from the start of the program, compiling included."""

import signal
import time

import pytest
from highwater.explorer.budget import GRACE, Bounds, OutOfTime
from highwater.explorer.command_line import main
from highwater.explorer.config_files import BoundsTable, ScenarioTable
from highwater.explorer.harness.scenarios import Scenario, run
from highwater.explorer.local import check as checking
from highwater.explorer.verdict import INCOMPLETE

SMALL = ["--revision", "kip-279", "--brokers", "2", "--max-epoch", "1", "--quiet"]


def test_a_bound_ends_what_takes_too_long_to_compile(capsys, elsewhere, monkeypatch):
    """Whatever runs is ended: there is a verdict, of which nothing is known."""

    def endless(*arguments, **how):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(checking, "compile_for", endless)
    begun = time.monotonic()
    assert main(["check", *SMALL, "--seconds", "0.3"]) == 20
    assert time.monotonic() - begun < 0.3 + GRACE + 10
    said = capsys.readouterr().out
    assert "but the bound of 0.3 seconds, which passed while its code was compiled, ended the exploration; no level" in said


def test_the_seconds_of_a_scenario_end_what_takes_too_long_to_compile(elsewhere, monkeypatch):
    """The alarm of another, such as a limit on the time of a test, is left running."""
    monkeypatch.setattr(checking, "compile_for", lambda *arguments: time.sleep(60))
    said = ScenarioTable(model="published", revision="kip-320", properties=["weak_isr"], bounds=BoundsTable(seconds=0.1))
    signal.setitimer(signal.ITIMER_REAL, 500)
    try:
        (result,) = run(Scenario(said)).values()
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 500
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert result.verdict == INCOMPLETE
    assert result.ended.startswith("the bound of 0.1 seconds, which passed while its code was compiled, ended the exploration")


def test_the_clock_is_not_started_again_by_the_search():
    bounds = Bounds(seconds=5)
    bounds.count_from_start()
    bounds._begun -= 10
    bounds.begin()
    assert bounds.reached(0) == "the bound of 5 seconds"
    with pytest.raises(OutOfTime), bounds.kept():
        time.sleep(10)
    free = Bounds(seconds=5)
    free._begun -= 10
    free.begin()
    assert free.reached(0) == ""
