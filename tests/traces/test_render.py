"""The picture: a column for each broker, changes marked without colour too, within the width of the terminal."""

import io

import pytest
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import MODELS
from highwater.traces.render import column_widths, render
from highwater.traces.replay import replay
from highwater.traces.text import read
from rich.console import Console

from .golden_table import FOLDER, golden

NAMES = ("s6_stale_leader_answers.kip-279", "s1_silent_divergence.kip-101", "a3_offline.high-watermark")


def picture(trace, width, broken=True):
    model = MODELS[trace.model]
    config = model.configure(trace.revision, **trace.settings)
    result = replay(trace, model, [p for p in properties_of(model) if p.applies(config)])
    out = io.StringIO()
    render(trace, model, result.states, Console(file=out, width=width, highlight=False), result.broken if broken else None)
    return out.getvalue().split("\n")


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("name", NAMES)
def test_fits_the_terminal(name, width):
    assert max(map(len, picture(golden(name), width))) <= width


@pytest.mark.parametrize("name", NAMES)
def test_every_step_has_a_row_with_a_mark(name):
    trace, lines = golden(name), picture(golden(name), 100)
    headings = [n for n, line in enumerate(lines) if line in {f"{i} {s.label}" for i, s in enumerate(trace.steps, 1)}]
    assert len(headings) == len(trace.steps)
    for begin, end in zip(headings, [*headings[1:], len(lines)], strict=True):
        assert any("* " in line for line in lines[begin + 1 : end])


def test_the_start_is_whole_and_unmarked():
    lines = picture(golden("s1_silent_divergence.kip-101"), 100)
    begin = next(n for n, line in enumerate(lines) if line.split() == ["broker", "0", "broker", "1", "elsewhere"])
    start = lines[begin + 1 : lines.index("", begin)]
    assert not any("*" in line for line in start)
    assert start[0].split()[:2] == ["|", "|"]
    assert "leads in epoch 0, isr" in " ".join(start)


def test_brokers_have_columns_and_unchanged_cells_stay_short():
    lines = picture(golden("zombie_commits_what_all_have.kip-320"), 100)
    last = lines.index("9 fetch partition=0 follower=2 leader=0")
    log, role, *_ = lines[last + 1 :]
    assert [cell.strip() for cell in log.split("  ") if cell.strip()][:3] == ["* 0a|", "|0a", "* 0a|"]
    assert "leads, epoch 0" in role
    assert "leads, epoch 1" in role
    assert "follows 0, epoch 0" in role


def test_a_fall_stands_below_its_step():
    lines = picture(golden("s6_stale_leader_answers.kip-279"), 100)
    assert [line for line in lines if line.startswith("!")] == [
        "! log_prefix_convergence is violated at step 15",
        "! weak_isr, strong_isr are violated at step 17",
        "! committed_records_stay_readable is violated at step 20",
        "! no_committed_data_loss is violated at step 21",
    ]
    assert not [line for line in picture(golden("s6_stale_leader_answers.kip-279"), 100, broken=False) if line.startswith("!")]


def test_comments_stand_above_their_steps():
    lines = [line.rstrip() for line in picture(golden("s1_silent_divergence.kip-101"), 120)]
    comment = lines.index("B appends c at 2-3, where A has b.")
    assert lines[comment + 2].startswith("7 produce")


def test_many_brokers_are_told_in_one_column():
    lines = [line.strip() for line in picture(golden("a3_offline.high-watermark"), 100)]
    assert "what changed" in lines
    assert "* broker 0: no longer leads; process down; log |0a" in lines


@pytest.mark.parametrize(
    ("width", "brokers", "columns"), [(100, 3, 4), (100, 2, 3), (80, 3, 4), (60, 3, 1), (100, 7, 1), (100, 0, 1), (10, 3, 1)]
)
def test_columns_fill_the_width_or_give_way_to_one(width, brokers, columns):
    widths = column_widths(width, brokers)
    assert len(widths) == columns
    assert sum(widths) + 2 * len(widths) <= max(width, 16)


def test_only_the_steps_that_ran_are_drawn():
    text = (FOLDER / "a2_clean_election.high-watermark.trace").read_text(encoding="utf-8").replace("2 fetch", "2 crash", 1)
    lines = picture(read(text.replace("crash partition=0 follower=1 leader=0", "crash broker=9")), 100)
    assert any(line.startswith("1 produce") for line in lines)
    assert not any(line.startswith("2 ") for line in lines)


def test_comments_are_not_read_as_markup():
    head = "highwater trace 1\nmodel: kafka 0\nrevision: kip-320\ninitial: 0\n"
    text = head + "# [red]not[/red] [0,10]\n\n1 expire_session broker=0\n"
    assert "[red]not[/red] [0,10]" in picture(read(text), 100)
