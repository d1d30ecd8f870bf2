"""While the compiler works the same search runs in plain Python: nobody can tell from the outcome which of the two was first."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.background_compiler import BackgroundCompiler, HeadStart, compile_in_background
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.packing import number_of
from highwater.explorer.local.check import check
from highwater.explorer.local.race import race_with_compiler
from highwater.explorer.local.uncompiled import Kernels, uncompiled
from highwater.explorer.request import Request
from highwater.model.language.kinds import cells
from highwater.properties.catalogue import properties_of
from highwater.properties.property import always
from highwater.properties.registry import PUBLISHED
from support.compiler import Compiler
from support.elsewhere import highwater
from support.exploring import finished
from support.toys import COUNTER_PROPERTIES, COUNTERS, JUG_PROPERTIES, JUGS, LOCK, LOCK_PROPERTIES

SMALL = {"brokers": 2, "max_epoch": 1, "max_records": 1}
CASES = {
    "holds": ("kip-320", SMALL, {}),
    "violated": ("high-watermark", {"brokers": 2}, {}),
    "kept going": ("high-watermark", SMALL, {"keep_going": True}),
    "deadlock": ("kip-320", SMALL, {"deadlock": True}),
    "whole states": ("kip-101", SMALL, {"exact": True}),
    "a bound of depth": ("kip-101", SMALL, {"bounds": Bounds(depth=7)}),
    "a bound of states": ("kip-101", SMALL, {"bounds": Bounds(states=100)}),
}


def facts(search):
    """All that an outcome is made of."""
    counts = [list(map(int, column)) for column in search.counts()]
    paths = {name: search.path_of(found) for name, found in search.found.items()}
    return search.levels, search.found, search.transitions, counts, search.complete, search.stopped, paths


@pytest.mark.parametrize("case", CASES)
def test_plain_kernels_find_the_same_in_the_same_order(case):
    revision, settings, how = CASES[case]
    properties = properties_of(PUBLISHED)
    compiled = Compiled(PUBLISHED, PUBLISHED.configure(revision, **settings), properties, False, "small")
    applicable = [claim for claim in properties if claim.applies(compiled.config)]
    assert facts(finished(uncompiled(compiled, int), applicable, **how)) == facts(finished(compiled, applicable, **how))


def test_toys_too():
    compiled = Compiled(COUNTERS, COUNTERS.configure("only"), COUNTER_PROPERTIES)
    how = {"keep_going": True, "deadlock": True}
    plain, quick = (facts(finished(one, COUNTER_PROPERTIES, **how)) for one in (uncompiled(compiled, int), compiled))
    assert plain == quick


def test_an_initial_state_that_is_reached_again_is_not_new():
    compiled = Compiled(JUGS, JUGS.configure("only"), JUG_PROPERTIES)
    search = finished(uncompiled(compiled, int), JUG_PROPERTIES, keep_going=True)
    assert (search.states, search.transitions) == (16, 97)


def test_keys_go_there_and_back():
    compiled = Compiled(PUBLISHED, PUBLISHED.configure("kip-279", **SMALL), properties_of(PUBLISHED), False, "small")
    kernels = Kernels(compiled, int)
    for state in PUBLISHED.initial_states(compiled.config):
        (words,) = compiled.canonical_keys([state])
        assert (compiled.keys_of([state]) == words).all() and cells(compiled.state_of(words)) == cells(state)
        assert kernels.fingerprint(number_of(words)) == int(compiled.fingerprints(words.reshape(1, -1))[0])


def lock(**how):
    request = Request(LOCK, "peterson", LOCK.configure("peterson"), LOCK_PROPERTIES, **how)
    return request, Compiled(LOCK, request.config, LOCK_PROPERTIES)


def test_who_comes_first(monkeypatch):
    monkeypatch.setattr("highwater.explorer.local.race.EVERY", 0.0)
    request, compiled = lock()
    slow, quick, told = Compiler(), Compiler(done=True), []
    search = race_with_compiler(request, compiled, slow, told.append)
    assert search is not None and search.complete and search.states > 10 and slow.stopped
    assert told[0].background.startswith("compiling: 1 s so far, usually 3 to 30 s; meanwhile in plain Python")
    assert race_with_compiler(request, compiled, quick, None) is None and quick.stopped


def test_a_compiler_that_failed_is_not_hidden_by_a_search_that_was_faster():
    """It is compiled again in this process, where the error is reported."""
    request, compiled = lock()
    assert race_with_compiler(request, compiled, Compiler(failed=True), None) is None
    child = os.fork()
    if child == 0:
        os._exit(1)
    compiler = BackgroundCompiler(compiled.module, child)
    while not compiler.is_done():
        pass
    assert compiler.has_failed() and race_with_compiler(request, compiled, compiler, None) is None


def test_a_process_that_cannot_fork_compiles_only_what_plain_python_does_not_finish(monkeypatch):
    """As those of `matrix`. What fails in plain Python is left to compiled code, which says where."""
    request, compiled = lock()
    entries = [(compiled.module, "no_such_entry")]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        assert compile_in_background(compiled.module, entries, int) is None
        search = race_with_compiler(request, compiled, compile_in_background(compiled.module, entries, int, True), None)
        assert search is not None and search.complete
        monkeypatch.setattr("highwater.explorer.local.race.EVERY", 0.0)
        monkeypatch.setattr("highwater.explorer.compiling.background_compiler.HEAD_START", 0.0)
        assert race_with_compiler(request, compiled, compile_in_background(compiled.module, entries, int, True), None) is None
    fails = Request(COUNTERS, "only", COUNTERS.configure("only"), [always(divides, None)])
    assert race_with_compiler(fails, Compiled(COUNTERS, fails.config, fails.properties), HeadStart(), None) is None


def test_a_head_start_goes_on_where_the_search_is_nearly_done(monkeypatch):
    monkeypatch.setattr("highwater.explorer.local.race.EVERY", 0.0)
    request, compiled = lock()
    seen = check(request).levels
    looks = sum(seen[: len(seen) - seen[::-1].index(max(seen))])  # one for each state up to the last of the widest levels
    calls = iter(range(1 << 20))
    early, late = HeadStart(), HeadStart()
    early.is_done = lambda: True
    late.is_done = lambda: next(calls) > looks
    assert race_with_compiler(request, compiled, early, None) is None
    found = race_with_compiler(request, compiled, late, None)
    assert found is not None and found.complete and next(calls) > looks


def divides(s):
    return 1 // s.count[0] >= 0


@pytest.mark.parametrize("to_the_end", [True, False])
def test_the_search_in_plain_python_ends_where_the_other_does(to_the_end):
    """It stopped at the first violation, also where the request looks for others."""
    properties = [*LOCK_PROPERTIES, always(is_of_the_lock, None)]
    request = Request(LOCK, "rude", LOCK.configure("rude"), properties, until_found=to_the_end)
    compiled = Compiled(LOCK, request.config, properties)
    search = race_with_compiler(request, compiled, Compiler(), None)
    assert search is not None and "one_at_a_time" in search.found and search.complete == to_the_end


def is_of_the_lock(s):
    return s.config.members >= 0


def test_check_takes_the_search_that_ends_first(monkeypatch):
    request, outcomes = lock()[0], []
    for compiler in (Compiler(), Compiler(done=True)):
        monkeypatch.setattr("highwater.explorer.local.check.compile_in_background", lambda *arguments, one=compiler: one)
        monkeypatch.setattr("highwater.explorer.local.race.EVERY", 0.0)
        outcomes.append(check(request))
        assert compiler.stopped
    plain, compiled = outcomes
    assert plain.compile_seconds == 0 < compiled.compile_seconds
    assert (plain.levels, plain.transitions, plain.complete) == (compiled.levels, compiled.transitions, True)


def test_a_run_that_is_kept_and_symmetry_wait_for_the_compiler(tmp_path):
    for how in ({"run_directory": str(tmp_path)}, {"symmetry": True}, {"bounds": Bounds(memory=1 << 40)}):
        assert race_with_compiler(*lock(**how), Compiler(done=True), None) is None


@pytest.mark.parametrize("how", [{}, {"symmetry": True}])
def test_the_waiting_process_compiles_what_keeps_states_once(monkeypatch, how):
    helped = []
    monkeypatch.setattr("highwater.explorer.local.race.EVERY", 0.0)
    monkeypatch.setattr("highwater.explorer.local.race.ALONE", 0.5)
    monkeypatch.setattr("highwater.explorer.local.race.compile_tables", helped.append)
    request, compiled = lock(**how)
    race_with_compiler(request, compiled, Compiler(done=bool(how)), None)
    assert helped == [compiled]


def test_the_command_with_nothing_compiled_does_not_wait_and_says_the_same(tmp_path):
    """A small model in a cold cache, and the same run uncompiled: one document, but for times and memory."""
    (tmp_path / "toy.py").write_text(
        "from highwater.properties.extended import extended\nfrom support.toys import LOCK, LOCK_PROPERTIES\n\n\n"
        "def register(models):\n    return [extended(LOCK, properties=LOCK_PROPERTIES)]\n"
    )
    documents = []
    for revision, code in (("peterson", 0), ("rude", 12)):
        for way in ("yes", "no"):
            command = ["check", "--plugin", "toy", "--model", "lock", "--revision", revision, "--quiet", "--json", "x.json"]
            assert highwater(tmp_path, *command, HIGHWATER_CACHE=tmp_path / "cold", HIGHWATER_COMPILE=way)[0] == code
            document = json.loads((tmp_path / "x.json").read_text())
            documents.append({k: v for k, v in document.items() if not k.endswith("seconds")})
    assert documents[0] == documents[1] and documents[2] == documents[3]
    assert os.listdir(tmp_path / "cold")
