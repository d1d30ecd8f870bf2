"""Sources that change under a process that runs: nothing is counted with a mixture of two versions."""

import os
import sys
import time
from types import ModuleType

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.sources import validate_sources
from highwater.model.language import UsageError
from highwater.properties.registry import PUBLISHED
from support.exploring import request


def test_a_module_that_was_changed_before_it_was_imported_is_refused(tmp_path, monkeypatch):
    """As after a rebase in a session that has been there for long: the other modules are the old ones."""
    asked = request(PUBLISHED, "kip-320", {"brokers": 2})
    assert check(asked).complete
    late = ModuleType("highwater.explorer.late")
    late.__file__ = str(tmp_path / "late.py")
    (tmp_path / "late.py").write_text("")
    os.utime(tmp_path / "late.py", (0, 0))  # as files that are copied with their times
    monkeypatch.setitem(sys.modules, late.__name__, late)
    with pytest.raises(UsageError, match=r"late\.py was changed since highwater began, and is not what runs; begin again"):
        check(asked)


def test_what_is_edited_after_it_was_imported_stays(tmp_path, monkeypatch):
    early = ModuleType("highwater.explorer.early")
    early.__file__ = str(tmp_path / "early.py")
    (tmp_path / "early.py").write_text("")
    monkeypatch.setattr("highwater.model.language.unchanged.BEGUN", time.time() + 1)
    monkeypatch.setitem(sys.modules, early.__name__, early)
    validate_sources()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, early.__name__, early)
    validate_sources()
