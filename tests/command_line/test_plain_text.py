"""What users write is printed as it stands: names with brackets or colons are neither markup nor pictures."""

import json

import pytest
from highwater.explorer.command_line.list import print_entries
from highwater.explorer.command_line.stats import as_table
from highwater.explorer.output.report import console

MARKED = """
from dataclasses import replace
from highwater.model.language import Revision
from highwater.properties.extended import extended
from highwater.properties.property import always
from support.toys import COUNTERS

def never_two(s, counter):
    '''No counter [red] stands at two [/].'''
    return s.count[counter] != 2

def register(models):
    revisions = [Revision("half[/]", "half of [n/2] votes :x:", {}, violates=("never_two",))]
    return [extended(COUNTERS, revisions=revisions, properties=[always(never_two, "only")])]
"""
ABOUT = ["--model", "counters"]


def test_a_report_and_its_json_have_the_names_as_they_are(here, tmp_path):
    told = [*ABOUT, "--revision", "half[/]", "--property", "never_two", "--quiet", "--traces", "runs[/]y :x:"]
    code, out, error = here("check", *told, "--json", "c.json", plugin=MARKED)
    assert (code, error) == (12, "")
    assert "half of [n/2] votes :x:" in out and "runs[/]y" in out
    assert json.loads((tmp_path / "c.json").read_text())["revision"] == "half[/]"


def test_lists_matrices_and_sweeps_too(here):
    assert "half of [n/2] votes :x:" in here("list", "revisions", *ABOUT, plugin=MARKED)[1]
    assert "half[/]" in here("matrix", *ABOUT, "--quiet", plugin=MARKED)[1]
    swept = here("sweep", *ABOUT, "--vary", "revision=only,half[/]", "--property", "never_two", "--quiet", plugin=MARKED)
    assert swept[0] == 0 and "half[/]" in swept[1]


@pytest.mark.parametrize("text", ["[/]", "ci[nightly]", ":x:", "[bold]x"])
def test_tables_too(capsys, text):
    console().print(as_table(([text], [(text,)])))
    print_entries([{"name": text}])
    console().print(text)
    assert capsys.readouterr().out.count(text) == 4
