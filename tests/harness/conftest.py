"""Every test of this folder runs in an empty one."""

import pytest
import xxhash
from highwater.explorer.command_line import main


@pytest.fixture(autouse=True)
def _elsewhere(elsewhere):
    pass


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
