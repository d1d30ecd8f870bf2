"""The search in lanes finds the same as the search of one state at a time, in the same order."""

import importlib.util
import os
import random
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from gallery.test_gallery import model_of
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.checks import Checked
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.failure import located
from highwater.explorer.compiling.generate import checked_program, functions_of
from highwater.explorer.compiling.lanes import can_be_lowered, fits, places_of
from highwater.explorer.library import of_a_user
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.check import check
from highwater.model.language import Model, State, integer
from highwater.model.language.errors import ModelError, UsageError
from highwater.model.language.machine_code.lane_instructions import EVERYWHERE, lane_instructions
from highwater.model.language.machine_code.loader import lowering_of
from highwater.model.language.machine_code.pipeline import simplified
from highwater.model.language.machine_code.processor import LANES, NARROW, WIDE, has_lanes, lanes_of
from highwater.model.language.reading.typed_tree import Operation, having
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import KAFKA, MODELS
from llvmlite import binding
from support.cases import CASES, KRAFT_FAULTS, PUBLISHED, TINY, name_of
from support.configurations import some_configuration
from support.exploring import compile_generic, finished, request, told

needs_lanes = pytest.mark.skipif(not has_lanes(), reason="the processor has neither AVX2 nor AVX-512")
TRIED = [
    CASES[3],
    CASES[6],
    (PUBLISHED, "kip-320-first-try", {**TINY, "brokers": 3}),
    (KAFKA, "v3", {**TINY, "crashes": 1, "controller_changes": 1, "start_up": "stepwise"}),
    (MODELS["strategies"], "isr", {}),
    (MODELS["designs"], next(iter(MODELS["designs"].revisions)), {}),
]
SINGLE_TOO = (CASES[3], CASES[6])
"""Where the search of one state at a time with code of its own is compared, too."""
REST = [*(case for case in CASES if case not in TRIED), *((MODELS["kraft"], "4.4", settings) for settings in KRAFT_FAULTS)]
SLOW = TRIED[3:4] + TRIED[5:]
"""What compiles longest, and whose actions the settings at random and `test_every_function...` have, too."""
ALL = [pytest.param(case, marks=[pytest.mark.long] * (case in SLOW or case in REST)) for case in [*TRIED, *REST]]


def checked(model, config):
    """The properties that a search can check."""
    return [claim for claim in properties_of(model) if claim.kind in ("always", "step", "sometimes") and claim.applies(config)]


def searched(monkeypatch, way, case, bounds=None, room=None):
    """The search of a case within bounds or to a depth: in lanes (`yes`), of one state at a time (`single`), or so with the code
    that all configurations share (`generic`)."""
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "yes" if way == "generic" else way)
    model, revision, settings = case
    config = model.configure(revision, **settings)
    properties = checked(model, config)
    compiled = compile_generic(model, config) if way == "generic" else Compiled(model, config, properties)
    assert compiled.lanes == (way == "yes")
    if room is not None:
        monkeypatch.setattr(Compiled, "most_successors", room)
    return finished(compiled, properties, bounds or Bounds(depth=14), keep_going=True, deadlock=True)


def outcome(search):
    """All that a search has found, with every state's first predecessor."""
    shards = [(shard.log.tolist(), sorted(int(slot) for slot in shard.slots if slot)) for shard in search.shards]
    counts = [column.tolist() for column in search.counts()]
    return search.levels, search.found, counts, shards


@needs_lanes
@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case[0].name}-{case[1]}-{name_of(case[2])}")
def test_lanes_find_the_same_in_the_same_order(monkeypatch, case):
    ways = ["generic", "yes", *["single"] * (case in SINGLE_TOO)]
    first, *others = [outcome(searched(monkeypatch, way, case)) for way in ways]
    assert others == [first] * len(others)
    levels, found, *_ = first
    assert found and sum(levels) > 20


@pytest.mark.parametrize(("model", "revision", "settings"), SINGLE_TOO, ids=name_of)
def test_code_for_one_configuration_and_for_all(model, revision, settings):
    """Without lanes, too. It stands here because the code is that of the test before: one process compiles it once."""
    own, shared = (check(request(model, revision, settings, generic=generic)) for generic in (False, True))
    assert told(own) == told(shared)


WITH_AVX2 = {"avx2": True, "bmi": True, "bmi2": True}
WITH_AVX_512 = {**WITH_AVX2, "avx512bw": True, "avx512vbmi": True, "avx512vbmi2": True}


@needs_lanes
def test_the_blocks_of_all_tasks_have_one_type():
    """The same object: Numba recognises it at once."""
    compiled = Compiled(KAFKA, KAFKA.configure("kip-320", **TINY), [])
    assert compiled.scratch().lanes.dtype is compiled.scratch().lanes.dtype is compiled.block_type


