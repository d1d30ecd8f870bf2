"""Nothing that matters is cut: a verdict, a number, a name or a path, at any width, in a terminal and piped."""

import io
import re

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.output.tables import Fitting, console_for, plain_table
from highwater.properties.registry import MODELS
from rich.text import Text

WIDTHS = (40, 80, 120, 200)
REVISIONS = list(MODELS["kafka"].revisions)
NAMES = ["single_committable_leader_strict", "committed_records_stay_readable"]


def printed(renderable, width, terminal=False):
    out = io.StringIO()
    console = console_for(file=out, width=width, force_terminal=terminal, color_system=None)
    console.print(renderable, soft_wrap=isinstance(renderable, Text))
    return out.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_of_many_columns_is_folded_by_columns(width):
    table = plain_table("property", *REVISIONS, unbroken=("property", *REVISIONS))
    for number, name in enumerate(NAMES):
        table.add_row(name, *(f"✗ {10 * number + place}" for place in range(len(REVISIONS))))
    text = printed(table, width)
    for place, revision in enumerate(REVISIONS):
        assert re.search(rf"(^|\s){re.escape(revision)}(\s|:|$)", text), revision
        assert re.search(rf"✗ {place}(\s|$)", text) and re.search(rf"✗ {10 + place}(\s|$)", text)
    assert all(name in text for name in NAMES)
    assert not re.search(r" +$", text, re.M), "what is piped is not padded"
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_prose_wraps_at_words_and_paths_stay_whole(width):
    path = "highwater-traces/kafka-kip-320-2.8-logsize1-maxepoch3-minisr2-sessionexpiries2-no_committed_data_loss.trace"
    prose = f"the leader has nothing where it was committed: {path} has the steps, from the first to the last"
    text = printed(Text(prose), width, True)
    assert path in text.splitlines() or path in text
    for word in ("committed:", "nothing", "steps,"):
        assert word in text


@pytest.mark.parametrize("width", WIDTHS)
def test_check_names_each_property_and_path_on_one_line(width, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--model", "published", "--revision", "high-watermark", "--brokers", "2", "--generic"]) == 12
    out = capsys.readouterr().out
    (path,) = (tmp_path / "highwater-traces").iterdir()
    assert f"trace of weak_isr: highwater-traces/{path.name}" in out.splitlines()
    assert re.search(r"^weak_isr( .*)?$", out, re.M) and re.search(r"(^|\s)violated(\s|$)", out, re.M), out


@pytest.mark.parametrize("width", WIDTHS)
def test_lists_have_whole_names(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    for what in ("settings", "revisions", "models"):
        assert main(["list", what]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"(^|\s){name}(\s|$)", out) for name in (*MODELS["kafka"].config.settings, *REVISIONS, *MODELS))


def test_a_part_of_a_table_is_a_table_with_the_first_column():
    table = plain_table("a", "b", "c", unbroken=("a", "b", "c"))
    table.add_row("x" * 10, "y" * 20, "z" * 20)
    assert isinstance(table, Fitting)
    assert [[str(column.header) for column in part.columns] for part in table.parts(40)] == [["a", "b"], ["a", "c"]]
    assert len(list(table.parts(60))) == 1
