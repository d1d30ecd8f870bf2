"""Verdict, exit code and every form of output agree, and nothing that was cut short looks like success."""

import json
import os
import signal
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from highwater.explorer.command_line import main, matrix
from highwater.explorer.local.check import check
from support.elsewhere import highwater, output_of

SMALL = ["--model", "published", "--brokers", "2", "--generic", "--revision", "kip-320"]


def test_never_witnessed_is_not_holds(capsys):
    command = ["check", *SMALL, "--brokers", "1", "--max-epoch", "1"]
    assert json.loads(output_of(capsys, 15, [*command, "--json", "-"]).out)["verdict"] == "never witnessed"
    told = output_of(capsys, 15, command).out
    assert "\nnever witnessed: truncates_log" in told and "\nholds" not in told


def test_an_interrupted_matrix_is_incomplete(capsys, monkeypatch):
    """It is interrupted in its second revision."""
    begun = []

    def interrupted(request, report):
        def strike(progress):
            if len(begun) == 2 and progress.depth == 5:
                os.kill(os.getpid(), signal.SIGINT)

        begun.append(request.revision)
        return check(request, strike)

    monkeypatch.setattr(matrix, "check", interrupted)
    told = output_of(capsys, 20, ["matrix", "--model", "published", "--quiet", "--jobs", "1", "--json", "m.json"]).out
    assert "incomplete: the exploration was interrupted" in told and "differs" not in told
    assert "every verdict is as expected" not in told
    assert json.loads(Path("m.json").read_text())["differences"] == [] and len(begun) == 2


def test_junit_shows_what_a_bound_left_open_as_an_error(tmp_path):
    assert main(["check", *SMALL, "--depth", "4", "--quiet", "--junit", "j.xml"]) == 20
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()[0]
    errors = {case.get("name"): case.find("error").get("message") for case in suite if case.find("error") is not None}
    assert "the bound of depth 4 ended the exploration" in errors["strong_isr"]
    assert int(suite.get("errors")) == len(errors) > 0 and suite.get("skipped") == "0"


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.exit(0)\n",
        "import sys\ndef register(models): sys.exit(0)\n",
        "from highwater.properties.extended import extended\nfrom highwater.properties.property import always\n"
        "def fine(s):\n    '''It is.'''\n    return True\n"
        "CLAIM = always(fine, 'high-watermark', needs=lambda config: exit(0))\n"
        "def register(models): return [extended(models['kafka'], properties=[CLAIM])]\n",
    ],
    ids=["imported", "registered", "asked"],
)
def test_a_plugin_that_exits_does_not_end_in_success(tmp_path, text):
    (tmp_path / "leaves.py").write_text(text)
    code, out, error = highwater(tmp_path, "check", "--plugin", "leaves", "--revision", "kip-320", "--brokers", "2")
    assert (code, out) == (2, "") and error.startswith("highwater: ") and "exit" in error, error