def test_how_many_lanes_there_are_depends_on_the_processor():
    assert lanes_of(WITH_AVX_512) == WIDE and lanes_of(WITH_AVX_512, NARROW) == NARROW
    assert lanes_of({**WITH_AVX_512, "avx512vbmi2": False}) == lanes_of(WITH_AVX2) == NARROW
    assert all(lanes_of({**WITH_AVX2, missing: False}) == 0 for missing in WITH_AVX2) and lanes_of({}) == 0


@pytest.mark.skipif(LANES != NARROW, reason="wide lanes are not for processors without AVX-512")
@needs_lanes
def test_no_instruction_makes_those_of_avx_wait():
    """LLVM took a byte out of a word with EXTRQ, which AVX has no form of: some 270 cycles for each (decision 0009)."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    text = EVERYWHERE + "".join(text for text, _ in lane_instructions().values())
    module = binding.parse_assembly(text.replace("linkonce_odr", "weak_odr"))
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(cpu="znver3", opt=3)
    assembly = machine.emit_assembly(simplified(module, machine)).split()
    assert any(word.endswith("spread_group:") for word in assembly) and not {"extrq", "insertq"} & set(assembly)


@pytest.mark.skipif(LANES != WIDE, reason="all tests of lanes are of narrow ones here")
@pytest.mark.parametrize("some", ["not same_order or published", pytest.param("same_order", marks=pytest.mark.long)])
def test_narrow_lanes_find_the_same(some):
    """The tests of lanes again, in a process that takes fewer of them than the processor has."""
    here = Path(__file__)
    tests = [here.parents[1] / "language" / "test_lanes.py", f"{here}::test_lanes_find_the_same_in_the_same_order"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", some, *map(str, tests)]
    done = subprocess.run(command, env={**os.environ, "HIGHWATER_COMPILE": "narrow"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout


def compare_at_random(monkeypatch, seed):
    """Settings that nobody has chosen, as far as 20,000 states."""
    revision, config = some_configuration(random.Random(seed))
    case = KAFKA, revision, dict(config.shown())
    one, many = (outcome(searched(monkeypatch, way, case, Bounds(states=20_000))) for way in ("generic", "yes"))
    assert many == one, case


@needs_lanes
def test_some_settings_at_random(monkeypatch):
    compare_at_random(monkeypatch, 0)


@needs_lanes
@pytest.mark.long
def test_many_settings_at_random(monkeypatch):
    """Some minutes."""
    for seed in (1, *range(100, 160)):
        compare_at_random(monkeypatch, seed)


@needs_lanes
def test_where_boxes_are_small_blocks_are_narrower(monkeypatch):
    """A box may have no room for all the successors that a whole block could have."""
    wide = searched(monkeypatch, "yes", TRIED[0])
    assert outcome(searched(monkeypatch, "yes", TRIED[0], room=wide.compiled.codes * 3 + 1)) == outcome(wide)


@needs_lanes
def test_where_states_are_expanded_one_at_a_time(monkeypatch):
    """With code that all configurations share, where an argument is no byte, and without the instructions."""
    published = PUBLISHED.configure("kip-320")
    assert Compiled(PUBLISHED, published).lanes
    assert not Compiled(PUBLISHED, published, generic="small").lanes
    layout, plan = Compiled(PUBLISHED, published).layout, Compiled(PUBLISHED, published).plan
    assert fits(layout, plan, [3, 128]) and not fits(layout, plan, [3, 129]), "an argument is no byte"
    monkeypatch.setattr("highwater.explorer.compiling.lanes.has_lanes", lambda: False)
    assert not Compiled(PUBLISHED, published).lanes


def own(name, symmetry=False, exact=False, long=True, **settings):
    """A model of one's own, of the gallery."""
    how = "-".join([name, *["symmetry"] * symmetry, *["exact"] * exact])
    return pytest.param(name, settings, symmetry, exact, id=how, marks=[pytest.mark.long] * long)


OWN = [own("lease", long=False), own("two_phase", symmetry=True), own("paxos", exact=True, symmetry=True)]
OWN_TOO = [own(name) for name in ("chameneos", "ewd998", "readers_writers", "write_through_cache", "single_decree_paxos", "raft")]
OWN_TOO += [own(name) for name in ("paxos_commit", "scheduling_allocator", "prisoners", "elevator", "termination")]


def one_way(monkeypatch, way, model, config, symmetry=False, exact=False):
    """The search in lanes (`yes`), or that of one state at a time (`single`)."""
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", way)
    properties = checked(model, config)
    search = BreadthFirst(Compiled(model, config, properties, symmetry), properties, exact, keep_going=True, deadlock=True)
    assert search.compiled.lanes == (way == "yes")
    search.seed()
    with located(search.compiled, properties, search.rows):
        search.run(Bounds(states=100_000))
    return search


