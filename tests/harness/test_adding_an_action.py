"""The worked example of docs/adding-an-action.md, as it stands there: two tries, the second under another rule too."""

import re
import shlex
from pathlib import Path

import pytest
from support.elsewhere import highwater

PAGE = (Path(__file__).parents[2] / "docs" / "adding-an-action.md").read_text()
PLUGIN, GUARD = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
COMMANDS = re.findall(r"^\$ highwater (.*)\n(.*)$", PAGE, re.M)
SECOND = PLUGIN.replace("nothing to lose\n", f"nothing to lose\n{GUARD}")


@pytest.fixture(scope="module")
def tries(tmp_path_factory):
    """Of each try the folder with the plugin, and what the command has said there: (folder, (exit code, output, error))."""
    folders = [tmp_path_factory.mktemp("user") for _ in COMMANDS]
    for folder, text in zip(folders, (PLUGIN, SECOND, SECOND), strict=True):
        (folder / "replaced_disk.py").write_text(text)
    return [
        (folder, highwater(folder, *shlex.split(command), HIGHWATER_COMPILE="no"))
        for folder, (command, _) in zip(folders, COMMANDS, strict=True)
    ]


@pytest.mark.parametrize("number", range(3))
def test_each_try_ends_as_the_page_says(tries, number):
    (_, (code, out, error)), (_, line) = tries[number], COMMANDS[number]
    assert line in out and code == (0 if line.startswith("holds") else 12), (out, error)


def test_it_is_listed_with_its_place_and_replayed(tries):
    folder, _ = tries[0]
    code, out, _ = highwater(folder, "list", "actions", "--plugin", "replaced_disk")
    assert code == 0 and "replace_disk partition broker\n" in out and "replaced_disk.py:8" in out
    trace = next((folder / "highwater-traces").glob("*-weak_isr.trace"))
    code, out, _ = highwater(folder, "replay", "--plugin", "replaced_disk", trace)
    assert code == 12 and "weak_isr is violated at step 4" in out
    code, _, error = highwater(folder, "replay", trace)
    assert code == 2 and "was recorded with the plugin replaced_disk: add --plugin replaced_disk" in error, error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLUGIN.replace("partition, broker)", "partition, disk)").replace("broker", "disk"), "has a parameter 'disk'"),
        (PLUGIN.replace("    me = s.replica", "    while me:\n        pass\n    me = s.replica"), "While, which models"),
        (PLUGIN.replace("replace_disk", "crash"), "an action 'crash' already"),
        (PLUGIN.replace('"kafka"', '"kafak"'), "there is no model 'kafak'"),
        (PLUGIN.replace("partition, broker)", "partition, disk)").replace("[broker]", "[disk]").replace("== broker", "== disk"),
         "has a parameter 'disk', and the model ranges over broker, leader"),
    ],
    ids=["field", "while", "twice", "model", "range"],
)  # fmt: skip
def test_an_action_that_does_not_fit_is_one_sentence(here, text, said):
    command = COMMANDS[0][0].replace("--plugin replaced_disk ", "")
    code, out, error = here(*shlex.split(command), plugin=text)
    assert (code, out) == (2, "") and said in error and error.count("\n") == 1, error
