"""The cache of compiled code: what is run is the text that is expected, and what was damaged or is others' is not used."""

import errno
import os
import random
import shutil
import stat
import sys
from pathlib import Path

import pytest
from highwater.model.language import UsageError
from highwater.model.language.machine_code import loader
from highwater.model.language.machine_code.loader import cache_folder, load

TEXT = "def triple(n):\n    return 3 * n\n"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("highwater.model.language.machine_code.processor.NAMED", "yes")
    loader._private_folder.cache_clear()
    yield tmp_path / "cache"
    loader._private_folder.cache_clear()


def fresh():
    """The module as another process would get it."""
    for name in [name for name in sys.modules if name.startswith("highwater_test_cache_")]:
        del sys.modules[name]
    return load("test-cache", TEXT, ["triple"])


def hits(module):
    """How many functions came from the cache; after a call."""
    assert hasattr(module.triple, "py_func") and module.triple(14) == 42
    return sum(module.triple.stats.cache_hits.values())


def files_of(folder):
    """Everything that the cache keeps."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_was_compiled_once_is_loaded(folder):
    assert hits(fresh()) == 0
    assert hits(fresh()) == 1
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files_of(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE((folder / "__pycache__").stat().st_mode) == 0o700


def test_which_functions_go_to_llvm_directly_is_found_out_once(folder, monkeypatch):
    """To find it out for the Kafka model takes a third of a second."""
    asked, found_out = [], loader.lowering_of
    monkeypatch.setattr(loader, "lowering_of", lambda *text: asked.append(text) or found_out(*text))
    assert hits(fresh()) == 0 and asked
    asked.clear()
    assert hits(fresh()) == 1 and not asked
    for path in folder.rglob("*.nbc"):
        path.unlink()
    assert hits(fresh()) == 0 and asked, "what is compiled again needs it"


def test_an_edited_file_is_not_what_runs(folder):
    hits(fresh())
    (source,) = folder.glob("*.py")
    source.write_text(source.read_text().replace("3 * n", "4 * n"))
    assert fresh().triple(14) == 42 and "3 * n" in source.read_text()


def test_a_planted_bytecode_file_is_not_what_runs(folder, tmp_path):
    import py_compile

    hits(fresh())
    (source,) = folder.glob("*.py")
    other = tmp_path / "other.py"
    other.write_text("def triple(n):\n    return 5 * n\n")
    py_compile.compile(str(other), cfile=str(folder / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"))
    assert fresh().triple(14) == 42


def damages(dice, data):
    """The data, damaged in one way or another."""
    way = dice.choice(["flip", "flip", "flip", "cut", "empty", "noise"])
    if way == "flip":
        at = dice.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]
    return {"cut": data[: dice.randrange(len(data))], "empty": b"", "noise": dice.randbytes(len(data))}[way]


def test_whatever_is_damaged_is_compiled_once_more(folder, tmp_path):
    hits(fresh())
    whole, dice = shutil.copytree(folder, tmp_path / "whole"), random.Random(7)
    for number in range(60):
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        path = dice.choice(files_of(folder))
        path.write_bytes(damages(dice, path.read_bytes()))
        assert fresh().triple(14) == 42, (number, path)
        if number % 10 == 0:
            assert hits(fresh()) == 1, "what was compiled once more is kept"


def test_what_is_missing_is_compiled_once_more(folder):
    for path in (hits(fresh()), *files_of(folder))[1:]:
        path.unlink()
        assert fresh().triple(14) == 42


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_files_of_others_are_not_used(folder):
    hits(fresh())
    for path in files_of(folder):
        os.chown(path, 12345, 12345)
    assert hits(fresh()) == 0
    assert all(path.stat().st_uid == 0 for path in folder.glob("*.py"))


def test_files_that_others_can_write_are_not_used(folder):
    hits(fresh())
    for path in folder.rglob("*.nbc"):
        path.chmod(0o666)
    assert hits(fresh()) == 0


def in_a_folder_of_its_own(capsys, folder, why):
    """The code is compiled in a private folder, and that is said once."""
    used = cache_folder()
    assert used != folder and stat.S_IMODE(used.stat().st_mode) == 0o700
    assert fresh().triple(14) == 42
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"compiled code is not kept in {folder}" in error and why in error
    return used


def test_a_folder_that_others_can_write_is_not_used(capsys, folder):
    folder.mkdir()
    folder.chmod(0o777)
    in_a_folder_of_its_own(capsys, folder, "others own it or can write to it")
    assert files_of(folder) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give folders away")
def test_a_folder_of_others_is_not_used(capsys, folder):
    folder.mkdir(mode=0o755)
    os.chown(folder, 12345, 12345)
    in_a_folder_of_its_own(capsys, folder, "others own it or can write to it")


def test_a_link_to_a_folder_is_not_followed(capsys, folder, tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "real")
    in_a_folder_of_its_own(capsys, folder, "others own it or can write to it")


def test_without_a_home(capsys, monkeypatch):
    monkeypatch.delenv("HIGHWATER_CACHE")
    monkeypatch.setattr(loader, "user_cache_path", lambda name: Path("~/.cache") / name)
    in_a_folder_of_its_own(capsys, Path("~/.cache/highwater"), "there is no home folder")


def test_without_space(capsys, folder, monkeypatch):
    whole = loader.write_at_once

    def full(path, text):
        if path.parent == folder:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        whole(path, text)

    monkeypatch.setattr(loader, "write_at_once", full)
    assert fresh().triple(14) == 42
    assert "No space left on device" in capsys.readouterr().err


def test_without_any_place_at_all(folder, monkeypatch):
    folder.write_text("a file")

    def full(**rest):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(loader.tempfile, "mkdtemp", full)
    with pytest.raises(UsageError, match=r"nor for this process alone: No space left on device; set HIGHWATER_CACHE or TMPDIR"):
        fresh().triple(14)
