"""Models as modules of TLA+: what is written, and, where TLC can be had, that it finds as many distinct states.

HIGHWATER_TLC names TLC's jar, tla2tools.jar. It is no part of the project.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import highwater
import pytest
from highwater.explorer.command_line import main
from highwater.explorer.library import of_a_user
from highwater.explorer.symbolic.tla import module
from highwater.model.language import Model, State, UsageError, integer, seq
from highwater.properties.catalogue import properties_of
from highwater.properties.property import always
from highwater.properties.registry import MODELS

TESTS = Path(__file__).parents[1]
JAR = os.environ.get("HIGHWATER_TLC", "")

needs_tlc = pytest.mark.skipif(not JAR, reason="HIGHWATER_TLC does not name a jar of TLC (tla2tools.jar)")


def model_in(name):
    spec = importlib.util.spec_from_file_location(f"tla_{Path(name).stem}", TESTS / name)
    if str(TESTS / "gallery") not in sys.path:
        sys.path.append(str(TESTS / "gallery"))  # as the command does
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found.MODEL


def run_tlc(folder, text, checks):
    """What TLC finds: the distinct states, and all that it says."""
    (folder / "M.tla").write_text(text)
    (folder / "M.cfg").write_text(checks)
    command = ["java", "-Xss64m", "-cp", JAR, "tlc2.TLC", "-continue", "-workers", "1", "M.tla"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False).stdout
    found = re.findall(r"(\d+) distinct states found", said)
    assert found, said[-2000:]
    return int(found[-1]), said


def test_a_module_has_the_actions_and_the_properties(tmp_path):
    assert main(["export", str(TESTS / "gallery/diehard.py"), "--tla", str(tmp_path / "Jugs.tla")]) == 0
    text = (tmp_path / "Jugs.tla").read_text()
    assert text.startswith("---- MODULE Jugs ----") and text.rstrip().endswith("====")
    assert "VARIABLES small, big" in text and "Init ==\n    \\/ (small = 0 /\\ big = 0)" in text
    assert "    \\/ SmallToBig" in text and "NotFourGallons ==\n    (big # 4)" in text
    assert (tmp_path / "Jugs.cfg").read_text().splitlines()[-1] == "INVARIANT NotFourGallons"


def test_parameters_are_quantified_and_steps_have_primes():
    model = of_a_user(model_in("gallery/termination.py"))
    text, checks = module("M", model, model.configure("only"), model.properties)
    assert re.search(r"\\/ \\E \w+_i \\in 0\.\.\d+(, \w+_i \\in 0\.\.\d+)* : \w+\(", text)
    assert re.search(r"\[\]\[.*'.*\]_vars", text, re.S) and "PROPERTY " in checks


def test_a_name_that_is_no_modules_is_refused(capsys):
    assert main(["export", str(TESTS / "gallery/diehard.py"), "--tla", "3.tla"]) == 2
    assert "is a file NAME.tla" in capsys.readouterr().err


@needs_tlc
@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("gallery/diehard.py", 16), ("gallery/tcommit.py", 34), ("gallery/two_phase.py", 288), ("gallery/ewd840.py", 302),
        ("gallery/peterson.py", 42), ("gallery/philosophers.py", 67), ("gallery/chang_roberts.py", 137),
        ("gallery/alternating_bit.py", 240), ("gallery/cat.py", 48), ("gallery/teaching_concurrency.py", 723),
        ("gallery/missionaries.py", 64), ("gallery/write_through_cache.py", 5196),
        ("gallery/abd.py", 544), ("language/test_containers.py", 6060), ("language/test_wholes.py", None),
    ],
)  # fmt: skip
def test_tlc_finds_as_many_states(name, states, tmp_path):
    model = model_in(name)
    whole, found = of_a_user(model), highwater.check(model, keep_going=True, threads=1)
    distinct, said = run_tlc(tmp_path, *module("M", whole, whole.configure("only"), whole.properties))
    assert distinct == found.states and states in (None, distinct)
    violated = {name for name, verdict in found.verdicts.items() if verdict == "violated"}
    assert ("is violated" in said) is bool(violated), said[-2000:]


@needs_tlc
@pytest.mark.parametrize(
    ("name", "sizes", "states"), [("paxos", {"acceptors": 1, "values": 1}, 25), ("raft", {"servers": 2}, 89)]
)
def test_tlc_finds_as_many_states_at_smaller_sizes(name, sizes, states, tmp_path):
    whole = of_a_user(model_in(f"gallery/{name}.py"))
    assert run_tlc(tmp_path, *module("M", whole, whole.configure("only", **sizes), whole.properties))[0] == states


@needs_tlc
@pytest.mark.parametrize(("margin", "states"), [(1, 109), (0, 133)])
def test_tlc_counts_the_lease_that_was_written_in_tla(margin, states, tmp_path):
    text = (TESTS / "gallery/Lease.tla").read_text().replace("MODULE Lease", "MODULE M")
    checks = f"CONSTANTS N = 3\nT = 4\nM = {margin}\nD = 1\nINIT Init\nNEXT Next\nINVARIANT OneHolder\nCHECK_DEADLOCK FALSE\n"
    distinct, said = run_tlc(tmp_path, text, checks)
    assert distinct == states and ("is violated" in said) is (margin == 0)


def test_what_may_be_left_in_the_middle_of_a_loop_does_not_double_what_follows():
    """A set of 16 messages: each of their loops is left where a message is there already."""
    paxos = of_a_user(model_in("gallery/paxos.py"))
    text, _ = module("M", paxos, paxos.configure("only", acceptors=2, values=1), paxos.properties)
    assert len(text) < 200_000


@needs_tlc
@pytest.mark.parametrize(("revision", "states"), [("kip-320", 5973), ("high-watermark", None)])
def test_tlc_finds_as_many_states_of_the_published_model(revision, states, tmp_path):
    model = MODELS["published"]
    config = model.configure(revision, brokers=2)
    text, checks = module("M", model, config, [p for p in properties_of(model) if p.applies(config) and p.by_default])
    distinct, said = run_tlc(tmp_path, text, checks)
    assert states in (None, distinct) and ("is violated" in said) is (revision == "high-watermark")


SMALL = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1, "preferred_elections": 0, "session_expiries": 0}


def test_what_sees_steps_before_the_normal_form_is_left_out(tmp_path, capsys):
    """The module's actions end with it: where it writes what a property reads, TLC would find steps that violate what holds."""
    flags = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert main(["export", "--revision", "kip-320", *flags, "--tla", str(tmp_path / "M.tla")]) == 0
    text, checks = (tmp_path / "M.tla").read_text(), (tmp_path / "M.cfg").read_text()
    assert "PROPERTY CommitsAgree" in checks and "INVARIANT StrongIsr" in checks and "ZkVersionGuardsIsr" not in text
    said = "ithout zk_version_guards_isr, epochs_increase: "
    assert said in capsys.readouterr().out and said in text


