"""`highwater estimate`: what smaller configurations say of a larger one, and what a run on many executors would take."""

import json

import numpy as np
import pytest
from highwater.explorer.command_line import main
from highwater.explorer.command_line.estimate import duration
from highwater.explorer.estimate.costs import Costs, here
from highwater.explorer.estimate.exchange import MAX_RESULT, Cluster, simulate
from highwater.explorer.estimate.fit import continued, estimate, lacking, stretched
from highwater.explorer.estimate.smaller import Known, explored_below, lowered
from highwater.explorer.growth import in_words
from highwater.explorer.spark.successor_files import PART, by_owner
from highwater.properties.registry import MODELS
from support.elsewhere import output_of
from support.pages import is_written

PUBLISHED = MODELS["published"]
LARGE = PUBLISHED.configure("kip-320", log_size=2, max_records=2, max_epoch=2)
STATES, LEVELS = 737_794, 26
"""Of this configuration, as `highwater check` counts them."""


@pytest.fixture(scope="module")
def below():
    """What is below the large configuration, up to a seventieth of its states."""
    return explored_below(PUBLISHED, "kip-320", LARGE, states=10_000, seconds=120)


def test_the_truth_is_within_the_interval(below):
    names, known = below
    found = estimate(known, tuple(getattr(LARGE, name) for name in names))
    assert names == ["brokers", "log_size", "max_records", "max_epoch"] and max(one.states for one in known.values()) <= 10_000
    assert found.low <= STATES <= found.high and found.high / found.low < 30
    assert abs(found.levels - LEVELS) <= 2 and sum(found.profile) == pytest.approx(found.states)
    assert 2 < found.transitions / found.states < 4


def test_what_is_above_one_that_is_too_large_is_not_explored(below):
    names, known = below
    explored = {point for point in known if point[names.index("brokers")] == 3 and point[names.index("max_epoch")] == 2}
    assert not explored and any(point[names.index("brokers")] == 3 for point in known)


def test_a_configuration_that_was_explored_itself_is_known(below):
    known = below[1]
    top = max(known, key=lambda point: known[point].states)
    found = estimate(known, top)
    assert found.steps == 0 and found.low == found.states == found.high == known[top].states


def test_too_little_is_known(below):
    known = below[1]
    names, top = below[0], (3, 2, 2, 2)
    small = {point: one for point, one in known.items() if one.states < 900}
    flat = {point: one for point, one in known.items() if point[2] == 1}
    few = dict(sorted(known.items(), key=lambda one: -one[1].states)[:9])
    says = {"has 1,000 states": small, "the same max records": flat, "explored, and it takes": few, "none of the 0": {}}
    for words, some in says.items():
        assert estimate(some, top) is None and words in lacking(some, top, names)
    assert not lacking(known, top, names)


def test_only_settings_that_make_a_difference_are_lowered():
    kafka = MODELS["kafka"]
    names = lowered(kafka, kafka.configure("kip-320"))
    assert {"brokers", "log_size", "max_records", "max_epoch", "session_expiries"} <= set(names)
    assert not {"min_bytes_lag", "max_version", "keys", "crashes", "admission"} & set(names)
    assert "crashes" in lowered(kafka, kafka.configure("kip-320", crashes=1))


def test_a_surface_of_degree_two_is_continued():
    def height(a, b):
        return 1 + 2 * a + 3 * b - 0.1 * a * a + 0.05 * a * b

    known = {(a, b): Known(round(1e6 * height(a, b)), 1, (1,)) for a in range(1, 6) for b in range(1, 6)}
    assert continued(known, (6, 6), lambda one: one.states / 1e6) == pytest.approx(height(6, 6), rel=0.02)


def test_levels_are_stretched():
    profile = stretched((1, 4, 9, 16, 9, 2), 11, 5_000)
    assert len(profile) == 11 and sum(profile) == pytest.approx(5_000) and np.argmax(profile) == 6


