"""Loading: three ways to run the same text, and a cache that an edit anywhere gets around."""

import inspect
import json
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from runpy import run_path
from types import FunctionType

import pytest
from highwater.explorer.compiling import machine_instructions
from highwater.explorer.compiling.generate import HEADER
from highwater.explorer.plain.explore import explore_plain
from highwater.model.language import UsageError
from highwater.model.language.machine_code import lane_values, loader, lowering
from highwater.model.language.machine_code.loader import cache_folder, load
from highwater.model.language.machine_code.processor import way
from highwater.model.language.reading.program import program
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED

SETTINGS = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}
KAFKA_CASES = {
    "kip-279": {"brokers": 2, "session_expiries": 1, "consumers": 1},
    "kip-320-2.8": {"brokers": 2, "crashes": 1, "controller_changes": 1},
    "v3": {"brokers": 2, "session_expiries": 1, "topic_deletions": 1},
}
EXPLORATION = """
import json, sys
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.properties.registry import MODELS
from highwater.properties.catalogue import properties_of
model, revision, settings, symmetry = MODELS[sys.argv[1]], sys.argv[2], json.loads(sys.argv[3]), sys.argv[4] == "symmetry"
config = model.configure(revision, **settings)
properties = [p for p in properties_of(model) if p.applies(config)]
waits = Bounds(memory=1 << 40)  # with a bound, the search waits for the compiler
outcome = check(Request(model, revision, config, properties, symmetry=symmetry, exact=True, keep_going=True, bounds=waits))
print(json.dumps([outcome.levels, outcome.transitions, {f.property.name: f.depth for f in outcome.findings}]))
"""


def explore_elsewhere(symmetry="", case=("published", "high-watermark", SETTINGS), **environment):
    """Levels, transitions and findings of a small exploration in a process of its own."""
    model, revision, settings = case
    answer = subprocess.run(
        [sys.executable, "-c", EXPLORATION, model, revision, json.dumps(settings), symmetry],
        env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(answer.stdout)


def plain():
    """The same, by the plain engine."""
    config = PUBLISHED.configure("high-watermark", **SETTINGS)
    properties = [p for p in properties_of(PUBLISHED) if p.applies(config)]
    result = explore_plain(PUBLISHED, config, properties)
    return [result.levels, result.transitions, {p.name: result.found.get(p.name) for p in properties}]


@pytest.mark.parametrize("chosen", ["no", "checked"])
def test_every_way_gives_the_same_counts(chosen):
    assert explore_elsewhere(HIGHWATER_COMPILE=chosen) == plain()


@pytest.mark.long
@pytest.mark.parametrize("revision", KAFKA_CASES)
def test_numba_alone_gives_the_same_counts_as_what_is_lowered_directly(revision, tmp_path):
    """`checked` compiles each function by Numba, with bounds checks; of the whole Kafka model."""
    case = ("kafka", revision, KAFKA_CASES[revision])
    ways = [explore_elsewhere(case=case, HIGHWATER_COMPILE=way, HIGHWATER_CACHE=str(tmp_path)) for way in ("yes", "checked")]
    assert ways[0] == ways[1] and sum(ways[0][0]) > 1000


def test_scipy_is_loaded_only_by_what_multiplies_matrices():
    """It takes a quarter of a second; Numba looks for it later, when it is needed."""
    text = """
        import sys
        import numba, numpy as np
        from highwater.model.language.machine_code.loader import load
        assert load("alone", "def grown(x):\\n    return x + 1\\n", ["grown"]).grown(1) == 2
        assert "scipy.linalg" not in sys.modules
        assert numba.njit(lambda a: a @ a)(np.full((2, 2), 1.0)).sum() == 8
        assert "scipy.linalg" in sys.modules
    """
    subprocess.run([sys.executable, "-c", inspect.cleandoc(text)], check=True)


def test_without_a_compiler_under_symmetry():
    levels, _, found = explore_elsewhere("symmetry", HIGHWATER_COMPILE="no")
    whole = plain()
    assert sum(levels) < sum(whole[0]) <= 2 * sum(levels)
    assert len(levels) == len(whole[0]) and found == whole[2]


@pytest.mark.parametrize("broken", ["a file", "no permission", "nowhere"])
def test_a_cache_folder_that_cannot_be_written(tmp_path, broken):
    file = tmp_path / "file"
    file.write_text("")
    folder = {"a file": file, "no permission": Path("/proc/1/highwater"), "nowhere": file / "below"}[broken]
    assert explore_elsewhere(HIGHWATER_CACHE=str(folder), HIGHWATER_COMPILE="no") == plain()


def test_a_folder_for_one_process_is_removed_at_its_end(tmp_path):
    """Where no cache can be kept, nothing is left behind in the folder of temporary files."""
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    explore_elsewhere(HIGHWATER_CACHE=str(tmp_path / "file"), HIGHWATER_COMPILE="no", TMPDIR=str(tmp_path / "tmp"))
    assert [path.name for path in (tmp_path / "tmp").iterdir() if path.name.startswith("highwater")] == []


def test_an_unknown_way_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "perhaps")
    with pytest.raises(UsageError, match=r"^HIGHWATER_COMPILE must be one of yes, narrow, single, checked, no, not 'perhaps'$"):
        way()


