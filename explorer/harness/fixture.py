"""The fixture `highwater` of pytest: what `highwater.check` and its like find is compared with what a test expects.

def test_the_lease(highwater):
    highwater.check(LEASE, "trusting", expect={"value_never_falls": "violated"})
    highwater.check(LEASE, "fenced", nodes=3)
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ...model.language.errors import UsageError
from ..files import write_file
from ..library import Fuzzed, Proved, Result, Walked, check, fuzz, prove, walk
from ..results import Shown
from ..trace_files import text_of, trace_path
from ..verdict import INCOMPLETE, NEVER, VIOLATED

Found = TypeVar("Found", bound=Shown)


class Checks:
    """The functions of `highwater`, each with `expect`: the verdicts of properties that are not to hold.

    A test fails with the report where one is otherwise, and the counterexample is written to `folder`. Else the result is
    returned. What is expected to be violated must be: such a test says that a bug is found.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self, *what: Any, expect: Mapping[str, str] | None = None, **how: Any) -> Result:
        """`highwater.check`: everything is explored, and every property is decided."""
        found = check(*what, **{"keep_going": bool(expect), **how})
        return self._compared(found, expect, {VIOLATED, NEVER, INCOMPLETE})

    def walk(self, *what: Any, expect: Mapping[str, str] | None = None, **how: Any) -> Walked:
        """`highwater.walk`: nothing is violated but what is expected to be."""
        return self._compared(walk(*what, **{"keep_going": bool(expect), **how}), expect, {VIOLATED})

    def fuzz(self, *what: Any, expect: Mapping[str, str] | None = None, **how: Any) -> Fuzzed:
        """`highwater.fuzz`: nothing is violated but what is expected to be."""
        return self._compared(fuzz(*what, **how), expect, {VIOLATED})

    def prove(self, *what: Any, **how: Any) -> Proved:
        """`highwater.prove`: everything is proved."""
        found = prove(*what, **how)
        return found if found else self._compared(found, None, set(found.verdicts.values()))

    def _compared(self, found: Found, expect: Mapping[str, str] | None, wrong: Iterable[str]) -> Found:
        """The result; the test fails where a property has another verdict than it is expected to have."""
        expected = expect or {}
        for name in expected:
            if name not in found.verdicts:
                raise UsageError(f"{name!r:.60} was not checked; there are {', '.join(found.verdicts)}")
        missed = [
            f"{name}: {verdict}, where {expected.get(name, 'another verdict')} was expected"
            for name, verdict in found.verdicts.items()
            if (verdict != expected[name] if name in expected else verdict in wrong)
        ]
        if missed or not found.tried:
            said = "; ".join(missed) or "hardly anything was tried"
            pytest.fail(f"{said}\n\n{found}{self._kept(found)}", pytrace=False)
        return found

    def _kept(self, found: Shown) -> str:
        """Where the counterexample is, which is written now."""
        trace = found.trace()
        if trace is None:
            return ""
        text = text_of(trace, found.model)
        try:
            path = trace_path(self.folder, trace, text)
            write_file(path, text)
        except UsageError as error:
            return f"\n\nthe counterexample is not kept: {error}"
        return f"\n\ncounterexample: {path}"
