"""The search in lanes finds the same as the search of one state at a time, in the same order."""

import ast
import os
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.checks import Checked
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.generate import checked_program, functions_of
from highwater.explorer.compiling.lanes import can_be_lowered, fits, places_of
from highwater.explorer.local.check import check
from highwater.model.language.errors import UsageError
from highwater.model.language.lane_instructions import declarations, lane_instructions
from highwater.model.language.loader import lowering_of
from highwater.model.language.pipeline import simplified
from highwater.model.language.processor import LANES, NARROW, WIDE, has_lanes, lanes_of
from highwater.model.language.trees import nodes_of
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
ALL = [*TRIED, *(pytest.param(case, marks=pytest.mark.long) for case in REST)]


def checked(model, config):
    """The properties that a search can check."""
    return [claim for claim in properties_of(model) if claim.kind in ("always", "step", "sometimes") and claim.applies(config)]


def searched(monkeypatch, way, case, bounds=None, room=None):
    """The search of a case within bounds or to a depth: in lanes (`yes`), of one state at a time (`single`), or so with the code
    that all configurations share (`generic`)."""
    monkeypatch.setattr("highwater.model.language.processor.NAMED", "yes" if way == "generic" else way)
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
    assert found and sum(levels) > 30


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
    text = declarations() + "".join(text for text, _ in lane_instructions().values())
    module = binding.parse_assembly(text.replace("linkonce_odr", "weak_odr"))
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(cpu="znver3", opt=3)
    assembly = machine.emit_assembly(simplified(module, machine)).split()
    assert any(word.endswith("spread_group:") for word in assembly) and not {"extrq", "insertq"} & set(assembly)


@pytest.mark.skipif(LANES != WIDE, reason="all tests of lanes are of narrow ones here")
def test_narrow_lanes_find_the_same():
    """The tests of lanes again, in a process that takes fewer of them than the processor has."""
    here = Path(__file__)
    tests = [here.parents[1] / "language" / "test_lanes.py", f"{here}::test_lanes_find_the_same_in_the_same_order"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, tests)]
    done = subprocess.run(command, env={**os.environ, "HIGHWATER_COMPILE": "narrow"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout


def compare_at_random(monkeypatch, seed):
    """Settings that nobody has chosen, as far as 20,000 states."""
    revision, config = some_configuration(random.Random(seed))
    case = KAFKA, revision, dict(config.shown())
    one, many = (outcome(searched(monkeypatch, way, case, Bounds(states=20_000))) for way in ("generic", "yes"))
    assert many == one, case


@needs_lanes
@pytest.mark.parametrize("seed", range(2))
def test_some_settings_at_random(monkeypatch, seed):
    compare_at_random(monkeypatch, seed)


@needs_lanes
@pytest.mark.long
def test_many_settings_at_random(monkeypatch):
    """Some minutes."""
    for seed in range(100, 160):
        compare_at_random(monkeypatch, seed)


@needs_lanes
def test_where_boxes_are_small_blocks_are_narrower(monkeypatch):
    """A box may have no room for all the successors that a whole block could have."""
    wide = searched(monkeypatch, "yes", TRIED[0])
    assert outcome(searched(monkeypatch, "yes", TRIED[0], room=wide.compiled.codes * 3 + 1)) == outcome(wide)


@needs_lanes
def test_what_is_not_our_own_or_renamed_or_shared_is_expanded_one_at_a_time(monkeypatch):
    from support.toys import COUNTERS

    assert not Compiled(COUNTERS, COUNTERS.configure(next(iter(COUNTERS.revisions)))).lanes
    published = PUBLISHED.configure("kip-320")
    assert Compiled(PUBLISHED, published).lanes
    assert not Compiled(PUBLISHED, published, symmetry=True).lanes
    assert not Compiled(PUBLISHED, published, generic="small").lanes
    layout, plan = Compiled(PUBLISHED, published).layout, Compiled(PUBLISHED, published).plan
    assert fits(layout, False, (), plan, [3, 128]) and not fits(layout, False, (), plan, [3, 129]), "an argument is no byte"
    monkeypatch.setattr("highwater.explorer.compiling.lanes.has_lanes", lambda: False)
    assert not Compiled(PUBLISHED, published).lanes


@needs_lanes
def test_a_function_that_lanes_cannot_do_is_no_obstacle(monkeypatch):
    """Whoever edits a model in its place need not know of them: its states are expanded one at a time."""
    case = model, revision, settings = CASES[6]
    config = model.configure(revision, **settings)
    monkeypatch.setattr("highwater.model.language.processor.NAMED", "yes")
    monkeypatch.setattr("highwater.explorer.compiling.compiled.is_kept", lambda function: False)
    monkeypatch.setattr("highwater.model.language.lane_values.LARGEST", 100)  # too little for a cell
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


NOT_IN_LANES = {"published-kraft"}
"""Lanes refuse it (in fetches_have_room: a part of what is no record); why is not found. It runs without them."""


@pytest.mark.parametrize("model", [m for m in MODELS.values() if m.name not in NOT_IN_LANES], ids=lambda model: model.name)
def test_every_function_of_our_models_can_be_in_lanes(monkeypatch, model):
    """Under every choice of every setting; no state is expanded, and the processor need not have lanes."""
    monkeypatch.setattr("highwater.explorer.compiling.lanes.has_lanes", lambda: True)
    for config in configurations(model):
        compiled = Compiled(model, config, checked(model, config))
        assert compiled.lanes or not fits(compiled.layout, False, (), compiled.plan, ())
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
        shifting |= {name for name, tree in whole.functions.items() for node in nodes_of(tree) if isinstance(node, ast.LShift)}
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
