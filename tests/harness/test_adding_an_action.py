"""The worked example of docs/adding-an-action.md, as it stands there: three tries, each with what the command says of it."""

import re
import shlex
from pathlib import Path

import pytest
from support.elsewhere import highwater

PAGE = (Path(__file__).parents[2] / "docs" / "adding-an-action.md").read_text()
PLUGIN, GUARD, EFFECT = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
COMMANDS = re.findall(r"^\$ highwater (.*)\n(.*)$", PAGE, re.M)
SECOND = PLUGIN.replace("nothing to lose\n", f"nothing to lose\n{GUARD}")
THIRD = SECOND.replace("truncate(s, me, 0)\n", f"truncate(s, me, 0)\n{EFFECT}")


@pytest.mark.parametrize("number", range(3))
def test_each_try_ends_as_the_page_says(tmp_path, number):
    (tmp_path / "replaced_disk.py").write_text((PLUGIN, SECOND, THIRD)[number])
    command, line = COMMANDS[number]
    code, out, error = highwater(tmp_path, *shlex.split(command), HIGHWATER_COMPILE="no")
    assert line in out and code == (0 if line.startswith("holds") else 12), (out, error)


def test_it_is_listed_with_its_place_and_replayed(tmp_path):
    (tmp_path / "replaced_disk.py").write_text(PLUGIN)
    code, out, _ = highwater(tmp_path, "list", "actions", "--plugin", "replaced_disk")
    assert code == 0 and "replace_disk partition broker\n" in out and "replaced_disk.py:8" in out
    highwater(tmp_path, *shlex.split(COMMANDS[0][0]), "--quiet", HIGHWATER_COMPILE="no")
    trace = next((tmp_path / "highwater-traces").glob("*-weak_isr.trace"))
    code, out, _ = highwater(tmp_path, "replay", "--plugin", "replaced_disk", trace)
    assert code == 12 and "weak_isr is violated at step 4" in out
    code, _, error = highwater(tmp_path, "replay", trace)
    assert code == 17 and "Traceback" not in error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLUGIN.replace("partition, broker)", "partition, disk)").replace("broker", "disk"), "has no field 'disk'"),
        (PLUGIN.replace("    me = s.replica", "    while me:\n        pass\n    me = s.replica"), "While, which models"),
        (PLUGIN.replace("replace_disk", "crash"), "an action 'crash' already"),
        (PLUGIN.replace('"kafka"', '"kafak"'), "there is no model 'kafak'"),
    ],
    ids=["field", "while", "twice", "model"],
)  # fmt: skip
def test_an_action_that_does_not_fit_is_one_sentence(tmp_path, text, said):
    (tmp_path / "replaced_disk.py").write_text(text)
    code, out, error = highwater(tmp_path, *shlex.split(COMMANDS[0][0]))
    assert (code, out) == (2, "") and said in error and error.count("\n") == 1, error


def test_a_parameter_without_a_range_is_refused(tmp_path):
    text = PLUGIN.replace("partition, broker)", "partition, disk)").replace("[broker]", "[disk]").replace("== broker", "== disk")
    (tmp_path / "replaced_disk.py").write_text(text)
    code, _, error = highwater(tmp_path, *shlex.split(COMMANDS[0][0]))
    assert code == 2 and "has a parameter 'disk', and the model ranges over broker, leader" in error, error