@needs_tlc
@pytest.mark.parametrize(("revision", "states"), [("kip-320", 7), ("v3", 31)])
def test_tlc_finds_as_many_states_of_a_model_with_a_normal_form(revision, states, tmp_path):
    model, config = MODELS["kafka"], MODELS["kafka"].configure(revision, **SMALL)
    chosen = [p for p in properties_of(model) if p.applies(config) and p.by_default and not p.of_progress]
    distinct, said = run_tlc(tmp_path, *module("M", model, config, chosen))
    assert distinct == states and ("is violated" in said) is (revision == "v3")


class Pair(State):
    """Two numbers."""

    x = integer(-9, 9, "a number")
    y = integer(-9, 9, "a number", initial=-4)


def ends(number):
    return max(-9, min(9, number))


def part_that_decides(s):
    """Of `and` and `or` the part that decides is the answer, a number too."""
    s.x = ends((s.x < s.y) + (s.x and s.y) - (s.y or 3) + (s.x and 2))
    return True


def remainder_by_less_than_nothing(s):
    """Whose sign is that of the divisor."""
    s.y = ends(s.x % -4 + abs(s.x) % (s.y or 7) + s.y // -2)
    return True


def turned(s):
    """The first is the second, and the second a remainder."""
    if s.x == s.y:
        return False
    s.x, s.y = s.y, ends(s.x * -2 % 7 - 3)
    return True


def x_is_not_five(s):
    return s.x != 5


PAIR = Model(
    state=Pair, actions=[part_that_decides, remainder_by_less_than_nothing, turned], properties=[always(x_is_not_five)]
)


def test_a_number_that_decides_is_written_and_so_is_a_remainder_by_less_than_nothing():
    whole = of_a_user(PAIR)
    text, _ = module("M", whole, whole.configure("only"), whole.properties)
    assert "(IF (y # 0) THEN y ELSE 3)" in text and "(IF (x # 0) THEN 2 ELSE x)" in text
    assert "Remainder(x, (-4))" in text and "% (-4" not in text and "% 7" in text


@needs_tlc
def test_tlc_divides_as_python(tmp_path):
    whole, found = of_a_user(PAIR), highwater.check(PAIR, keep_going=True, threads=1)
    distinct, said = run_tlc(tmp_path, *module("M", whole, whole.configure("only"), whole.properties))
    assert distinct == found.states and ("is violated" in said) is (found.verdict == "violated")


class Queue(State):
    """What waits."""

    queue = seq(integer(0, 3, "a number"), 2, "what waits")


def late(s):
    """It writes where it asks."""
    return s.queue.length > 0 and s.queue.remove(0) == 1


def test_what_is_not_written_is_refused():
    model = of_a_user(Model(state=Queue, actions=[late]))
    with pytest.raises(UsageError, match=r"sequences.py:\d+: TLA\+ is not written for a write within a condition in remove"):
        module("M", model, model.configure("only"), [])
