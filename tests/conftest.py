"""Settings that all groups of tests share."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
import xxhash
from highwater.explorer.command_line import main
from highwater.explorer.start import GARBAGE
from hypothesis import settings

# Tests begin hundreds of processes. Where nothing is kept of what Python compiles, each compiles the packages again, for 0.4 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What is piped is as wide as COLUMNS says, and pytest-xdist says it to its workers: documents show what is printed without it.
os.environ.pop("COLUMNS", None)

# What a shell begins in the background ignores Ctrl-C, and so would the processes of tests, which are to be interrupted by it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: the first example of a test may compile. Derandomised: the same examples in every run.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="rewrite traces/golden: digests, model version and told changes; comments and steps stay",
    )


FIRST = ("spark", "test_matrix.py", "language", "traces", "brokers")
"""What the processes begin with: what takes longest, then what does without the code of the whole Kafka model, which the tests
on Spark compile meanwhile. The others follow in their order, and long ones are not at its end."""


def pytest_configure(config):
    """Groups begin in the order of the items, and not those with many tests before those with few."""
    if config.pluginmanager.hasplugin("xdist"):
        config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Processes share the tests file by file, since a file's tests share what was compiled; Spark's share one session.

    First of all hooks, for xdist reads the groups in its own. It sorts in the processes that run tests: their order counts.
    """
    if not config.pluginmanager.hasplugin("xdist"):
        return
    folders = {item: item.path.relative_to(Path(__file__).parent).parts[0] for item in items}
    for item, folder in folders.items():
        item.add_marker(pytest.mark.xdist_group(folder if folder in ("spark", "zookeeper") else str(item.path)))
    if getattr(config.option, "loadgroup", False):
        items.sort(key=lambda item: FIRST.index(folders[item]) if folders[item] in FIRST else len(FIRST))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """What a file's tests leave for others, such as graphs and syntax trees, is not looked through for garbage again and again.

    That took a fifth of the time of all tests: five million objects, of which few ever are garbage.
    """
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def compile_first_and_collect_rarely():
    """`check` compiles before it explores, and garbage is searched for as rarely as under the command.

    Otherwise a search in plain Python would run beside the compiler, on a processor that other tests use. If it ended first,
    a test of compiled code would have tested plain Python, and the next test would compile the same code again.
    """
    gc.set_threshold(GARBAGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("highwater.explorer.local.check.compile_in_background", lambda *arguments: None)
        yield


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The test runs in an empty folder, and not in a workflow of GitHub."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


APART = ("command_line", "harness")
"""Folders of tests that write files."""


@pytest.fixture(autouse=True)
def _elsewhere(request):
    """Each test of these folders runs in an empty one.

    Not in their own conftest.py: pytest forgets it when a command line names the folder twice, with another between.
    """
    if request.path.relative_to(Path(__file__).parent).parts[0] in APART:
        request.getfixturevalue("elsewhere")


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """(exit code, standard output, standard error) of a command with a plugin of this text, in this process.

    A plugin is loaded once: each text has a name of its own.
    """
    monkeypatch.syspath_prepend(tmp_path)

    def run(*arguments, plugin):
        name = f"plugin_{xxhash.xxh64_hexdigest(plugin.encode())}"
        (tmp_path / f"{name}.py").write_text(plugin)
        capsys.readouterr()
        code = main([*map(str, arguments), "--plugin", name])
        return code, *capsys.readouterr()

    return run
