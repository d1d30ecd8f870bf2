"""`highwater estimate`: what smaller configurations say of a larger one."""

import json

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.estimate.costs import Costs, here
from highwater.explorer.estimate.fit import continued, estimate, lacking
from highwater.explorer.estimate.smaller import Known, explored_below, lowered
from highwater.properties.registry import MODELS

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
    assert abs(found.levels - LEVELS) <= 2
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


def test_threads_share_the_seconds_and_a_run_directory_moves_memory_to_disk():
    one, two = here(Costs(), 1e8, 5e8, 1), here(Costs(), 1e8, 5e8, 2)
    assert one[0].seconds / two[0].seconds == pytest.approx(Costs().two_threads) and one[0].core_hours == two[0].core_hours
    assert one[1].memory < one[0].memory and one[1].disk > one[0].disk == 0 and one[1].seconds > one[0].seconds


SMALL = ["estimate", "--model", "published", "--revision", "kip-320", "--quiet"]


def test_the_command(tmp_path, capsys):
    out, bench = tmp_path / "out.json", tmp_path / "bench.json"
    bench.write_text(json.dumps({"models": [{"model": "kafka", "local_microseconds_per_transition": 12.9}]}))
    asked = [*SMALL, "--brokers", "2", "--max-epoch", "3", "--states", "3000"]
    assert main([*asked, "--json", str(out), "--costs", str(bench)]) == 0
    said, document = capsys.readouterr().out, json.loads(out.read_text())
    assert "distinct states, between" in said
    assert document["low"] <= document["states"] <= document["high"] and document["largest"] <= 3000
    assert Costs().measured(json.loads(bench.read_text())).local == 12.9


def test_what_cannot_be_estimated_is_said(tmp_path, capsys):
    assert main([*SMALL, "--states", "20"]) == 20
    assert "no estimate: " in capsys.readouterr().out
    (tmp_path / "no.json").write_text("[")
    assert main([*SMALL, "--costs", str(tmp_path / "no.json")]) == 2
    assert "is not what `highwater bench --json` writes" in capsys.readouterr().err
    assert main([*SMALL, "--property", "weak_isr"]) == 2

