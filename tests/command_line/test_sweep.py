"""`highwater sweep`: the table has what `check` finds, once for each point, and nothing is done twice."""

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pyarrow.dataset
import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.runs.files import LocalFiles
from highwater.explorer.sweep import table, tasks
from highwater.explorer.sweep.table import name_of, read_undamaged
from highwater.explorer.sweep.tasks import Task, run_task
from highwater.model.language.errors import NoRoom
from highwater.model.language.settings import derived
from highwater.model.language.steps import FAULT
from highwater.properties.catalogue import default_properties, properties_of
from highwater.properties.registry import MODELS
from highwater.traces.replay import replay
from highwater.traces.text import read
from support.elsewhere import PROGRAM, refused
from support.pages import is_written

PUBLISHED = MODELS["published"]
GRID = ["--model", "published", "--vary", "revision=kip-101,kip-320", "--vary", "brokers=1,2", "--max-epoch", "2", "--quiet"]


def sweep(folder, *arguments, code=0):
    """The JSON document of a sweep into a folder."""
    out = folder.parent / "out.json"
    assert main(["sweep", *arguments, "--out", str(folder), "--json", str(out)]) == code
    return json.loads(out.read_text())


def test_a_point_is_another_one_with_another_kind_initial_state_or_fairness(monkeypatch):
    """A plugin may change any of them, and keep the names and the texts of its functions."""
    task = Task("published", "kip-320", (("brokers", 2),), ("weak_isr",))
    names = {name_of(task)}
    claim = next(p for p in properties_of(PUBLISHED) if p.name == "weak_isr")
    monkeypatch.setattr(table, "claims_of", lambda model: {"weak_isr": replace(claim, kind="sometimes")})
    names.add(name_of(task))
    monkeypatch.undo()
    more = replace(PUBLISHED, initial_states=lambda config: PUBLISHED.initial_states(config) * 2)
    monkeypatch.setattr(Task, "known_model", lambda task: more)
    names.add(name_of(task))
    faulty = replace(PUBLISHED, actions=tuple(replace(action, fairness=FAULT) for action in PUBLISHED.actions))
    monkeypatch.setattr(Task, "known_model", lambda task: faulty)
    assert len({*names, name_of(task)}) == 4


