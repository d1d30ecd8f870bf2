"""`highwater stats`: what SQL says of a run is what plain counting says of the same states."""

import csv
import shutil
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow.parquet as pq
import pytest
from highwater.explorer.command_line import main
from highwater.explorer.compiling.compiled_for import compile_for
from highwater.explorer.local.check import check
from highwater.explorer.runs.manifests import Damaged
from highwater.explorer.spark.masks import places_of
from highwater.explorer.stats.here import levels_here, tables_here
from highwater.explorer.stats.on_spark import TABLES, stats_of
from highwater.model.language import UsageError
from highwater.properties.registry import MODELS
from support.elsewhere import output_of
from support.exploring import reachable
from support.kafka import TINY
from support.on_spark import SMALL, on_spark
from support.on_spark import request as on_spark_request


@cache
def plain_states(model, config):
    """Every state of a small configuration, in plain Python."""
    return [state for _, state in reachable(model, config)]


def replicas_of(model, state):
    """All replicas of a state."""
    return [r for row in state.replica for r in row] if model.name == "kafka" else list(state.replica)


@pytest.fixture(scope="module", params=[("published", SMALL, 128), ("kafka", TINY, 64)], ids=["published", "kafka"])
def kept(spark, tmp_path_factory, request):
    """A run in a directory, and what is asked of it: (model, configuration, outcome, tables, first steps, folder)."""
    name, settings, bits = request.param
    asked, folder = on_spark_request(name, "high-watermark", settings), tmp_path_factory.mktemp("run")
    outcome = on_spark(spark, asked, 3, narrow=1000, path=folder, bits=bits)
    stats = stats_of(spark, f"file:{folder}", MODELS)
    steps = first_steps(compile_for(asked, asked.applicable), folder)
    return MODELS[name], asked.config, outcome, {table: rows(stats, table) for table in TABLES[:-1]}, steps, folder


def first_steps(compiled, folder):
    """The steps that found states, as plain states before and after, from the files of a run."""
    tables = [pq.read_table(file).to_pylist() for file in sorted(folder.rglob("level=*/**/*.parquet"))]
    lows = ["fingerprint_low", "parent_low"]
    states = {}
    for row in (row for table in tables for row in table):
        words = [row[name] for name in ("fingerprint", "parent")], [row.get(name, 0) for name in lows]
        state = compiled.state_of(np.frombuffer(row["state"], np.uint64))
        states[words[0][0], words[1][0]] = state, (words[0][1], words[1][1])
    return [(states[parent][0], state) for state, parent in states.values() if parent in states]


def rows(stats, name):
    return [tuple(row) for row in stats.tables[name].collect()]


def test_levels_and_actions(kept):
    _, _, outcome, tables, _, folder = kept
    of_shards = [row for row in levels_here(str(folder))[2]["levels"][1] if row[2] != "-"]
    assert bool(of_shards) == (max(outcome.levels) >= 1000), "the others ran in the driver"
    assert set(of_shards) <= set(tables["levels"]), "the manifests say the same, without Spark"
    assert [row[1] for row in tables["levels"]] == outcome.levels
    found = {a.name: a.new_states for a in outcome.actions if a.new_states}
    assert dict(tables["actions"]) == {**found, "(initial)": outcome.levels[0]}


def test_lag_and_epochs(kept):
    model, config, _, tables, *_ = kept
    replicas = [r for state in plain_states(model, config) for r in replicas_of(model, state)]
    assert dict(tables["lag"]) == Counter(r.leo - r.hw for r in replicas)
    assert dict(tables["epochs"]) == Counter(len({r.log[i].epoch for i in range(r.leo)}) for r in replicas)


def test_witnesses(kept):
    model, config, outcome, tables, taken, _ = kept
    counted = {name: times for name, kind, times in tables["witnesses"] if kind == "state"}
    claims = {f.property.name: f for f in outcome.findings if f.property.kind == "sometimes" and f.verdict != "not applicable"}
    states = plain_states(model, config)
    for name, times in counted.items():
        assert times == sum(claims[name].property.holds(s) for s in states), name
    steps = {name: times for name, kind, times in tables["witnesses"] if kind != "state"}
    for name, times in steps.items():
        assert times == sum(claims[name].property.holds(*step) for step in taken), name
    assert len(taken) == len(states) - outcome.levels[0] and any(steps.values())


@pytest.mark.parametrize("width", [1, 2])
def test_parents_are_found_by_all_words_of_their_fingerprints(width):
    chance = np.random.default_rng(width)
    known = np.unique(chance.integers(0, 50, (200, width), np.uint64), axis=0)
    wanted = chance.integers(0, len(known), 300)
    assert (places_of(known[wanted], known) == wanted).all()
    assert len(places_of(known[:0], known)) == 0
    assert places_of(known, known[1:]).tolist() == [-1, *range(len(known) - 1)]
    assert set(places_of(known, known[:0]).tolist()) == {-1}


def test_the_nearest_states_are_the_violations(spark, tmp_path):
    asked = on_spark_request("published", "high-watermark", SMALL)
    on_spark(spark, asked, path=tmp_path)
    found = rows(stats_of(spark, f"file:{tmp_path}", MODELS), "nearest")
    wanted = sorted((missing(state), level) for level, state in reachable(asked.model, asked.config))[:10]
    assert [row[:2] for row in found] == wanted and wanted[0][0] <= 0


def missing(state):
    """How many offsets the lower high watermark lacks until two logs that differ are committed there."""
    one, other = state.replica
    held = zip(list(one.log)[: one.leo], list(other.log)[: other.leo], strict=False)
    ends = [end for end, (mine, theirs) in enumerate(held, 1) if (mine.id, mine.epoch) != (theirs.id, theirs.epoch)]
    return min(ends, default=1 << 20) - min(one.hw, other.hw)


