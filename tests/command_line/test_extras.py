"""With the base install alone: everything works that needs no more, and what does is one sentence that says how to get it.

The environment is this one, in which a process can import nothing but the standard library and what the base install brings.
"""

import pytest
from support.elsewhere import python

BASE_ONLY = """
import re, sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions

def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()

base, todo = set(), ["highwater-kafka"]
while todo:
    name = plain(todo.pop())
    if name not in base:
        base.add(name)
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            needed = []  # of another platform
        todo += [re.match(r"[\\w.-]+", line)[0] for line in needed if "extra ==" not in line]

class OnlyBase:
    def find_spec(self, name, path=None, target=None):
        owners = {plain(one) for one in known.get(name.partition(".")[0], ())}
        if owners and not owners & base:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

known = packages_distributions()
sys.meta_path.insert(0, OnlyBase())
from highwater.explorer.command_line import main
sys.exit(main(sys.argv[1:]))
"""

FIRST = {"spark": "pyspark", "brokers": "kafka-python", "ui": "textual"}
"""What each extra needs first: the command to install it names that, for Highwater itself is on no index."""

SMALL = ["--model", "published", "--brokers", "2", "--max-epoch", "1", "--revision", "kip-320"]


def base_only(folder, *arguments):
    """The exit code, and what was said on standard error."""
    environment = {"HIGHWATER_COMPILE": "no", "HYPOTHESIS_NO_PLUGINS": "1"}  # another package may bring one
    code, _, error = python(folder, "-c", BASE_ONLY, *arguments, **environment)
    return code, error


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["explore", *SMALL], "spark"),
        (["check", *SMALL, "--engine", "spark"], "spark"),
        (["stats", "hdfs://host/run"], "spark"),
        (["verify", "hdfs://host/run"], "spark"),
        (["bench", "--engine", "spark"], "spark"),
        (["perform", "--release", "1.0.2", "--walks", "1"], "brokers"),
        (["step", *SMALL, "--screen"], "ui"),
        (["observe", "--release", "1.0.2", "kept"], "brokers"),
    ],
)
def test_what_is_not_installed_is_a_sentence(tmp_path, arguments, extra):
    code, said = base_only(tmp_path, *arguments)
    assert code == 2 and f"pip install '{FIRST[extra]}" in said, said
    assert said.startswith("highwater: ") and said.count("\n") == 1, said
    assert not list(tmp_path.iterdir())


def test_a_folder_without_a_run_needs_nothing_installed(tmp_path):
    code, said = base_only(tmp_path, "stats", "nothing")
    assert code == 2 and said.startswith("highwater: nothing holds no run"), said


@pytest.mark.parametrize(
    "arguments",
    [
        ["explore", "--engine", "local", *SMALL, "--depth", "3", "--allow-incomplete", "--run-dir", "run"],
        pytest.param(["fuzz", *SMALL, "--runs", "2", "--allow-incomplete"], marks=pytest.mark.long),  # compiles for a minute
        ["walk", *SMALL, "--walks", "2", "--allow-incomplete"],
        ["graph", *SMALL, "--max-epoch", "0"],
        ["list", "properties"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_needs_no_more_works(tmp_path, arguments):
    code, said = base_only(tmp_path, *arguments)
    assert code == 0, said