def both_ways(monkeypatch, *how):
    return [one_way(monkeypatch, way, *how) for way in ("yes", "single")]


class Tank(State):
    """Two levels."""

    left = integer(0, 9, "falls by one after each step")
    right = integer(0, 2, "rises")


def fill(s):
    """Fill the left half, if there is room."""
    if s.left > 5:
        return False
    s.left += 4
    return True


def raise_right(s):
    """Nothing changes at the top."""
    s.right = min(s.right + 1, 2)
    return True


def leak(s):
    """A normal form of which a second one differs."""
    s.left = max(s.left - 1, 0)


@needs_lanes
def test_the_normal_form_of_a_user_is_taken_after_every_step(monkeypatch):
    """Of one that changes its own result, too: after a step that changes nothing, and nothing that it looks at."""
    model = of_a_user(Model(state=Tank, actions=[fill, raise_right], normal_form=leak))
    lanes, single = both_ways(monkeypatch, model, model.configure("only"))
    assert outcome(lanes) == outcome(single) and (lanes.states, lanes.transitions) == (18, 31)


def lift_three(s):
    """One part, that changes some states that the whole leaves as they are."""
    if s.left == 3:
        s.left = 4


def lower_four(s):
    """The other part, which undoes that in some of them."""
    if s.left == 4:
        s.left = 3 if s.right == 1 else 5


def in_two_parts(s):
    """A normal form of which no part can be left out, though a step has changed nothing that it looks at."""
    lift_three(s)
    lower_four(s)


def fill_to_three(s):
    """From empty."""
    if s.left > 0:
        return False
    s.left = 3
    return True


@needs_lanes
def test_a_part_of_the_normal_form_that_another_undoes_is_taken_after_every_step(monkeypatch):
    """As if it were a model of ours: a user's normal form is one part."""
    monkeypatch.setattr("highwater.model.language.reading.program.is_plugin_code", lambda function: False)
    model = Model(state=Tank, actions=[fill_to_three, raise_right], normal_form=in_two_parts)
    lanes, single = both_ways(monkeypatch, model, model.configure("only"))
    assert lanes.compiled.own_normal_form and "touched |= bits_of_changes" in lanes.compiled.module.text
    assert outcome(lanes) == outcome(single) and lanes.states == 7


@needs_lanes
@pytest.mark.parametrize(("name", "settings", "symmetry", "exact"), [*OWN, *OWN_TOO])
def test_models_of_ones_own_and_renamed_ones_find_the_same_in_lanes(monkeypatch, name, settings, symmetry, exact):
    model = of_a_user(model_of(name))
    lanes, single = both_ways(monkeypatch, model, model.configure(next(iter(model.revisions)), **settings), symmetry, exact)
    assert outcome(lanes) == outcome(single) and not lanes.compiled.gave_up and lanes.states > 50


@needs_lanes
@pytest.mark.long
@pytest.mark.parametrize("case", TRIED, ids=lambda case: f"{case[0].name}-{case[1]}-{name_of(case[2])}")
def test_our_own_models_find_the_same_in_lanes_when_members_are_renamed(monkeypatch, case):
    model, revision, settings = case
    lanes, single = both_ways(monkeypatch, model, model.configure(revision, **settings), True)
    assert outcome(lanes) == outcome(single) and lanes.states > 30


FAILING = {
    "a variable is no index": ("s.up[s.far] = 1", "index 2"),
    "an argument is no index": ("s.up[member + 1] = 1", "index 2"),
    "a value beyond its range": ("s.up[member] += 4", r"sets up\[0\] to 4"),
    "a value that no cell holds": ("s.up[member] += 200", r"sets up\[0\] to 200"),
    "it writes and refuses": ("s.up[member] = 1\n    return False", "refuses after it has written"),
    "a shift by what is negative": ("s.up[member] = 1 << member - 1", "negative shift count"),
    "a shift that no set has": ("s.up[member] = 1 << s.up[member] + 9 >> 9", ""),
}
QUICK = "a value beyond its range"
"""What an action does, and what is said of it; of the last one nothing, since it does so correctly, beyond what lanes hold."""


@needs_lanes
@pytest.mark.parametrize("failing", [pytest.param(one, marks=[pytest.mark.long] * (one != QUICK)) for one in FAILING])
def test_what_a_check_finds_in_lanes_is_told_as_it_is_without_them(monkeypatch, tmp_path, failing):
    """The search goes on with one state at a time, which fails in the same state, or does not."""
    body, said = FAILING[failing]
    path, told = tmp_path / f"toy_{list(FAILING).index(failing)}.py", []
    path.write_text(TOY.format(body=body))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = of_a_user(module.MODEL)
    for way in ("yes", "single"):
        try:
            search = one_way(monkeypatch, way, model, model.configure("only"))
            assert not said and search.compiled.gave_up == (way == "yes")
            told.append(outcome(search))
        except ModelError as error:
            told.append(str(error))
    assert told[0] == told[1] and (not said or re.search(said, told[0])), told