def test_only_files_that_a_manifest_names_are_read(spark, tmp_path):
    outcome = on_spark(spark, on_spark_request("published", "kip-320", SMALL), narrow=1000, path=tmp_path)
    files = sorted(tmp_path.rglob("*.parquet"))
    for number, file in enumerate(files):
        (file.parent / f"copy{number}.parquet").write_bytes(file.read_bytes())
    assert [row[1] for row in rows(stats_of(spark, f"file:{tmp_path}", MODELS), "levels")] == outcome.levels
    again = on_spark(spark, on_spark_request("published", "kip-320", SMALL), narrow=1000, path=tmp_path, resume=True)
    assert again.levels == outcome.levels


@pytest.mark.parametrize("query", [[], ["--sql", "select count(*) from states"]], ids=["tables", "sql"])
def test_a_damaged_file_of_states_is_named(spark, kept, tmp_path, capfd, query):
    folder = shutil.copytree(kept[-1], tmp_path / "run")
    file = max(folder.rglob("level=*/**/*.parquet"), key=lambda one: one.stat().st_size)
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    assert main(["stats", f"file:{folder}", *query]) == 2
    said = capfd.readouterr().err
    *meanwhile, last = said.splitlines()
    assert file.name in last and "was damaged or changed" in last and len(meanwhile) <= 1, said


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_a_model_without_high_watermarks_of_replicas_has_the_other_tables(spark, tmp_path, capsys, engine):
    subject = ["--model", "strategies", "--revision", "isr", "--generic", "--depth", "4", "--quiet", "--keep-going"]
    place = f"file:{tmp_path}/run"
    assert main(["check", "--engine", engine, *subject, "--run-dir", place, "--traces", str(tmp_path)]) == 20
    capsys.readouterr()
    printed = output_of(capsys, 0, ["stats", place, "--html", str(tmp_path / "page")]).out
    assert "states per level" in printed and "witnessed" in printed and "high watermark" not in printed
    assert main(["stats", place, "--table", "lag"]) == 2
    assert "there is no table lag: the model of this run has no replicas with a high watermark" in capsys.readouterr().err


def test_no_run(spark, tmp_path):
    with pytest.raises(UsageError, match="holds no run"):
        stats_of(spark, f"file:{tmp_path}", MODELS)


def test_the_command_prints_and_writes(spark, tmp_path, capsys):
    on_spark(spark, on_spark_request("published", "kip-320", SMALL), path=tmp_path / "run")
    copies = ["--csv", f"file:{tmp_path}/csv", "--parquet", f"file:{tmp_path}/p"]
    command = ["stats", f"file:{tmp_path}/run", "--table", "levels", *copies]
    assert "states per level" in output_of(capsys, 0, command).out
    (part,) = (tmp_path / "csv" / "levels").glob("*.csv")
    assert next(csv.reader(part.open())) == ["level", "states", "largest", "smallest", "skew"]
    assert list((tmp_path / "p" / "levels").glob("*.parquet"))
    said = " ".join(output_of(capsys, 2, ["stats", f"file:{tmp_path}/run", "--sql", "select * from state"]).err.split())
    assert "states (fingerprint, parent, action, state, level, shard); " in said and "levels (level, states," in said, said
    assert main([*command[:4]]) == 0 and main(["verify", f"file:{tmp_path}/run"]) == 0
    ends = [line for line in capsys.readouterr().out.splitlines() if line.startswith("violated: isr_")]
    assert len(ends) == 2 and len(set(ends)) == 1, "both say how the run ended"
    assert "cannot be written" in output_of(capsys, 2, command).err


def test_the_page_of_a_local_run(tmp_path, capsys):
    """Nothing outside of the page, and no script."""
    folder, file = str(tmp_path / "run"), tmp_path / "run.html"
    outcome = check(replace(on_spark_request("published", "high-watermark", SMALL), run_directory=folder))
    assert main(["stats", folder, "--html", str(file)]) == 0
    text = file.read_text()
    assert text.count("<svg") >= 5 and "http-equiv" in text and "<script" not in text and "//" not in text.replace(W3, "")
    assert f"{outcome.distinct_states:,} states in {outcome.depth} levels" in text
    assert "have a high watermark so far behind" in capsys.readouterr().out
    assert "need a run on Spark" in output_of(capsys, 2, ["stats", folder, "--sql", "select 1"]).err


W3 = "http://www.w3.org/2000/svg"


def test_a_run_of_other_properties_is_not_counted(tmp_path, monkeypatch):
    """A property of the same name and another text is another one."""
    asked = on_spark_request("published", "high-watermark", SMALL)
    check(replace(asked, run_directory=str(tmp_path / "run")))
    monkeypatch.setattr("highwater.explorer.runs.identity.text_of", lambda one: "another")
    with pytest.raises(Damaged, match="another version of the model published"):
        tables_here(str(tmp_path / "run"), MODELS)


def test_what_is_counted_here_is_what_plain_counting_says(tmp_path):
    asked = on_spark_request("published", "high-watermark", SMALL)
    check(replace(asked, run_directory=str(tmp_path / "run")))
    _, levels, tables = tables_here(str(tmp_path / "run"), MODELS)
    states = plain_states(asked.model, asked.config)
    assert [row[1] for row in tables["levels"][1]] == [level.states for level in levels] and levels[-1].states > 0
    assert dict(tables["lag"][1]) == Counter(r.leo - r.hw for state in states for r in state.replica)
    known = {claim.name: claim for claim in asked.properties}
    for name, times in tables["witnesses"][1]:
        assert times == sum(known[name].holds(state) for state in states), name
