"""The beginning of the command: what is missing there, memory or a package, is one sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "import sys; from highwater.explorer.start import main; sys.exit(main())"


def begun(before="", command="check --help"):
    """The exit code, and what was said on standard error; of a command that compiles, as it begins."""
    command = f"{before} exec '{sys.executable}' -c '{PROGRAM}' {command}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound a process's addresses")
@pytest.mark.parametrize("limit", [250_000, 300_000, 350_000])
def test_too_little_memory_to_begin(limit):
    code, error = begun(f"ulimit -v {limit};")
    assert code in (0, 20) and "Traceback" not in error
    assert code == 0 or (error.count("\n") == 1 and "there is not enough memory" in error)


def test_a_package_that_cannot_be_loaded(tmp_path):
    (tmp_path / "numba.py").write_text("raise ImportError('numba is broken here')")
    code, error = begun(f"PYTHONPATH='{tmp_path}'", f"check --model published --revision kip-320 --symmetry --traces {tmp_path}")
    assert (code, error) == (2, "highwater: a package that it needs cannot be loaded: numba is broken here; install it again\n")


def test_a_way_to_compile_that_there_is_not():
    code, error = begun("HIGHWATER_COMPILE=perhaps")
    assert code == 2 and error.startswith("highwater: HIGHWATER_COMPILE must be one of yes, narrow,") and error.count("\n") == 1


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT=1", "NUMBA_NUM_THREADS=0", "NUMBA_NUM_THREADS=-3"])
def test_settings_of_numba_with_which_nothing_works(setting):
    code, error = begun(setting)
    assert code == 2 and error.startswith(f"highwater: {setting.split('=')[0]} ") and error.count("\n") == 1


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT=0", "NUMBA_NUM_THREADS=1", "NUMBA_DISABLE_JIT=1 HIGHWATER_COMPILE=no"])
def test_settings_of_numba_that_may_stay(setting):
    assert begun(setting) == (0, "")


def test_it_begins():
    assert begun() == (0, "")


@pytest.mark.parametrize("module", ["highwater", "highwater.explorer.start"])
@pytest.mark.parametrize(("what", "code"), [("models", 0), ("nothing", 2)])
def test_it_can_be_run_as_a_module(module, what, code):
    command = [sys.executable, "-m", module, "list", what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code and ("kafka" in done.stdout) == (code == 0), done.stderr


def test_an_interrupt_as_the_command_ends():
    """What was found is printed: neither a traceback nor another exit code is behind it."""
    last = "import atexit, os, signal; atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT)); "
    command = [sys.executable, "-c", f"{last}{PROGRAM}", "list", "models"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


TRACE = Path(__file__).parents[2] / "traces" / "golden" / "s3_truncation_loses_data.high-watermark.trace"


@pytest.mark.parametrize(("command", "code"), [("list models", 0), (f"replay {TRACE}", 12), ("--version", 0)])
def test_what_compiles_nothing_needs_no_compiler(tmp_path, command, code):
    """To import it takes longer than all the rest."""
    (tmp_path / "numba.py").write_text("raise ImportError('it was imported')")
    assert begun(f"PYTHONPATH='{tmp_path}'", command) == (code, "")


def test_python_does_not_search_for_garbage_as_the_command_ends():
    """That took a third of a check whose code is compiled."""
    said = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 10_000)); "
    command = [sys.executable, "-c", f"{said}{PROGRAM}", "list", "models"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.endswith("True\n"), done.stderr
