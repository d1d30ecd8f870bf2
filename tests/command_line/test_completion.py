"""What a shell is told when a line is to be completed (argcomplete)."""

import os
import subprocess
import sys

import pytest
from support.elsewhere import PROGRAM

TOLD = 8
"""The file to which argcomplete writes."""


def completed(line, tmp_path):
    """How a line can go on."""
    with (tmp_path / "told").open("w+b") as told:
        asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "|"}
        program = f"import os; os.dup2({told.fileno()}, {TOLD}); os.dup2(2, 9)\n{PROGRAM}"
        command = [sys.executable, "-c", program, "what a shell gives is ignored"]
        subprocess.run(command, env={**os.environ, **asked}, pass_fds=[told.fileno()], check=True)
        told.seek(0)
        return {word.strip() for word in told.read().decode().split("|")}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("highwater rep", {"replay", "repairs"}),
        ("highwater check --re", {"--revision", "--release", "--resume", "--resume-from"}),
        ("highwater check --model published --revision kip-320", {"kip-320", "kip-320-first-try", "kip-320-unfenced"}),
        ("highwater check --model kr", {"kraft"}),
        ("highwater releases 4.4", {"4.4.0"}),
        ("highwater why KAFKA-27", {"KAFKA-2721", "KAFKA-2729"}),
        ("highwater check --set unclean_e", {"unclean_elections="}),
        ("highwater no-such-command --re", {""}),
    ],
)
def test_a_line_goes_on(line, words, tmp_path):
    assert completed(line, tmp_path) == words