def test_the_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("HIGHWATER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    assert cache_folder() == tmp_path / "there" / "highwater"


CALLER = "def caller(n):\n    return callee(n) + 1\n"


def loaded(tmp_path, body):
    """The module in which a caller and a callee with this body, from two files, are compiled."""
    for name, text in (("callee", f"def callee(n):\n    return {body}\n"), ("caller", CALLER)):
        (tmp_path / f"{name}.py").write_text(text)
    callee = run_path(str(tmp_path / "callee.py"), run_name="callee")["callee"]
    caller = run_path(str(tmp_path / "caller.py"), {"callee": callee}, "caller")["caller"]
    return load("test-edited", program([caller]).text(), ["caller"])


def test_an_edited_callee_gives_another_module(monkeypatch, tmp_path):
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "yes")
    for folder in ("first", "edited"):
        (tmp_path / folder).mkdir()
    first = loaded(tmp_path / "first", "n * 2")
    again = loaded(tmp_path / "first", "n * 2")
    edited = loaded(tmp_path / "edited", "n * 3")
    assert again.module is first.module
    assert edited.name != first.name
    assert (first.caller(5), edited.caller(5)) == (11, 16)
    assert hasattr(first.caller, "py_func") and hasattr(edited.caller, "py_func")
    assert {f"{m.name}.py" for m in (first, edited)} == {p.name for p in (tmp_path / "cache").glob("*.py")}


def test_an_edit_of_the_compiler_gives_another_module(monkeypatch, tmp_path):
    """Machine code that an earlier form of the compiler made is not run."""
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    texts = loader.own_texts()
    for one in (loader, lowering, lane_values):
        assert inspect.getsource(one).encode() in texts
    loader.digest_of_compiler.cache_clear()
    before = load("test-compiler", "def one():\n    return 1\n", ["one"])
    monkeypatch.setattr(loader, "own_texts", lambda: [*texts[:-1], texts[-1] + b"# edited"])
    loader.digest_of_compiler.cache_clear()
    after = load("test-compiler", "def one():\n    return 1\n", ["one"])
    loader.digest_of_compiler.cache_clear()
    assert before.name != after.name


def test_a_compiler_that_was_changed_meanwhile_is_refused(monkeypatch):
    """What the one that runs compiles would be kept under the name of the one in the files."""
    monkeypatch.setattr("highwater.model.language.unchanged.BEGUN", 0.0)
    with pytest.raises(UsageError, match=r"\.py was changed since highwater began, and is not what runs; begin again"):
        loader.own_texts()


LINES = """
def like(slots, line, word, ignored):
    return slots_like(slots, line, word, ignored)


def push(slots, line, word):
    push_slot(slots, line, word)
"""


def test_what_is_done_to_a_line_of_slots_is_what_plain_python_does(monkeypatch, tmp_path):
    import numpy as np

    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    module = load("test-lines", LINES, ["like", "push"], (), HEADER)
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "no")
    spec = spec_from_file_location(f"{machine_instructions.__name__}_plain", machine_instructions.__file__)
    plain = module_from_spec(spec)
    spec.loader.exec_module(plain)
    dice = np.random.default_rng(5)
    slots = dice.integers(0, 4, 24, np.uint64) << np.uint64(62) | dice.integers(0, 4, 24, np.uint64)
    other, found = slots.copy(), set()
    for number in range(200):
        line, word, ignored = number % 3 * 8, slots[dice.integers(24)], np.uint64([0, 1, 3, 2, 1 << 63][number % 5])
        found.add(int(module.like(slots, line, word, ignored)))
        assert module.like(slots, line, word, ignored) == plain.slots_like(slots, line, word, ignored)
        module.push(slots, line, word), plain.push_slot(other, line, word)
        assert (slots == other).all()
    assert len(found) > 50


def test_the_header_of_a_program_names_the_instructions_it_was_compiled_with():
    assert loader.source_digest(Path(machine_instructions.__file__)) in HEADER


def test_each_way_is_another_module(monkeypatch, tmp_path):
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    names = set()
    for chosen in ("yes", "single", "checked", "no"):
        monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", chosen)
        module = load("test-ways", "def twice(n):\n    return 2 * n\n", ["twice"])
        assert module.twice(4) == 8
        assert hasattr(module.twice, "py_func") == (chosen != "no")
        names.add(module.name)
    assert len(names) == 3  # a text without lanes is the same in the first two


def test_bounds_are_checked_where_asked_for(monkeypatch, tmp_path):
    import numpy as np

    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "checked")
    module = load("test-bounds", "def at(cells, n):\n    return cells[n]\n", ["at"])
    with pytest.raises(IndexError):
        module.at(np.zeros(3, np.int8), 3)


def test_what_entries_call_stays_python_as_long_as_these_come_from_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "yes")
    functions = {"entry": "inner(n) // other(n)", "inner": "n", "other": "7 // n"}
    text = "\n\n\n".join(f"def {name}(n):\n    return {value}" for name, value in functions.items()) + "\n"
    for is_kept in (False, True):
        module = load("test-entries", text, ["entry"])
        assert isinstance(module.inner, FunctionType) and module.entry(5) == 5
        assert isinstance(module.inner, FunctionType) == isinstance(module.other, FunctionType) == is_kept
        if not is_kept:  # a division can fail: that function, and who calls it, is Numba's
            assert module.other.targetoptions["forceinline"] and not hasattr(module.inner, "targetoptions")
            assert "forceinline" not in module.entry.targetoptions and module.entry__lowered.targetoptions["forceinline"]
            del sys.modules[module.name]


def test_a_module_that_is_written_now_is_read_as_it_runs(monkeypatch, tmp_path):
    """Its file is younger than this process: what lies in it must be the code that runs, flags of the compiler included."""
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    module = loader.module_of("highwater_mutants_written_now", "def is_more(s, a):\n    return a > 1\n")
    assert program([module.is_more]).functions.keys() == {"is_more"}