def test_executors_share_the_work_and_pay_for_levels():
    profile, transitions = stretched((1, 50, 400, 50, 1), 60, 1e10), 5e10
    costs = Costs()
    few, many = (simulate(profile, transitions, Cluster(n), costs) for n in (10, 100))
    assert few.seconds["expand"] == pytest.approx(10 * many.seconds["expand"], rel=0.2)
    assert many.seconds["driver"] > few.seconds["driver"] and many.total < few.total
    assert simulate(profile, transitions, Cluster(10), costs).total == few.total
    unlucky = simulate(profile, transitions, Cluster(10, fails=10.0), costs)
    assert unlucky.failed > few.failed and unlucky.seconds["do again"] > 0
    cpu = transitions * costs.spark / 1e6
    assert few.seconds["expand"] * 40 == pytest.approx(cpu, rel=0.2)


def test_where_the_design_breaks_first():
    profile = stretched((1, 50, 400, 50, 1), 60, 1e12)
    assert "spark.driver.maxResultSize" in simulate(profile, 5e12, Cluster(1000), Costs()).broken
    assert not simulate(stretched((1, 50, 400, 50, 1), 60, 1e9), 5e9, Cluster(100), Costs()).broken


def test_the_list_in_the_driver_is_what_the_engine_sends_there():
    senders, shards, slices = 6, 8, 2
    parts = [np.array([(number, 0, 0, 5, 0) for number in range(shards * slices)], PART) for _ in range(senders)]
    sent = by_owner(["file"] * senders, parts, shards, slices)
    assert sum(message.parts.nbytes for message in sent) == senders * shards * slices * PART.itemsize < MAX_RESULT


def test_threads_share_the_seconds_and_a_run_directory_moves_memory_to_disk():
    one, two = here(Costs(), 1e8, 5e8, 1), here(Costs(), 1e8, 5e8, 2)
    assert one[0].seconds / two[0].seconds == pytest.approx(Costs().two_threads) and one[0].core_hours == two[0].core_hours
    assert one[1].memory < one[0].memory and one[1].disk > one[0].disk == 0 and one[1].seconds > one[0].seconds


SHAPE = (1, 10, 50, 150, 500, 1500, 4000, 9000, 17000, 27000, 36000, 40000, 38000, 31000, 22000, 13000, 7000, 3000, 1000, 250, 5)
"""Levels as those of the Kafka model."""


def test_the_table_of_the_page(request):
    lines = ["| states | 100 executors | 1,000 executors | 1,000, as it could be |", "| --- | --- | --- | --- |"]
    for power in (9, 10, 11, 12):
        cells = [f"10^{power}"]
        for executors, footers in ((100, False), (1000, False), (1000, True)):
            profile = stretched(SHAPE, 60, 10.0**power)
            run = simulate(profile, 5.07 * 10.0**power, Cluster(executors, footers=footers), Costs())
            phase = max(run.seconds, key=run.seconds.get)
            told = f"{duration(run.total)}, {phase} {run.seconds[phase] / run.total:.0%}, list {in_words(run.to_driver)}"
            cells.append(told + (": it breaks" if run.broken else ""))
        lines.append(f"| {' | '.join(cells)} |")
    assert is_written("docs/scale.md", "simulated", "\n".join(lines), request), "--rewrite-golden"


SMALL = ["estimate", "--model", "published", "--revision", "kip-320", "--quiet"]


def test_the_command(tmp_path, capsys):
    out, bench = tmp_path / "out.json", tmp_path / "bench.json"
    bench.write_text(json.dumps({"Spark": [{"model": "kafka", "spark_microseconds_per_transition": 12.9}]}))
    asked = [*SMALL, "--brokers", "2", "--max-epoch", "3", "--states", "3000", "--executors", "4", "--core-price", "0.1"]
    said, document = output_of(capsys, 0, [*asked, "--json", str(out), "--costs", str(bench)]).out, json.loads(out.read_text())
    assert "distinct states, between" in said and "4 x 4" in said and "price" in said
    assert document["low"] <= document["states"] <= document["high"] and document["largest"] <= 3000
    assert Costs().measured(json.loads(bench.read_text())).spark == 12.9


def test_what_cannot_be_estimated_is_said(tmp_path, capsys):
    assert "no estimate: " in output_of(capsys, 20, [*SMALL, "--states", "20"]).out
    (tmp_path / "no.json").write_text("[")
    assert main([*SMALL, "--costs", str(tmp_path / "no.json")]) == 2
    assert "is not what `highwater bench --json` writes" in capsys.readouterr().err
    assert main([*SMALL, "--property", "weak_isr"]) == 2