def test_a_point_is_another_one_with_another_derived_number_need_or_way_to_rename(monkeypatch):
    """They decide the verdict too, and are in no text of a function."""
    task = Task("published", "kip-320", (("brokers", 2),), ("weak_isr",), symmetry=True)
    names = {name_of(task)}
    quorum = type("Config", (PUBLISHED.config,), {"quorum": derived(lambda config: config.brokers // 2)})
    larger = type("Config", (PUBLISHED.config,), {"quorum": derived(lambda config: config.brokers // 2 + 1)})
    lopsided = replace(PUBLISHED, asymmetry=lambda config: "the first broker is another")
    for model in (replace(PUBLISHED, config=quorum), replace(PUBLISHED, config=larger), lopsided):
        monkeypatch.setattr(Task, "known_model", lambda task, model=model: model)
        names.add(name_of(task))
    monkeypatch.undo()
    claim = next(p for p in properties_of(PUBLISHED) if p.name == "weak_isr")
    monkeypatch.setattr(table, "claims_of", lambda model: {"weak_isr": replace(claim, needs=lambda config: False)})
    assert len({*names, name_of(task)}) == 5


def test_what_a_model_promises_is_said_of_a_table(capsys, tmp_path):
    """A second sweep takes it from the table."""
    small = ["sweep", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--vary", "max_records=1,2", "--quiet"]
    for how, promises in ([], []), (["--symmetry"], ["symmetry"]), (["--symmetry"], ["symmetry"]):
        assert main([*small, *how, "--out", str(tmp_path / "table"), "--json", str(tmp_path / "out.json")]) == 0
        assert ("by the model's promise of symmetry" in capsys.readouterr().out) == bool(promises)
        assert [point["promises"] for point in json.loads((tmp_path / "out.json").read_text())["points"]] == [promises] * 2


def test_a_full_disk_is_no_refusal_by_the_model(monkeypatch):
    def full(request):
        raise NoRoom("steps cannot be kept in /tmp: No space left on device")

    monkeypatch.setattr(tasks, "check", full)
    with pytest.raises(NoRoom):
        run_task(Task("published", "kip-320", (("brokers", 1),), ("weak_isr",)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_first_process_ends_a_sweep_and_keeps_what_is_done(tmp_path, number):
    """Those that explore for it end too; with SIGTERM two of them went on for ever."""
    grid = ["--model", "published", "--revision", "kip-320", "--vary", "brokers=1,3", "--vary", "log_size=3,4"]
    sizes = ["--property", "weak_isr", "--max-records", "4", "--max-epoch", "3", "--out", "table", "--jobs", "2", "--quiet"]
    command = [sys.executable, "-c", PROGRAM, "sweep", *grid, *sizes]
    first = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while first.poll() is None and len(list((tmp_path / "table").glob("*.parquet"))) < 2:
        time.sleep(0.1)
    others = psutil.Process(first.pid).children(recursive=True)
    first.send_signal(number)
    out, error = first.communicate(timeout=60)
    assert (first.returncode, len(others)) == (20, 2) and re.search("[23] of 4 points", out), error
    assert "Traceback" not in error, error
    assert not psutil.wait_procs(others, timeout=30)[1]


READS = """
import sys, psutil
from highwater.explorer.runs.files import LocalFiles
from highwater.explorer.sweep.table import read_undamaged
before = psutil.Process().num_threads()
assert read_undamaged(LocalFiles(sys.argv[1]), sys.argv[2]).num_rows
assert psutil.Process().num_threads() == before
"""


def test_no_thread_of_arrow_has_the_bytes_that_were_read(filled):
    """One that lets go of them while the process ends aborts it: of 104 interrupted sweeps it aborted five."""
    file = next(filled[0].glob("*.parquet"))
    subprocess.run([sys.executable, "-c", READS, str(file.parent), file.name], check=True)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A finished sweep: the table's folder, and the document."""
    folder = tmp_path_factory.mktemp("sweep") / "table"
    return folder, sweep(folder, *GRID)


@pytest.fixture
def done(filled, tmp_path):
    """The document of a finished sweep, of whose table a copy is in the test's folder."""
    shutil.copytree(filled[0], tmp_path / "table")
    return filled[1]


def test_the_table_has_what_check_finds(tmp_path, done):
    rows = pyarrow.dataset.dataset(tmp_path / "table", format="parquet").to_table()
    assert rows.schema == table.SCHEMA
    assert len(done["points"]) == 4
    for point in done["points"]:
        config = PUBLISHED.configure(point["varied"]["revision"], brokers=point["varied"]["brokers"], max_epoch=2)
        properties = list(default_properties(PUBLISHED))
        request = Request(PUBLISHED, point["varied"]["revision"], config, properties, keep_going=True, generic=True)
        outcome = check(request)
        assert point["states"] == outcome.distinct_states and point["complete"]
        wanted = [(f.property.name, f.verdict, f.depth) for f in outcome.findings]
        assert [(claim["name"], claim["verdict"], claim["depth"]) for claim in point["properties"]] == wanted
    traces = [row for row in rows.to_pylist() if row["trace"] is not None]
    assert traces
    for row in traces:
        known = {p.name: p for p in default_properties(PUBLISHED)}
        shown = replay(read(row["trace"]), PUBLISHED, [known[row["property"]]])
        assert shown.broken == {row["property"]: row["depth"] - 1}
        assert dict(row["settings"])["brokers"] == dict(row["varied"])["brokers"]


def test_points_that_are_done_are_not_done_again(tmp_path, monkeypatch):
    first = sweep(tmp_path / "table", *GRID, "--jobs", "2")
    gone = tmp_path / "table" / first["points"][1]["file"]
    gone.unlink()
    explored = []
    real = table.as_table
    monkeypatch.setattr(table, "as_table", lambda *a: explored.append(a[0]) or real(*a))
    second = sweep(tmp_path / "table", *GRID)
    assert explored == [gone.name]
    again = sweep(tmp_path / "table", *GRID)
    assert explored == [gone.name] and again == second
    timeless = [[{n: v for n, v in p.items() if n != "seconds"} for p in d["points"]] for d in (first, second)]
    assert timeless[0] == timeless[1]


def test_what_a_bound_ended_is_done_again_without_it(tmp_path):
    cut = sweep(tmp_path / "table", *GRID, "--states", "100", code=20)
    assert any(p["stopped_by"] == "the bound of 100 states" for p in cut["points"])
    sweep(tmp_path / "table", *GRID, "--states", "100", "--allow-incomplete")
    whole = sweep(tmp_path / "table", *GRID)
    assert all(p["complete"] for p in whole["points"])


def test_bounds_that_differ_in_the_seventh_digit_are_others():
    """Else what a smaller bound ended would not be done again."""
    one, other = (Task("published", "kip-320", (), (), bounds=Bounds(states=states)) for states in (1_234_567, 1_234_568))
    assert table.bounds_text(one) != table.bounds_text(other)


def test_a_damaged_file_of_the_table_is_written_anew(tmp_path, done):
    (tmp_path / "table" / done["points"][0]["file"]).write_bytes(b"not Parquet")
    assert [p["states"] for p in sweep(tmp_path / "table", *GRID)["points"]] == [p["states"] for p in done["points"]]


def test_no_flipped_bit_changes_what_a_file_of_the_table_says(tmp_path, done):
    """Its pages are compressed without checksums: one bit in twenty changes a verdict, a count or a name."""
    file = tmp_path / "table" / done["points"][0]["file"]
    content, store = file.read_bytes(), LocalFiles(tmp_path / "table")
    rows, chance = read_undamaged(store, file.name), random.Random(1)
    assert rows.num_rows > 0
    for place in chance.sample(range(8 * len(content)), 2000):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        assert read_undamaged(store, file.name) in (None, rows), place


def test_files_that_have_changed_names_are_not_believed(tmp_path, done):
    one, other = (tmp_path / "table" / point["file"] for point in done["points"][:2])
    said = one.read_bytes()
    one.write_bytes(other.read_bytes()), other.write_bytes(said)
    assert [p["states"] for p in sweep(tmp_path / "table", *GRID)["points"]] == [p["states"] for p in done["points"]]


def test_a_bound_that_leaves_no_room_is_not_a_refusal_of_the_model(tmp_path, capsys):
    """Else the sweep would be complete without a state, and remain so without the bound."""
    assert main(["sweep", *GRID, "--memory", "10", "--out", str(tmp_path / "table")]) == 2
    assert "10 MB of memory is reached before the first state" in capsys.readouterr().err
    assert all(p["complete"] for p in sweep(tmp_path / "table", *GRID)["points"])


def test_a_point_where_nothing_was_checked_does_not_say_that_nothing_is_violated(tmp_path, capsys):
    grid = ["--revision", "kip-320", "--vary", "crashes=1,0", "--property", "restart_keeps_only_assigned", "--brokers", "1"]
    sizes = ["--topic-deletions", "1", "--max-epoch", "0", "--max-records", "1", "--log-size", "1", "--session-expiries", "0"]
    assert main(["sweep", *grid, *sizes, "--preferred-elections", "0", "--quiet", "--out", str(tmp_path / "table")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "nothing" in lines[1] and "no property was checked" in lines[2]


def test_what_the_model_refuses_is_a_row_with_the_reason(tmp_path):
    grid = ["--revision", "kip-320", "--vary", "replicas=1,2", "--brokers", "1", "--max-epoch", "0", "--quiet"]
    points = sweep(tmp_path / "table", *grid, "--max-records", "1", "--log-size", "1", "--session-expiries", "0")["points"]
    assert points[0]["complete"] and points[0]["refused"] is None
    assert "one broker holds one replica" in points[1]["refused"]
    rows = pyarrow.dataset.dataset(tmp_path / "table", format="parquet").to_table().to_pylist()
    assert [row["property"] for row in rows if row["refused"]] == [None]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--revision", "kip-320"], "--vary is missing; for example --vary brokers=1,2"),
        (["--vary", "brokers=2,3"], "--revision is missing"),
        (["--revision", "kip-320", "--vary", "broker=2"], "did you mean brokers?"),
        (["--revision", "kip-320", "--vary", "zzqq=2"], "'zzqq'; see highwater list settings"),
        (["--revision", "kip-320", "--vary", "brokers"], "takes NAME=A,B"),
        (["--revision", "kip-320", "--vary", "brokers=2,2"], "a value twice"),
        (["--revision", "kip-320", "--vary", "brokers=2", "--vary", "brokers=3"], "given twice"),
        (["--revision", "kip-320", "--vary", "brokers=2,99"], "between 1 and 9"),
        (["--vary", "revision=kip-32,kip-320"], "no revision 'kip-32'"),
        (["--revision", "kip-320", "--vary", "log_size=1,2", "--brokers", "1", "--replicas", "2"], "one broker holds one"),
        (["--revision", "kip-320", "--vary", "brokers=2", "--master", "local"], "--engine spark"),
        (["--revision", "kip-320", "--vary", "brokers=2", "--out", "s3a://bucket/x"], "--engine spark"),
    ],
)
def test_bad_input_is_a_sentence(arguments, says, capsys, tmp_path):
    assert says in refused(capsys, "sweep", *arguments) and not list(tmp_path.iterdir())


def test_the_document_has_the_columns(request):
    rows = [f"| `{name}` | {kind} | {meaning} |" for name, (kind, meaning) in table.KINDS.items()]
    head = "| column | type | meaning |\n| --- | --- | --- |\n"
    assert is_written("docs/sweeps.md", "columns", head + "\n".join(rows), request)
