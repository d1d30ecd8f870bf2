"""A few of what `python -m tests.faults --all` does for hours: nothing differs, and each part does something."""

import sys
import time
import tomllib

import pytest
import versions

from faults import commands, differential, endless


@pytest.mark.long
def test_some_flags_configurations_and_graphs(tmp_path):
    for part, count, what in (
        (differential.flags, 4, "exit code"), (differential.configurations, 1, "plain"), (differential.progress, 1, "graphs"),
    ):  # fmt: skip
        seen, wrong = part(tmp_path, "suite", count, time.monotonic() + 600)
        assert wrong == [] and any(what in name for name in seen), part.__name__


@pytest.mark.long
def test_some_signals(tmp_path):
    seen, wrong = commands.signals(tmp_path, "suite", 3, time.monotonic() + 300)
    assert wrong == [] and sum(seen.values()) == 3


def test_every_part_has_its_turn_and_what_is_wrong_is_told(monkeypatch, capsys):
    parts = {"one": lambda *_: ({"runs": 2}, []), "two": lambda *_: (time.sleep(2) or {"runs": 1}, ["bad"])}
    monkeypatch.setattr(endless, "parts", lambda: parts)
    assert endless.all_parts("seed", time.monotonic() + 2)
    out = capsys.readouterr().out
    assert "one: {'runs': 2}; wrong: none" in out and "two: {'runs': 1}; wrong: ['bad']" in out


def test_private_parts_have_upper_bounds_and_lower_bounds_are_tried():
    wanted = tomllib.loads((versions.ROOT / "pyproject.toml").read_text())["project"]
    every = [*wanted["dependencies"], *wanted["optional-dependencies"]["spark"]]
    for name in ("numba", "llvmlite", "pyspark"):
        assert any(one.startswith(f"{name}>=") and ",<" in one for one in every), name
    pins = versions.lowest()
    assert len(pins) > len(every) and {"numba==0.62", "pyspark==4.0", "scipy==1.13"} <= set(pins)
    assert sys.version_info >= (3, 11)