TOY = '''
from highwater.model.language import MEMBERS, Model, Settings, State, derived, integer, many, size
from highwater.properties.property import sometimes
class Config(Settings):
    """How many."""
    counters = size(2, 1, 5, "counters")
    members = derived(lambda c: c.counters)
class Counters(State):
    """Counters."""
    up = many(integer(0, 3, "how far"), MEMBERS, "counters")
    far = integer(0, 2, "no counter", initial=2)
def count(s, member):
    """It counts."""
    if s.up[member] > 0:
        return False
    {body}
    return True
def it_counts(s, member):
    """It does."""
    return s.up[member] > 0
MODEL = Model(state=Counters, config=Config, actions=[count], properties=[sometimes(it_counts)])
'''


@needs_lanes
def test_a_function_that_lanes_cannot_do_is_no_obstacle(monkeypatch):
    """Whoever edits a model in its place need not know of them: its states are expanded one at a time."""
    case = model, revision, settings = CASES[6]
    config = model.configure(revision, **settings)
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "yes")
    monkeypatch.setattr("highwater.model.language.machine_code.loader.Loaded.has_kept", lambda self, function: False)
    monkeypatch.setattr("highwater.model.language.machine_code.lane_values.LARGEST", 100)  # too little for a cell
    lowering_of.cache_clear()
    compiled = Compiled(model, config, checked(model, config))
    lowering_of.cache_clear()
    assert not compiled.lanes
    found = finished(compiled, bounds=Bounds(depth=14), keep_going=True)
    assert found.levels == searched(monkeypatch, "single", case).levels


def configurations(model):
    """Configurations in which each value of each switch and fault occurs, as far as they go together."""
    varied = {name: setting for name, setting in model.config.settings.items() if setting.group != "size"}
    most = {name: one.high if one.group == "switch" else 1 for name, one in varied.items()}
    values = {name: [one.show(value) for value in range(one.low, most[name] + 1)] for name, one in varied.items()}
    for number in range(max(map(len, values.values()), default=1)):
        chosen = {}
        for name, several in values.items():
            with suppress(UsageError):
                model.config(**chosen, **{name: several[number % len(several)]})
                chosen[name] = several[number % len(several)]
        yield model.config(**chosen)


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_every_function_of_our_models_can_be_in_lanes(monkeypatch, model):
    """Under every choice of every setting; no state is expanded, and the processor need not have lanes."""
    monkeypatch.setattr("highwater.explorer.compiling.lanes.has_lanes", lambda: True)
    for config in configurations(model):
        compiled = Compiled(model, config, checked(model, config))
        assert compiled.lanes or not fits(compiled.layout, compiled.plan, ())
        if not compiled.lanes:
            continue
        bits = sorted(place[1:3] for place in places_of(compiled.plan))
        assert sum(mask.bit_count() for _, mask in bits) == compiled.state_bits
        assert not checked_program(model, functions_of(model, compiled.properties)).plugin_code


def test_only_members_of_sets_are_shifted_by():
    """How far a shift to the left goes is not counted: to a bit of a cell. The model tells lanes these functions."""
    shifting = set()
    for model in MODELS.values():
        whole = checked_program(model, functions_of(model, Checked.of(properties_of(model))))
        signs = {name: {node.sign for node in having(Operation, tree)} for name, tree in whole.functions.items()}
        shifting |= {name for name in signs if "<<" in signs[name]}
        assert all(hasattr(whole.originals[name], "of_sets") for name in shifting & whole.functions.keys())
    assert shifting == {"including", "excluding", "only", "everyone"}


def test_a_function_that_may_raise_keeps_a_model_out_of_lanes():
    """What calls it, up to the whole step, is then no text for lanes."""
    block = np.dtype([("states", "u1", (64,))])
    for missing in ("steps_of_block", "check_block", "spread"):
        others = {"steps_of_block", "check_block", "spread"} - {missing}
        text = "".join(f"def {name}(a):\n    return 0\n" for name in others) + f"def {missing}(a):\n    return 1 // a\n"
        assert not can_be_lowered(text, (), (), block)


@needs_lanes
def test_the_functions_on_which_newgvn_fails_are_compiled(monkeypatch):
    """Its assertion ended the process; `simplified` does without that pass."""
    case = (KAFKA, "v3", {"brokers": 2, "partitions": 2})
    lanes, generic = (searched(monkeypatch, way, case, Bounds(depth=7)) for way in ("yes", "generic"))
    assert outcome(lanes) == outcome(generic)
