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
from ...properties.catalogue import claims_of
from ...properties.explain import explain
from ..files import write_file
from ..library import Fuzzed, Proved, Result, Walked, check, fuzz, prove, walk
from ..results import Shown
from ..trace_files import text_of, trace_path, write_page
from ..verdict import INCOMPLETE, NEVER, VIOLATED
from .entries import FAILED, PASSED, Entry, entry_of
from .places import relative

Found = TypeVar("Found", bound=Shown)


class Checks:
    """The functions of `highwater`, each with `expect`: the verdicts of properties that are not to hold.

    A test fails with the report where one is otherwise, and the counterexample is written to `folder`, with a page beside it.
    Else the result is returned. What is expected to be violated must be: such a test says that a bug is found. `told` gets what
    reviewers are to see, at the line of `test` if not at the property's.
    """

    def __init__(self, folder: Path, test: pytest.Item, told: list[Entry]) -> None:
        self.folder, self.test, self.told = folder, test, told

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
        missed = {
            name: f"{name}: {verdict}, where {expected.get(name, 'another verdict')} was expected"
            for name, verdict in found.verdicts.items()
            if (verdict != expected[name] if name in expected else verdict in wrong)
        }
        if not missed and found.tried:
            self._leave(PASSED, found, "")
            return found
        path, kept = self._kept(found)
        for name, text in missed.items():
            self._leave(FAILED, found, text, name, relative(Path(path)) if path else "")
        said = "; ".join(missed.values()) or "hardly anything was tried"
        pytest.fail(f"{said}\n\n{found}{kept}", pytrace=False)

    def _leave(self, what: str, found: Shown, text: str, name: str = "", path: str = "") -> None:
        """Leave with the report what reviewers are to see."""
        file, line, test = self.test.reportinfo()
        trace = found.trace(name) if path and found.verdicts[name] == VIOLATED else None
        if trace is not None:
            text = f"{explain(trace, found.model, claims_of(found.model).get(name)).why.sentence}\n{text}"
        place, subject = (relative(Path(file)), (line or 0) + 1), (found.model, found.revision)
        title = f"{test}: {name}" if name else test
        self.told.append(entry_of(what, title, place, text, subject, name, found.verdicts.get(name, ""), trace, path))

    def _kept(self, found: Shown) -> tuple[str, str]:
        """The path of the counterexample, which is written now, and where it is in words."""
        trace = found.trace()
        if trace is None:
            return "", ""
        text = text_of(trace, found.model)
        try:
            path = trace_path(self.folder, trace, text)
            write_file(path, text)
            page = write_page(trace, found.model, path)
        except UsageError as error:
            return "", f"\n\nthe counterexample is not kept: {error}"
        return path, f"\n\ncounterexample: {path}" + (f"\nas a page: {page}" if page else "")
